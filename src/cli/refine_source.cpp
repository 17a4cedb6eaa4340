#include "cli/refine_source.h"

#include <fmt/format.h>

#include <cctype>

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

}  // namespace

Status RefineRefuseAssembly(const std::string& file) {
  Result<std::string> text = ReadFile(file);
  if (!text) return text.error();
  std::string code = CodeOnly(*text);
  int line = 1;
  for (size_t i = 0; i < code.size();) {
    line += code[i] == '\n' ? 1 : 0;
    size_t end = i;
    while (end < code.size() && IsWord(code[end])) ++end;
    std::string_view word(code.data() + i, end - i);
    if (word == "asm" || word == "__asm__" || word == "__asm") {
      return MakeError(ErrorCode::kLimit, fmt::format("not decided: {}:{}: inline assembly; the check does not know "
                                                      "what it may do",
                                                      file, line));
    }
    i = std::max(end, i + 1);
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
