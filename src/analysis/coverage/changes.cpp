#include "analysis/coverage/changes.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "analysis/target/command_output.h"

namespace heddle::analysis {
namespace {

namespace fs = std::filesystem;

std::string Absolute(const std::string& folder, std::string_view path) {
  return (fs::path(folder) / std::string(path)).lexically_normal().string();
}

std::string_view NextLine(std::string_view& text) {
  size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// A changed line of code that other code than its function's may see.
bool MeansMore(std::string_view line) {
  size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return false;
  if (line[first] == '#') return true;
  return line.find("constexpr") != std::string_view::npos || line.find("consteval") != std::string_view::npos;
}

// "@@ -3,2 +4,5 @@": the part behind the plus.
ChangedLines ParseHunk(std::string_view line) {
  ChangedLines lines;
  size_t plus = line.find('+');
  if (plus == std::string_view::npos) return lines;
  unsigned first = 0;
  unsigned count = 1;
  std::sscanf(std::string(line.substr(plus + 1)).c_str(), "%u,%u", &first, &count);
  lines.first = first;
  lines.count = count;
  return lines;
}

// The name behind "--- a/" or "+++ b/"; empty for /dev/null. A name with special characters is quoted; such a file
// matches no debug info, so it counts as one that every test may use.
std::string_view NameOf(std::string_view line) {
  line.remove_prefix(4);
  size_t tab = line.find('\t');
  line = line.substr(0, tab);
  return line == "/dev/null" ? std::string_view() : line;
}

}  // namespace

std::vector<ChangedFile> ParseDiff(std::string_view text, const std::string& folder) {
  std::vector<ChangedFile> files;
  std::string_view old_name;
  bool in_hunks = false;
  while (!text.empty()) {
    std::string_view line = NextLine(text);
    if (line.starts_with("diff --git ")) {
      in_hunks = false;
      files.emplace_back();
      old_name = {};
    } else if (files.empty()) {
      continue;
    } else if (!in_hunks && line.starts_with("--- ")) {
      old_name = NameOf(line);
    } else if (!in_hunks && line.starts_with("+++ ")) {
      std::string_view name = NameOf(line);
      files.back().path = Absolute(folder, name.empty() ? old_name : name);
      if (name.empty() || old_name.empty()) files.back().outside = true;  // a file came or went
    } else if (line.starts_with("@@ ")) {
      in_hunks = true;
      files.back().lines.push_back(ParseHunk(line));
    } else if (in_hunks && (line.starts_with("+") || line.starts_with("-"))) {
      files.back().outside = files.back().outside || MeansMore(line.substr(1));
    } else if (!in_hunks &&
               (line.starts_with("rename ") || line.starts_with("Binary ") || line.starts_with("old mode") ||
                line.starts_with("new file") || line.starts_with("deleted file"))) {
      files.back().outside = true;
    }
  }
  // Without ---/+++ (a binary file, an empty one, a change of mode) there is no path, and every test may use it.
  for (ChangedFile& file : files) {
    if (file.path.empty()) file.path = folder + "/?";
  }
  return files;
}

Result<std::vector<ChangedFile>> ChangesSince(const std::string& revision, const std::string& ignored) {
  Result<std::string> top = CommandOutput({"git", "rev-parse", "--show-toplevel"});
  if (!top) return MakeError(ErrorCode::kUsage, "--since needs a git repository: " + top.error().message);
  std::string folder = top->substr(0, top->find('\n'));
  Result<std::string> diff = CommandOutput({"git", "-C", folder, "diff", "-U0", "--no-color", "--no-ext-diff",
                                            "--no-prefix", "--no-renames", "--ignore-submodules=none", revision, "--"});
  if (!diff) return MakeError(ErrorCode::kUsage, fmt::format("{}: git does not know this revision", revision));
  std::vector<ChangedFile> files = ParseDiff(*diff, folder);
  Result<std::string> others = CommandOutput({"git", "-C", folder, "ls-files", "--others", "--exclude-standard"});
  if (!others) return others.error();
  std::string_view rest = *others;
  std::error_code failure;
  std::string results = fs::absolute(ignored, failure).lexically_normal().string() + "/";
  while (!rest.empty()) {
    ChangedFile file;
    file.path = Absolute(folder, NextLine(rest));
    file.outside = true;
    if (!file.path.starts_with(results)) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace heddle::analysis
