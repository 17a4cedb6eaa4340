#include "cli/share_dir.h"

#include <filesystem>

namespace heddle::cli {

std::vector<std::string> CspIncludePaths() {
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  return {(self.parent_path().parent_path() / "share/heddle/csp").string()};
}

}  // namespace heddle::cli
