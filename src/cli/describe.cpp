// How a table is made: the verb is run with a sink set. It declares its options and calls Parse, which puts the table
// there and tells the verb to return. So a verb has no second list of its options that could become wrong.
#include "cli/describe.h"

#include <CLI/CLI.hpp>

namespace heddle::cli {
namespace {

CommandInfo* g_sink = nullptr;

// CLI11 shows choices in the type: "TEXT:{text,csv}".
std::vector<std::string> Choices(const std::string& type) {
  std::vector<std::string> choices;
  size_t begin = type.find('{');
  size_t end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos || type.find("->") != std::string::npos) return choices;
  for (size_t at = begin + 1; at < end;) {
    size_t next = std::min(type.find(',', at), end);
    choices.push_back(type.substr(at, next - at));
    at = next + 1;
  }
  return choices;
}

std::string ValueName(const CLI::Option& option) {
  if (option.get_expected_max() == 0) return {};
  std::string type = option.get_type_name();
  if (!Choices(type).empty()) return "WORD";
  return type.substr(0, type.find_first_of(": ["));
}

OptionInfo InfoOf(const CLI::Option& option) {
  OptionInfo info;
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  info.positional = info.names.empty();
  if (info.positional) info.names.push_back(option.get_name(true));
  info.value = ValueName(option);
  info.choices = Choices(option.get_type_name());
  info.text = option.get_description();
  info.standard = option.get_default_str();
  info.several = option.get_items_expected_max() > 1;
  return info;
}

CommandInfo Describe(std::string name, std::string_view summary, int (*run)(const Arguments&)) {
  CommandInfo info;
  g_sink = &info;
  run({});
  g_sink = nullptr;
  info.name = std::move(name);
  info.summary = summary;
  return info;
}

CommandInfo DescribeVerb(const Verb& verb) {
  CommandInfo info;
  if (verb.own_options) info = Describe(std::string(verb.name), verb.summary, verb.run);
  info.name = verb.name;
  info.summary = verb.summary;
  for (const Part& part : verb.parts) info.parts.emplace_back(part.name);
  return info;
}

}  // namespace

std::string OptionInfo::Key() const {
  for (const std::string& name : names) {
    if (name.starts_with("--")) return name.substr(2);
  }
  return positional ? names[0] : names[0].substr(1);
}

const OptionInfo* CommandInfo::Find(const std::string& key) const {
  for (const OptionInfo& option : options) {
    if (!option.positional && option.Key() == key) return &option;
  }
  return nullptr;
}

CommandInfo InfoOf(const CLI::App& app) {
  CommandInfo info;
  info.about = app.get_description();
  info.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) info.options.push_back(InfoOf(*option));
  }
  return info;
}

std::vector<CommandInfo> DescribeAll() {
  std::vector<CommandInfo> all;
  for (const Verb& verb : Verbs()) {
    all.push_back(DescribeVerb(verb));
    for (const Part& part : verb.parts) {
      all.push_back(Describe(std::string(verb.name) + " " + std::string(part.name), part.summary, part.run));
    }
  }
  return all;
}

CommandInfo* DescribeSink() { return g_sink; }

}  // namespace heddle::cli
