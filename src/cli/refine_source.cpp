#include "cli/refine_source.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <sstream>

#include "base/file.h"

namespace heddle::cli {
namespace {

// The text with comments, strings and characters blanked; newlines stay.
std::string CodeOnly(const std::string& text) {
  std::string out = text;
  for (size_t i = 0; i < out.size(); ++i) {
    char c = out[i];
    size_t end = i;
    if (c == '/' && i + 1 < out.size() && out[i + 1] == '/') {
      end = out.find('\n', i);
    } else if (c == '/' && i + 1 < out.size() && out[i + 1] == '*') {
      end = out.find("*/", i + 2);
      if (end != std::string::npos) end += 2;
    } else if (c == '"' || c == '\'') {
      end = i + 1;
      while (end < out.size() && out[end] != c && out[end] != '\n') end += out[end] == '\\' ? 2 : 1;
      ++end;
    }
    end = std::min(end, out.size());
    for (; i < end; ++i) out[i] = out[i] == '\n' ? '\n' : ' ';
  }
  return out;
}

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Where a line of preprocessed text comes from.
struct SourceLine {
  std::string file;
  int number = 0;
  bool system = false;
};

// # 12 "file.c" 1 3: the next line is line 12 of file.c; 3 marks a system header.
SourceLine ReadMarker(const std::string& line) {
  SourceLine next;
  next.number = std::atoi(line.c_str() + 2) - 1;
  size_t begin = line.find('"');
  size_t end = line.rfind('"');
  if (begin == std::string::npos || end == begin) return next;
  next.file = line.substr(begin + 1, end - begin - 1);
  next.system = line.find(" 3", end) != std::string::npos;
  return next;
}

// What in a line of code the check does not cover; empty: nothing.
std::string NotCovered(const std::string& code) {
  for (size_t i = 0; i < code.size();) {
    size_t end = i;
    while (end < code.size() && IsWord(code[end])) ++end;
    std::string_view word(code.data() + i, end - i);
    if (word == "asm" || word == "__asm__" || word == "__asm") {
      return "inline assembly; the check does not know what it may do";
    }
    if (word.starts_with("__atomic_") || word.starts_with("__sync_") || word.starts_with("__c11_atomic_")) {
      return fmt::format("the atomic operation `{}`; the check covers locks only", word);
    }
    i = std::max(end, i + 1);
  }
  return "";
}

}  // namespace

Status RefineRefuse(const std::string& file, const refine::BuildSpec& spec, const std::string& folder) {
  Result<std::string> text = refine::PreprocessedText(spec, file, folder + "/text");
  if (!text) return text.error();
  std::istringstream in(*text);
  SourceLine at{file, 1, false};
  for (std::string line; std::getline(in, line); ++at.number) {
    if (line.starts_with("# ")) {
      at = ReadMarker(line);
      continue;
    }
    if (at.system) continue;
    if (std::string what = NotCovered(CodeOnly(line)); !what.empty()) {
      return MakeError(ErrorCode::kLimit, fmt::format("not decided: {}:{}: {}", at.file, at.number, what));
    }
  }
  return {};
}

Result<std::vector<refine::ThreadCase>> RefineThreadsOf(const std::string& file, const std::vector<std::string>& wanted,
                                                        const refine::BuildSpec& spec, const std::string& folder) {
  Result<refine::Image> image =
      refine::BuildImage(spec, refine::BuildKind::kReference, file, folder + "/look", nullptr);
  if (!image) return image.error();
  std::vector<refine::ThreadCase> cases;
  std::string names;
  for (const auto& [name, address] : image->functions) {
    if (wanted.empty() && name.starts_with("thread")) cases.push_back({name, "", 0});
    if (names.size() < 300) names += (names.empty() ? "" : ", ") + name;
  }
  for (const std::string& name : wanted) {
    if (!image->functions.contains(name)) {
      return MakeError(ErrorCode::kUsage, fmt::format("{}: no function `{}`; there are: {}", file, name, names));
    }
    cases.push_back({name, "", 0});
  }
  if (!cases.empty()) return cases;
  return MakeError(ErrorCode::kUsage,
                   fmt::format("{}: no function's name begins with `thread`; name one with --thread; there are: {}",
                               file, names.empty() ? "none" : names));
}

}  // namespace heddle::cli
