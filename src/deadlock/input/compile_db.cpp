#include "deadlock/input/compile_db.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "wire/declared_locks.h"

namespace heddle::deadlock {
namespace {

// As a shell splits it, without expansions: blanks, both quotes, backslashes.
std::vector<std::string> SplitWords(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      inside = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (inside) words.push_back(word);
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

bool IsCxx(const CompileCommand& command) {
  std::string compiler = command.arguments.empty() ? "" : command.arguments[0];
  std::string ending = command.file.substr(std::min(command.file.rfind('.'), command.file.size()));
  return compiler.find("++") != std::string::npos || ending == ".cpp" || ending == ".cc" || ending == ".cxx" ||
         ending == ".C";
}

Error Wrong(const std::string& path, const std::string& what) {
  return MakeError(ErrorCode::kBadInput, fmt::format("{}: {}", path, what));
}

}  // namespace

Result<std::vector<CompileCommand>> ReadCompileCommands(const std::string& build_dir) {
  std::string path = build_dir + "/compile_commands.json";
  Result<std::string> text = ReadFile(path);
  if (!text) return text.error();
  nlohmann::json list = nlohmann::json::parse(*text, nullptr, false);
  if (list.is_discarded() || !list.is_array()) return Wrong(path, "not a list of compile commands in JSON");
  std::vector<CompileCommand> commands;
  for (const nlohmann::json& entry : list) {
    bool usable = entry.is_object() && entry.contains("directory") && entry["directory"].is_string() &&
                  entry.contains("file") && entry["file"].is_string();
    if (!usable) return Wrong(path, fmt::format("entry {} has no `directory` and `file`", commands.size() + 1));
    CompileCommand command;
    command.directory = entry["directory"].get<std::string>();
    command.file = entry["file"].get<std::string>();
    if (entry.contains("arguments") && entry["arguments"].is_array()) {
      for (const nlohmann::json& word : entry["arguments"]) {
        if (word.is_string()) command.arguments.push_back(word.get<std::string>());
      }
    } else if (entry.contains("command") && entry["command"].is_string()) {
      command.arguments = SplitWords(entry["command"].get<std::string>());
    }
    if (command.arguments.empty()) return Wrong(path, fmt::format("entry {} has no `command`", commands.size() + 1));
    commands.push_back(std::move(command));
  }
  if (commands.empty()) return Wrong(path, "there is no command in it");
  return commands;
}

std::vector<std::string> BitcodeCommand(const CompileCommand& command, const std::string& output) {
  std::vector<std::string> words = {IsCxx(command) ? "clang++-19" : "clang-19"};
  for (const wire::DeclaredAttribute& one : wire::kDeclaredAttributes) {
    words.push_back(
        fmt::format("-D{}(...)=annotate(\"{}{}:\" #__VA_ARGS__)", one.attribute, wire::kDeclaredPrefix, one.word));
  }
  constexpr std::array<std::string_view, 4> kDropped = {"-MD", "-MMD", "-MP", "-c"};
  constexpr std::array<std::string_view, 4> kDroppedWithValue = {"-o", "-MF", "-MT", "-MQ"};
  for (size_t i = 1; i < command.arguments.size(); ++i) {
    const std::string& word = command.arguments[i];
    if (std::find(kDropped.begin(), kDropped.end(), word) != kDropped.end()) continue;
    if (std::find(kDroppedWithValue.begin(), kDroppedWithValue.end(), word) != kDroppedWithValue.end()) {
      ++i;
      continue;
    }
    bool instrumentation =
        word.rfind("-fsanitize", 0) == 0 || word.rfind("-flto", 0) == 0 || word.rfind("-fpass-plugin", 0) == 0;
    if (!instrumentation) words.push_back(word);
  }
  for (const char* more : {"-O1", "-g", "-fno-inline", "-Xclang", "-disable-llvm-passes", "-w", "-Qunused-arguments",
                           "-emit-llvm", "-c", "-o"}) {
    words.emplace_back(more);
  }
  words.push_back(output);
  return words;
}

}  // namespace heddle::deadlock
