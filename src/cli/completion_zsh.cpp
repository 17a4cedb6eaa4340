// One `_arguments` call for each command, with the text of every option.
#include <fmt/format.h>

#include "cli/completion.h"

namespace heddle::cli {
namespace {

// Within '...' and within the [...] of a specification.
std::string ZshQuoted(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\n') {
      out += ' ';
    } else if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      out += std::string("\\") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string Action(const OptionInfo& option) {
  switch (KindOfValue(option)) {
    case ValueKind::kChoices: {
      std::string words;
      for (const std::string& choice : option.choices) words += (words.empty() ? "" : " ") + choice;
      return "(" + words + ")";
    }
    case ValueKind::kFolder:
      return "_files -/";
    case ValueKind::kFile:
      return "_files";
    case ValueKind::kNone:
    case ValueKind::kOther:
      break;
  }
  return " ";
}

std::string Specification(const OptionInfo& option, const std::string& name) {
  bool is_long = name.starts_with("--");
  std::string text = fmt::format("{}{}{}[{}]", option.several ? "*" : "", name,
                                 option.value.empty() ? "" : (is_long ? "=" : "+"), ZshQuoted(option.text));
  return option.value.empty() ? text : text + fmt::format(":{}:{}", option.value, Action(option));
}

std::string ZshCommandCase(const CommandInfo& command) {
  std::string text = fmt::format("    '{}') _arguments", command.name);
  for (const OptionInfo& option : command.options) {
    if (option.positional) continue;
    for (const std::string& name : option.names) text += fmt::format(" \\\n      '{}'", Specification(option, name));
  }
  for (const OptionInfo& option : command.options) {
    if (!option.positional || option.choices.empty()) continue;
    text += fmt::format(" \\\n      ':{}:{}'", option.names[0], Action(option));
  }
  return text + " \\\n      '*:: :_heddle_rest' ;;\n";
}

std::string Described(const std::vector<std::pair<std::string, std::string>>& words) {
  std::string text;
  for (const auto& [word, summary] : words) text += fmt::format("\n      '{}:{}'", word, ZshQuoted(summary));
  return text;
}

}  // namespace

std::string ZshCompletion(const std::vector<CommandInfo>& commands) {
  std::vector<std::pair<std::string, std::string>> verbs;
  std::string parts;
  std::string cases;
  for (const CommandInfo& command : commands) {
    if (command.name.find(' ') == std::string::npos) verbs.emplace_back(command.name, command.summary);
    cases += ZshCommandCase(command);
    if (command.parts.empty()) continue;
    std::vector<std::pair<std::string, std::string>> below;
    for (const CommandInfo& part : commands) {
      if (part.name.starts_with(command.name + " ")) {
        below.emplace_back(part.name.substr(command.name.size() + 1), part.summary);
      }
    }
    parts += fmt::format("    {}) below=({}){} ;;\n", command.name, Described(below),
                         command.options.empty() ? " only=1" : "");
  }
  return fmt::format(R"(#compdef heddle
# zsh completion for heddle, made by `heddle completion zsh`.
_heddle_rest() {{
  if (( CURRENT == 1 )); then _alternative 'commands:program:_command_names -e' 'files:file:_files'; else _files; fi
}}
_heddle() {{
  local -a verbs below
  local command only
  verbs=({})
  if (( CURRENT == 2 )); then _describe 'verb' verbs; return; fi
  command=$words[2]
  case $command in
{}  esac
  if (( $#below )); then
    if (( CURRENT == 3 )); then
      _describe 'part' below
      if [[ -n $only ]]; then return; fi
    fi
    if (( CURRENT > 3 )) && [[ -n ${{(M)below:#$words[3]:*}} ]]; then
      command="$command $words[3]"
      shift words
      (( CURRENT-- ))
    fi
  fi
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
_heddle "$@"
)",
                     Described(verbs), parts, cases);
}

}  // namespace heddle::cli
