#include "analysis/target/run_files.h"

#include <algorithm>
#include <filesystem>

namespace heddle::analysis {

std::vector<std::string> FindingsFiles(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    std::string name = "/" + entry.path().filename().string();
    if (name.starts_with(kFindingsName)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void RemoveRunFiles(const std::string& folder) {
  std::error_code failure;
  for (const char* name : {kFindingsName, kStepsName, kEnforceName, kPlanName, kReplayTraceName}) {
    std::filesystem::remove(folder + name, failure);
  }
}

}  // namespace heddle::analysis
