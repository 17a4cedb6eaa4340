// heddle completion: prints what a shell needs to complete heddle's words.
#include "cli/completion.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/verb.h"

namespace heddle::cli {
namespace {

constexpr const char* kCompletionExamples =
    "Examples:\n"
    "  heddle completion bash > ~/.local/share/bash-completion/completions/heddle\n"
    "  heddle completion zsh > ~/.zsh/completions/_heddle           a folder of $fpath\n"
    "  heddle completion fish > ~/.config/fish/completions/heddle.fish\n"
    "The Debian package installs them for all users.";

int RunCompletion(const Arguments& arguments) {
  CLI::App app("Prints the completion script of a shell", "heddle completion");
  std::string shell;
  app.add_option("SHELL", shell, "the shell")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  app.footer(kCompletionExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  std::vector<CommandInfo> commands = DescribeAll();
  std::string script = shell == "bash"  ? BashCompletion(commands)
                       : shell == "zsh" ? ZshCompletion(commands)
                                        : FishCompletion(commands);
  std::fputs(script.c_str(), stdout);
  return kExitClean;
}

}  // namespace

ValueKind KindOfValue(const OptionInfo& option) {
  if (!option.choices.empty()) return ValueKind::kChoices;
  if (option.value.empty()) return ValueKind::kNone;
  if (option.value == "DIR") return ValueKind::kFolder;
  if (option.value == "FILE" || option.value == "PROGRAM" || option.positional) return ValueKind::kFile;
  return ValueKind::kOther;
}

extern const Verb kCompletionVerb;
const Verb kCompletionVerb{"completion", "print the completion script of a shell", RunCompletion};

}  // namespace heddle::cli
