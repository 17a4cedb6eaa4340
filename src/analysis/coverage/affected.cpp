#include "analysis/coverage/affected.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace heddle::analysis {
namespace {

// Nothing is compiled from these, and a program that reads one does not run other code for it.
bool IsForPeople(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension();
  return ending == ".md" || ending == ".rst" || ending == ".adoc" ||
         std::filesystem::path(path).filename() == ".gitignore";
}

std::string Name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// What no change has to touch: leaving it out would hide a finding, or trust a map that has holes.
std::string Always(const TestCoverage& test) {
  if (!test.missing.empty()) return "its map is not all: " + test.missing;
  return test.clean ? "" : "it was not clean last time";
}

}  // namespace

AffectedTests::AffectedTests(const CoverageMap& map, CodeOf code) : map_(map), code_(std::move(code)) {
  std::set<std::string> modules;
  for (const auto& [name, test] : map) modules.insert(test.modules.begin(), test.modules.end());
  for (const std::string& path : modules) {
    const symbolize::ModuleCode* module = code_(path);
    if (module == nullptr) continue;
    units_.insert(module->units.begin(), module->units.end());
    known_.insert(module->files.begin(), module->files.end());
    for (const symbolize::FunctionCode& function : module->functions) {
      bodies_[function.file].push_back({function.first, function.last});
    }
  }
}

bool AffectedTests::Inside(const ChangedFile& file) const {
  auto bodies = bodies_.find(file.path);
  if (file.outside || file.lines.empty() || bodies == bodies_.end()) return false;
  return std::all_of(file.lines.begin(), file.lines.end(), [&](const ChangedLines& lines) {
    return std::any_of(bodies->second.begin(), bodies->second.end(), [&](const Body& body) {
      if (lines.count == 0) return body.first <= lines.first && lines.first < body.last;
      return body.first <= lines.first && lines.first + lines.count - 1 <= body.last;
    });
  });
}

AffectedTests::Reach AffectedTests::ReachOf(const ChangedFile& file) const {
  if (known_.count(file.path) == 0) return Reach::kAll;
  if (Inside(file)) return Reach::kExecuted;
  return units_.count(file.path) > 0 ? Reach::kLinked : Reach::kAll;
}

bool AffectedTests::Links(const TestCoverage& test, const std::string& file) const {
  return std::any_of(test.modules.begin(), test.modules.end(), [&](const std::string& path) {
    const symbolize::ModuleCode* module = code_(path);
    return module == nullptr || module->files.count(file) > 0;
  });
}

std::string AffectedTests::Why(const std::string& name, const std::vector<ChangedFile>& changes) const {
  auto found = map_.find(name);
  if (found == map_.end()) return "it is not in the map";
  const TestCoverage& test = found->second;
  if (std::string why = Always(test); !why.empty()) return why;
  for (const ChangedFile& file : changes) {
    if (IsForPeople(file.path)) continue;
    switch (ReachOf(file)) {
      case Reach::kAll:
        return fmt::format("{} changed, which any test may use", Name(file.path));
      case Reach::kLinked:
        if (Links(test, file.path)) return fmt::format("{} changed outside of functions", Name(file.path));
        break;
      case Reach::kExecuted:
        if (test.files.count(file.path) > 0) return fmt::format("it executes {}", Name(file.path));
        break;
    }
  }
  return {};
}

std::string AffectedTests::WhyOnly(const std::string& name, const std::vector<std::string>& files) const {
  auto found = map_.find(name);
  if (found == map_.end()) return "it is not in the map";
  if (std::string why = Always(found->second); !why.empty()) return why;
  for (const std::string& file : files) {
    if (found->second.files.count(file) > 0) return fmt::format("it executes {}", Name(file));
  }
  return {};
}

}  // namespace heddle::analysis
