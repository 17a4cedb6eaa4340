#include "sched/control_lines.h"

#include <charconv>

namespace heddle::sched {
namespace {

using wire::FindingLine;

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  size_t at = 0;
  while (at < line.size()) {
    size_t end = std::min(line.find(' ', at), line.size());
    if (end > at) words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

uint64_t Number(std::string_view word, int base) {
  uint64_t value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value, base);
  return value;
}

// Two digits a byte; what cannot be printed becomes a dot.
std::string FromHex(std::string_view word) {
  std::string text;
  for (size_t at = 0; at + 2 <= word.size(); at += 2) {
    auto byte = static_cast<char>(Number(word.substr(at, 2), 16));
    text += byte >= ' ' && byte < 0x7F ? byte : '.';
  }
  return text;
}

}  // namespace

ControlLines ParseControlLines(std::string_view text) {
  ControlLines lines;
  bool in_stand = false;
  while (!text.empty()) {
    size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // cut off
    std::vector<std::string_view> words = Words(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (words.empty()) continue;
    auto line = wire::FromWord<FindingLine>(words[0]);
    if (line == FindingLine::kDiverged && words.size() >= 8) {
      lines.divergence = Divergence{Number(words[1], 10),  wire::FromWord<wire::DivergedBy>(words[2]),
                                    std::string(words[3]), std::string(words[4]),
                                    std::string(words[6]), Number(words[7], 16)};
    } else if (line == FindingLine::kOutput && words.size() >= 5 && !lines.output) {
      lines.output = OutputDifference{Number(words[1], 10), static_cast<uint32_t>(Number(words[2], 10)),
                                      Number(words[3], 16), FromHex(words[4])};
    } else if (line == FindingLine::kStopped && words.size() >= 2) {
      lines.stopped = Number(words[1], 10);
    } else if (line == FindingLine::kStands && words.size() >= 4) {
      lines.standing.push_back(
          {static_cast<uint32_t>(Number(words[1], 10)), std::string(words[2]), Number(words[3], 16) != 0, {}});
      in_stand = true;
    } else if (line == FindingLine::kStack && in_stand) {
      for (size_t i = 1; i < words.size(); ++i) lines.standing.back().stack.push_back(Number(words[i], 16));
      in_stand = false;
    }
  }
  return lines;
}

}  // namespace heddle::sched
