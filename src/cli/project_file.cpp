#include "cli/project_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/near.h"
#include "base/source.h"
#include "cli/describe.h"
#include "wire/environment.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

// A key that is right for the command that runs, with its values as words.
struct Setting {
  const OptionInfo* option = nullptr;
  std::vector<std::string> values;  // of a flag: "true" or "false"
  toml::source_region where;
};

// Reads the tables against the declarations of all commands, and collects what is wrong.
class Reader {
 public:
  Reader(SourceMap& sources, uint32_t file, const std::string& command)
      : sources_(sources), file_(file), command_(command), commands_(DescribeAll()) {}

  void Read(const toml::table& root) {
    for (const auto& [key, node] : root) {
      if (!node.is_table()) ReadCommon(key, node, std::string(key.str()));
    }
    // A verb's own table comes later and wins.
    for (const auto& [key, node] : root) {
      if (const toml::table* table = node.as_table()) ReadTable(key, *table, std::string(key.str()));
    }
  }

  void Wrong(const toml::source_region& where, const std::string& message, const std::string& help = "") {
    Diagnostic diagnostic;
    diagnostic.span = {file_, Offset(where.begin), std::max(Offset(where.end), Offset(where.begin) + 1)};
    diagnostic.message = message;
    diagnostic.help = help;
    errors_ += Render(sources_, diagnostic);
  }

  const std::string& errors() const { return errors_; }
  const std::vector<Setting>& settings() const { return settings_; }

 private:
  uint32_t Offset(const toml::source_position& position) const {
    std::string_view text = sources_.file(file_).text();
    size_t at = 0;
    for (uint32_t line = 1; line < position.line && at < text.size(); ++line) at = text.find('\n', at) + 1;
    return static_cast<uint32_t>(std::min(at + (position.column > 0 ? position.column - 1 : 0), text.size()));
  }

  const CommandInfo* Command(const std::string& name) const {
    for (const CommandInfo& command : commands_) {
      if (command.name == name) return &command;
    }
    return nullptr;
  }

  // A key outside of all tables: of each command that has the option.
  void ReadCommon(const toml::key& key, const toml::node& node, const std::string& name) {
    const OptionInfo* any = nullptr;
    std::vector<std::string> known;
    for (const CommandInfo& command : commands_) {
      for (const OptionInfo& option : command.options) known.push_back(option.Key());
      const OptionInfo* option = command.Find(name);
      if (option != nullptr && (any == nullptr || command.name == command_)) any = option;
    }
    if (any == nullptr) return Wrong(key.source(), fmt::format("no verb has an option `{}`", name), Hint(name, known));
    const CommandInfo* mine = Command(command_);
    Take(key, node, *any, mine != nullptr && mine->Find(name) == any);
  }

  void ReadTable(const toml::key& key, const toml::table& table, const std::string& name) {
    const CommandInfo* command = Command(name);
    if (command == nullptr) {
      std::vector<std::string> known;
      for (const CommandInfo& each : commands_) known.push_back(each.name);
      return Wrong(key.source(), fmt::format("there is no verb `{}`", name), Hint(name, known));
    }
    for (const auto& [inner, node] : table) {
      std::string word(inner.str());
      const toml::table* part = node.as_table();
      if (part != nullptr && std::find(command->parts.begin(), command->parts.end(), word) != command->parts.end()) {
        ReadTable(inner, *part, name + " " + word);
      } else if (const OptionInfo* option = command->Find(word)) {
        Take(inner, node, *option, name == command_);
      } else {
        std::vector<std::string> known;
        for (const OptionInfo& each : command->options) known.push_back(each.Key());
        Wrong(inner.source(), fmt::format("`heddle {}` has no option `{}`", name, word), Hint(word, known));
      }
    }
  }

  void Take(const toml::key& key, const toml::node& node, const OptionInfo& option, bool mine) {
    std::string name = option.Key();
    if (name == "help") return Wrong(key.source(), "`help` is for the command line");
    Setting setting;
    setting.option = &option;
    setting.where = node.source();
    if (option.value.empty()) {
      if (!node.is_boolean()) return Wrong(node.source(), fmt::format("`{}` is true or false", name));
      setting.values.emplace_back(*node.value<bool>() ? "true" : "false");
    } else if (const toml::array* list = node.as_array()) {
      if (!option.several) return Wrong(node.source(), fmt::format("`{}` has one value", name));
      for (const toml::node& item : *list) {
        if (!AddValue(item, option, setting)) return;
      }
    } else if (!AddValue(node, option, setting)) {
      return;
    }
    if (!mine) return;
    std::erase_if(settings_, [&](const Setting& known) { return known.option == setting.option; });
    settings_.push_back(std::move(setting));
  }

  bool AddValue(const toml::node& node, const OptionInfo& option, Setting& setting) {
    std::string value;
    if (node.is_string()) {
      value = *node.value<std::string>();
    } else if (node.is_integer()) {
      value = std::to_string(*node.value<int64_t>());
    } else if (node.is_floating_point()) {
      value = fmt::format("{}", *node.value<double>());
    } else {
      Wrong(node.source(), fmt::format("expected a text or a number for `{}`", option.Key()));
      return false;
    }
    bool path = option.value == "FILE" || option.value == "DIR" || option.value == "PROGRAM";
    bool relative = !value.empty() && value[0] != '/' && value != "-";
    fs::path folder = fs::path(sources_.file(file_).name()).parent_path();
    if (path && relative && !folder.empty()) value = (folder / value).string();
    setting.values.push_back(value);
    return true;
  }

  static std::string Hint(const std::string& word, const std::vector<std::string>& known) {
    std::vector<std::string_view> views(known.begin(), known.end());
    return DidYouMean(word, views);
  }

  SourceMap& sources_;
  uint32_t file_;
  std::string command_;
  std::vector<CommandInfo> commands_;
  std::vector<Setting> settings_;
  std::string errors_;
};

// Whether the command line gives this option itself.
bool Given(const OptionInfo& option, const Arguments& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return false;
    for (const std::string& name : option.names) {
      bool is_long = name.starts_with("--");
      if (argument == name || (is_long && argument.starts_with(name + "="))) return true;
      if (!is_long && argument.starts_with(name) && !argument.starts_with("--")) return true;
    }
  }
  return false;
}

// Lets the parser judge one setting alone, so that what it says is about one line.
std::string Judge(CLI::App& app, const Setting& setting) {
  CLI::Option* option = app.get_option_no_throw(setting.option->names.back());
  if (option == nullptr) return "it cannot be set here";
  try {
    for (const std::string& value : setting.values) option->add_result(value);
    option->run_callback();
    option->clear();
  } catch (const CLI::Error& error) {
    return error.what();
  }
  return {};
}

void Append(const Setting& setting, Arguments& arguments) {
  const std::string& name = setting.option->names.back();
  for (const std::string& value : setting.values) {
    if (setting.option->value.empty()) {
      if (value == "true") arguments.push_back(name);
    } else if (name.starts_with("--")) {
      arguments.push_back(name + "=" + value);
    } else {
      arguments.push_back(name);
      arguments.push_back(value);
    }
  }
}

}  // namespace

std::string FindProjectFile() {
  if (const char* chosen = std::getenv(wire::variable::kConfig)) return chosen;
  std::error_code failure;
  fs::path start = fs::current_path(failure);
  if (failure) return {};
  if (fs::exists(start / kProjectFile, failure)) return kProjectFile;
  // Only a repository says which folders above belong to the project.
  fs::path found;
  for (fs::path folder = start;; folder = folder.parent_path()) {
    if (found.empty() && fs::exists(folder / kProjectFile, failure)) found = folder / kProjectFile;
    if (fs::exists(folder / ".git", failure)) return found.string();
    if (folder == folder.parent_path()) return {};
  }
}

Result<Arguments> ProjectArguments(const std::string& path, CLI::App& app, const Arguments& arguments) {
  SourceMap sources;
  Result<uint32_t> file = sources.AddFromDisk(path);
  if (!file) return file.error();
  std::string command = app.get_name().substr(std::string_view("heddle ").size());
  Reader reader(sources, *file, command);
  try {
    reader.Read(toml::parse(sources.file(*file).text(), path));
  } catch (const toml::parse_error& error) {
    reader.Wrong(error.source(), std::string(error.description()));
  }
  Arguments result;
  for (const Setting& setting : reader.settings()) {
    if (Given(*setting.option, arguments)) continue;
    if (std::string wrong = Judge(app, setting); !wrong.empty()) reader.Wrong(setting.where, wrong);
    Append(setting, result);
  }
  if (!reader.errors().empty()) return MakeError(ErrorCode::kBadInput, reader.errors());
  return result;
}

}  // namespace heddle::cli
