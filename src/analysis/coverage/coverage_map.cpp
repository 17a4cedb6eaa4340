#include "analysis/coverage/coverage_map.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"

namespace heddle::analysis {
namespace {

using nlohmann::json;

constexpr std::string_view kSchema = "heddle/coverage/1";

void WriteSet(JsonWriter& writer, std::string_view key, const std::set<std::string>& words) {
  writer.Key(key).BeginArray();
  for (const std::string& word : words) writer.String(word);
  writer.EndArray();
}

bool ReadString(const json& item, const char* key, std::string& value) {
  auto found = item.find(key);
  if (found == item.end() || !found->is_string()) return false;
  value = found->get<std::string>();
  return true;
}

bool ReadSet(const json& item, const char* key, std::set<std::string>& words) {
  auto found = item.find(key);
  if (found == item.end() || !found->is_array()) return false;
  for (const json& word : *found) {
    if (!word.is_string()) return false;
    words.insert(word.get<std::string>());
  }
  return true;
}

}  // namespace

std::string CoverageMapPath(const std::string& root) { return root + "/coverage.json"; }

std::string CoverageMapJson(const CoverageMap& map) {
  JsonWriter writer;
  writer.BeginObject().Key("schema").String(kSchema).Key("tests").BeginArray();
  for (const auto& [name, test] : map) {
    writer.BeginObject().Key("name").String(name).Key("revision").String(test.revision);
    writer.Key("missing").String(test.missing).Key("clean").Bool(test.clean);
    WriteSet(writer, "modules", test.modules);
    WriteSet(writer, "files", test.files);
    writer.EndObject();
  }
  writer.EndArray().EndObject();
  return writer.Take();
}

Result<CoverageMap> ParseCoverageMap(const std::string& name, const std::string& text) {
  json root = json::parse(text, nullptr, false);
  std::string schema;
  if (!root.is_object() || !ReadString(root, "schema", schema) || schema != kSchema || !root.contains("tests") ||
      !root["tests"].is_array()) {
    return MakeError(ErrorCode::kBadInput, fmt::format("{}: no coverage map; `--map` makes a new one", name));
  }
  CoverageMap map;
  for (const json& item : root["tests"]) {
    std::string test_name;
    TestCoverage test;
    if (!item.is_object() || !ReadString(item, "name", test_name) || !ReadString(item, "revision", test.revision) ||
        !ReadString(item, "missing", test.missing) || !ReadSet(item, "modules", test.modules) ||
        !ReadSet(item, "files", test.files)) {
      return MakeError(ErrorCode::kBadInput, fmt::format("{}: a test is not as it should be", name));
    }
    test.clean = item.contains("clean") && item["clean"].is_boolean() && item["clean"].get<bool>();
    map[test_name] = std::move(test);
  }
  return map;
}

Result<CoverageMap> LoadCoverageMap(const std::string& root) {
  std::string path = CoverageMapPath(root);
  if (access(path.c_str(), F_OK) != 0) return CoverageMap{};
  Result<std::string> text = ReadFile(path);
  if (!text) return text.error();
  return ParseCoverageMap(path, *text);
}

}  // namespace heddle::analysis
