#include "analysis/coverage/select_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "analysis/coverage/affected.h"
#include "analysis/coverage/module_table.h"

namespace heddle::analysis {
namespace {

Status NoMap(const CoverageMap& map) {
  if (!map.empty()) return {};
  return MakeError(ErrorCode::kUsage, "there is no coverage map: run the suite once with --map");
}

// What the tests' programs are now.
CodeOf CodeNow(ModuleTables& tables) {
  return [&tables](const std::string& path) -> const symbolize::ModuleCode* {
    std::error_code failure;
    return std::filesystem::exists(path, failure) ? &tables.Of(path).code : nullptr;
  };
}

void Choose(const TestCase& test, const std::string& why, TestChoice& choice) {
  if (why.empty()) {
    ++choice.left_out;
  } else {
    choice.run.push_back(test);
    choice.reasons.push_back(why);
  }
}

}  // namespace

Result<TestChoice> TestsSince(const std::vector<TestCase>& tests, const CoverageMap& map, const std::string& revision,
                              const std::string& root) {
  if (Status there = NoMap(map); !there) return there.error();
  Result<std::vector<ChangedFile>> asked = ChangesSince(revision, root);
  if (!asked) return asked.error();
  std::map<std::string, Result<std::vector<ChangedFile>>> since_map;  // by revision
  ModuleTables tables;
  AffectedTests affected(map, CodeNow(tables));
  TestChoice choice;
  for (const TestCase& test : tests) {
    std::string why = affected.Why(test.name, *asked);
    auto known = map.find(test.name);
    if (why.empty() && known != map.end()) {
      const std::string& made_at = known->second.revision;
      auto changes = since_map.try_emplace(made_at, std::vector<ChangedFile>()).first;
      if (changes->second && changes->second->empty()) changes->second = ChangesSince(made_at, root);
      if (made_at.empty() || made_at.ends_with("-dirty") || !changes->second) {
        why = "its map was made from sources that are in no revision";
      } else {
        why = affected.Why(test.name, *changes->second);
      }
    }
    Choose(test, why, choice);
  }
  return choice;
}

Result<TestChoice> TestsOf(const std::vector<TestCase>& tests, const CoverageMap& map,
                           const std::vector<std::string>& files) {
  if (Status there = NoMap(map); !there) return there.error();
  ModuleTables tables;
  AffectedTests affected(map, CodeNow(tables));
  std::vector<std::string> paths;
  for (const std::string& file : files) {
    std::error_code failure;
    paths.push_back(std::filesystem::absolute(file, failure).lexically_normal().string());
    if (!affected.Knows(paths.back())) {
      return MakeError(ErrorCode::kUsage, fmt::format("--only {}: no test's program has code of it", file));
    }
  }
  TestChoice choice;
  for (const TestCase& test : tests) Choose(test, affected.WhyOnly(test.name, paths), choice);
  return choice;
}

}  // namespace heddle::analysis
