#include "analysis/target/results_dir.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "wire/environment.h"

namespace heddle::analysis {
namespace {

constexpr int kMaxRuns = 1000000;

bool IsFolder(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

std::string ResultsRoot(const std::string& option) {
  if (!option.empty()) return option;
  const char* chosen = std::getenv(wire::variable::kDir);
  return chosen != nullptr && *chosen != '\0' ? chosen : ".heddle";
}

Result<std::string> NewResults(const std::string& root, const std::string& name) {
  std::error_code failure;
  std::filesystem::create_directories(root, failure);
  if (failure) return ErrnoError(root, failure.value());
  for (int n = 1; n < kMaxRuns; ++n) {
    std::string folder = fmt::format("{}/{}-{}", root, name, n);
    if (mkdir(folder.c_str(), 0777) == 0) return folder;
    if (errno != EEXIST) return ErrnoError(folder, errno);
  }
  return MakeError(ErrorCode::kLimit, fmt::format("{}: too many results; `heddle clean` removes old ones", root));
}

Status PublishResults(const std::string& root, const std::string& folder) {
  std::string target = folder.substr(folder.rfind('/') + 1);
  std::string temporary = fmt::format("{}/.latest.{}", root, getpid());
  unlink(temporary.c_str());
  if (symlink(target.c_str(), temporary.c_str()) != 0) return ErrnoError(temporary, errno);
  std::string latest = root + "/latest";
  if (rename(temporary.c_str(), latest.c_str()) == 0) return {};
  Error error = ErrnoError(latest, errno);
  unlink(temporary.c_str());
  return error;
}

Result<std::string> LatestReport(const std::string& root) {
  std::string path = root + "/latest/report.json";
  if (access(path.c_str(), R_OK) == 0) return path;
  return MakeError(ErrorCode::kNotFound,
                   fmt::format("no results in `{}`: run `heddle check` first, or name a report file", root));
}

Result<std::string> FindReport(const std::string& root, const std::string& given) {
  if (given.empty()) return LatestReport(root);
  return IsFolder(given) ? given + "/report.json" : given;
}

}  // namespace heddle::analysis
