// One function with a `case` for each command: the words that may come, and what the value of an option is.
#include <fmt/format.h>

#include "cli/completion.h"

namespace heddle::cli {
namespace {

std::string Joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

std::string Complete(const OptionInfo& option) {
  switch (KindOfValue(option)) {
    case ValueKind::kChoices:
      return fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))", Joined(option.choices, " "));
    case ValueKind::kFolder:
      return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\"))";
    case ValueKind::kFile:
      return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))";
    case ValueKind::kNone:
    case ValueKind::kOther:
      break;
  }
  return "COMPREPLY=()";
}

std::string BashCommandCase(const CommandInfo& command) {
  std::vector<std::string> plain = command.parts;
  std::vector<std::string> options;
  std::string values;
  for (const OptionInfo& option : command.options) {
    if (option.positional) {
      plain.insert(plain.end(), option.choices.begin(), option.choices.end());
      continue;
    }
    options.insert(options.end(), option.names.begin(), option.names.end());
    if (!option.value.empty()) {
      values += fmt::format("        {}) {}; return ;;\n", Joined(option.names, "|"), Complete(option));
    }
  }
  std::string text = fmt::format("    \"{}\")\n", command.name);
  if (!values.empty()) text += "      case \"$prev\" in\n" + values + "      esac\n";
  return text + fmt::format("      options=\"{}\" plain=\"{}\" ;;\n", Joined(options, " "), Joined(plain, " "));
}

constexpr const char* kBashHead = R"(# bash completion for heddle, made by `heddle completion bash`.
_heddle() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options= plain= command i
  COMPREPLY=()
  # --name=value comes as three words.
  if [ "$cur" = "=" ]; then cur=; elif [ "$prev" = "=" ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [ "${COMP_WORDS[i]}" = "--" ]; then
      # The program, then its own words.
      compopt -o filenames
      if [ $((i + 1)) -eq "$COMP_CWORD" ]; then COMPREPLY=($(compgen -c -- "$cur") $(compgen -f -- "$cur")); else COMPREPLY=($(compgen -f -- "$cur")); fi
      return
    fi
  done
)";

}  // namespace

std::string BashCompletion(const std::vector<CommandInfo>& commands) {
  std::vector<std::string> verbs;
  std::vector<std::string> with_parts;
  std::string cases;
  for (const CommandInfo& command : commands) {
    if (command.name.find(' ') == std::string::npos) verbs.push_back(command.name);
    for (const std::string& part : command.parts) with_parts.push_back(fmt::format("\"{} {}\"", command.name, part));
    cases += BashCommandCase(command);
  }
  std::string text = kBashHead;
  text += fmt::format(
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$cur\"))\n"
      "    return\n  fi\n  command=${{COMP_WORDS[1]}}\n  if [ \"$COMP_CWORD\" -gt 2 ]; then\n"
      "    case \"$command ${{COMP_WORDS[2]}}\" in\n      {}) command=\"$command ${{COMP_WORDS[2]}}\" ;;\n    esac\n  "
      "fi\n",
      Joined(verbs, " "), Joined(with_parts, "|"));
  text += "  case \"$command\" in\n" + cases + "    *) return ;;\n  esac\n";
  text +=
      "  case \"$cur\" in\n    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
      "    *) compopt -o filenames; COMPREPLY=($(compgen -W \"$plain\" -- \"$cur\") $(compgen -f -- "
      "\"$cur\")) ;;\n"
      "  esac\n}\ncomplete -F _heddle heddle\n";
  return text;
}

}  // namespace heddle::cli
