#include "analysis/target/share_dir.h"

#include <filesystem>

namespace heddle::analysis {

namespace {

std::vector<std::string> Shared(const char* folder) {
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  return {(self.parent_path().parent_path() / "share/heddle" / folder).string()};
}

}  // namespace

std::vector<std::string> CspIncludePaths() { return Shared("csp"); }

std::vector<std::string> LitmusModelPaths() { return Shared("litmus"); }

}  // namespace heddle::analysis
