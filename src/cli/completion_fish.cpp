// A `complete` line for each verb, part and option. After `--` fish completes files by itself.
#include <fmt/format.h>

#include "cli/completion.h"

namespace heddle::cli {
namespace {

std::string FishQuoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

// True where the words so far are this command.
std::string Condition(const CommandInfo& command, bool has_parts) {
  size_t space = command.name.find(' ');
  if (space != std::string::npos) {
    return fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}",
                       command.name.substr(0, space), command.name.substr(space + 1));
  }
  std::string text = "__heddle_verb " + command.name;
  if (has_parts) {
    text += "; and not __fish_seen_subcommand_from";
    for (const std::string& part : command.parts) text += " " + part;
  }
  return text;
}

std::string Value(const OptionInfo& option) {
  switch (KindOfValue(option)) {
    case ValueKind::kChoices: {
      std::string words;
      for (const std::string& choice : option.choices) words += (words.empty() ? "" : " ") + choice;
      return " -x -a " + FishQuoted(words);
    }
    case ValueKind::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::kFile:
      return " -r -F";
    case ValueKind::kOther:
      return " -x";
    case ValueKind::kNone:
      break;
  }
  return "";
}

std::string OptionLine(const std::string& condition, const OptionInfo& option) {
  std::string text = fmt::format("complete -c heddle -n {}", FishQuoted(condition));
  if (option.positional) return option.choices.empty() ? "" : text + Value(option) + "\n";
  for (const std::string& name : option.names) {
    bool is_long = name.starts_with("--");
    text += fmt::format(" -{} {}", is_long ? "l" : "s", name.substr(is_long ? 2 : 1));
  }
  return text + Value(option) + " -d " + FishQuoted(option.text) + "\n";
}

constexpr const char* kFishHead = R"(# fish completion for heddle, made by `heddle completion fish`.
function __heddle_verb
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = "$argv[1]"; and not contains -- -- $words
end
)";

}  // namespace

std::string FishCompletion(const std::vector<CommandInfo>& commands) {
  std::string text = kFishHead;
  for (const CommandInfo& command : commands) {
    size_t space = command.name.find(' ');
    std::string before =
        space == std::string::npos
            ? "__fish_use_subcommand"
            : fmt::format("__heddle_verb {}; and test (count (commandline -opc)) -eq 2", command.name.substr(0, space));
    std::string word = space == std::string::npos ? command.name : command.name.substr(space + 1);
    text +=
        fmt::format("complete -c heddle -f -n {} -a {} -d {}\n", FishQuoted(before), word, FishQuoted(command.summary));
    std::string condition = Condition(command, !command.parts.empty());
    for (const OptionInfo& option : command.options) text += OptionLine(condition, option);
  }
  return text;
}

}  // namespace heddle::cli
