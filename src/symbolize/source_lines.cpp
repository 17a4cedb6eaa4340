#include "symbolize/source_lines.h"

#include "base/file.h"

namespace heddle::symbolize {

std::string SourceLines::Line(const std::string& file, uint32_t line) {
  auto [entry, fresh] = files_.try_emplace(file);
  if (fresh) {
    Result<std::string> text = ReadFile(file);
    if (text) entry->second = std::make_unique<SourceFile>(file, text.Take());
  }
  if (entry->second == nullptr) return {};
  std::string_view found = entry->second->Line(line);
  size_t begin = found.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return std::string(found.substr(begin, found.find_last_not_of(" \t\r") + 1 - begin));
}

}  // namespace heddle::symbolize
