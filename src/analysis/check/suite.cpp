#include "analysis/check/suite.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "analysis/target/command_output.h"
#include "base/source.h"

namespace heddle::analysis {
namespace {

using nlohmann::json;

std::string Text(const json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }

void TakeProperty(const json& property, TestCase& test, bool& disabled) {
  std::string name = Text(property.value("name", json()));
  const json value = property.value("value", json());
  if (name == "WORKING_DIRECTORY") test.directory = Text(value);
  if (name == "WILL_FAIL") test.will_fail = value.is_boolean() && value.get<bool>();
  if (name == "SKIP_RETURN_CODE" && value.is_number_integer()) test.skip_code = value.get<int>();
  if (name == "PASS_REGULAR_EXPRESSION" || name == "FAIL_REGULAR_EXPRESSION") test.judged_by = name;
  if (name == "DISABLED") disabled = value.is_boolean() && value.get<bool>();
  if (name != "ENVIRONMENT" || !value.is_array()) return;
  for (const json& variable : value) test.environment.push_back(Text(variable));
}

std::optional<TestCase> CtestCase(const json& item) {
  TestCase test;
  test.name = Text(item.value("name", json()));
  for (const json& word : item.value("command", json::array())) test.command.push_back(Text(word));
  bool disabled = false;
  for (const json& property : item.value("properties", json::array())) {
    if (property.is_object()) TakeProperty(property, test, disabled);
  }
  if (test.name.empty() || disabled) return std::nullopt;
  return test;
}

// "  Name  # TypeParam = int" without what is behind the name.
std::string_view ListedName(std::string_view line) {
  line = line.substr(0, line.find("  #"));
  size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \r") - first + 1);
}

// The words of a line; nothing when a quote is not closed.
std::optional<std::vector<std::string>> Words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (c == '\\' && quote != '\'') {
      if (++i == line.size()) return std::nullopt;
      word += line[i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) return std::nullopt;
  if (in_word) words.push_back(std::move(word));
  return words;
}

// Two tests of one name would be one line in every list.
void NameApart(std::vector<TestCase>& tests) {
  std::set<std::string> used;
  for (TestCase& test : tests) {
    std::string name = test.name;
    for (int n = 2; !used.insert(test.name).second; ++n) test.name = fmt::format("{} ({})", name, n);
  }
}

// What a command lists.
Result<std::string> OutputOf(const std::vector<std::string>& command) {
  Result<std::string> text = CommandOutput(command);
  if (text || text.error().code != ErrorCode::kUsage) return text;
  return MakeError(ErrorCode::kUsage, fmt::format("{} cannot list its tests: {}", command[0], text.error().message));
}

}  // namespace

Result<std::vector<TestCase>> ParseCtest(const std::string& text) {
  // Some generators print a line before it.
  size_t begin = text.find('{');
  json root = begin == std::string::npos ? json() : json::parse(text.substr(begin), nullptr, false);
  if (!root.is_object() || !root.contains("tests") || !root["tests"].is_array()) {
    return MakeError(ErrorCode::kBadInput, "ctest printed no list of tests (it must be of CMake 3.14 or later)");
  }
  std::vector<TestCase> tests;
  for (const json& item : root["tests"]) {
    if (!item.is_object()) continue;
    if (std::optional<TestCase> test = CtestCase(item)) tests.push_back(std::move(*test));
  }
  NameApart(tests);
  return tests;
}

Result<std::vector<TestCase>> ParseGtestList(const std::string& binary, std::string_view list) {
  std::vector<TestCase> tests;
  std::string suite;
  while (!list.empty()) {
    size_t end = std::min(list.find('\n'), list.size());
    std::string_view line = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    std::string_view name = ListedName(line);
    if (name.empty()) continue;
    if (line[0] != ' ') {
      suite = name.ends_with('.') ? std::string(name) : std::string();  // else a line that main() printed
      continue;
    }
    if (suite.empty()) continue;
    TestCase test;
    test.name = suite + std::string(name);
    test.command = {binary, "--gtest_filter=" + test.name};
    tests.push_back(std::move(test));
  }
  return tests;
}

Result<std::vector<TestCase>> ParseTestFile(const std::string& name, std::string_view text) {
  std::vector<TestCase> tests;
  for (size_t number = 1; !text.empty(); ++number) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    std::optional<std::vector<std::string>> words = Words(line);
    if (!words) {
      return MakeError(ErrorCode::kBadInput,
                       fmt::format("{}:{}: a quote or \\ at the end is not closed", name, number));
    }
    TestCase test;
    test.name = std::string(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
    test.command = std::move(*words);
    tests.push_back(std::move(test));
  }
  NameApart(tests);
  return tests;
}

Result<std::vector<TestCase>> CtestCases(const std::string& build, const std::string& filter) {
  std::error_code failure;
  if (!std::filesystem::exists(build + "/CTestTestfile.cmake", failure)) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: no CTestTestfile.cmake: is it a build folder of CMake?", build));
  }
  std::vector<std::string> command = {"ctest", "--test-dir", build, "--show-only=json-v1"};
  if (!filter.empty()) command.insert(command.end(), {"-R", filter});
  Result<std::string> text = OutputOf(command);
  if (!text) return text.error();
  Result<std::vector<TestCase>> tests = ParseCtest(*text);
  if (!tests) return tests.error();
  for (TestCase& test : *tests) {  // ctest takes them from the build folder
    if (!test.directory.empty() && test.directory[0] != '/') test.directory = build + "/" + test.directory;
  }
  return tests;
}

Result<std::vector<TestCase>> GtestCases(const std::string& binary, const std::string& filter) {
  std::error_code failure;
  std::string path = std::filesystem::absolute(binary, failure).string();
  std::vector<std::string> command = {path, "--gtest_list_tests"};
  if (!filter.empty()) command.push_back("--gtest_filter=" + filter);
  Result<std::string> text = OutputOf(command);
  if (!text) return text.error();
  return ParseGtestList(path, *text);
}

}  // namespace heddle::analysis
