#include "findings/width.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace heddle::findings {
namespace {

struct Range {
  uint32_t first;
  uint32_t last;
};

// Sorted. Blocks, not single characters: enough to line up columns in practice.
constexpr std::array<Range, 22> kZeroWidth = {
    {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},  {0x064B, 0x065F}, {0x06D6, 0x06DC},
     {0x0730, 0x074A}, {0x093C, 0x093C}, {0x0941, 0x0948}, {0x094D, 0x094D},  {0x0E31, 0x0E31}, {0x0E34, 0x0E3A},
     {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},  {0x202A, 0x202E}, {0x2060, 0x2064},
     {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF}}};
constexpr std::array<Range, 14> kWide = {{{0x1100, 0x115F},
                                          {0x231A, 0x231B},
                                          {0x2E80, 0x303E},
                                          {0x3041, 0x33FF},
                                          {0x3400, 0x4DBF},
                                          {0x4E00, 0x9FFF},
                                          {0xA000, 0xA4CF},
                                          {0xA960, 0xA97F},
                                          {0xAC00, 0xD7A3},
                                          {0xF900, 0xFAFF},
                                          {0xFE30, 0xFE6F},
                                          {0xFF00, 0xFF60},
                                          {0x1F300, 0x1FAFF},
                                          {0x20000, 0x3FFFD}}};

template <size_t N>
bool Contains(const std::array<Range, N>& ranges, uint32_t c) {
  auto after = std::upper_bound(ranges.begin(), ranges.end(), c, [](uint32_t v, Range r) { return v < r.first; });
  return after != ranges.begin() && c <= std::prev(after)->last;
}

struct Character {
  uint32_t code;  // kBad for a byte that begins no character
  size_t bytes;
};
constexpr uint32_t kBad = 0xFFFFFFFF;

Character Decode(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[i])); };
  uint32_t c = byte(0);
  if (c < 0x80) return {c, 1};
  size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
  if (c < 0xC2 || c > 0xF4 || text.size() < length) return {kBad, 1};
  uint32_t code = c & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {kBad, 1};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return overlong || surrogate || code > 0x10FFFF ? Character{kBad, 1} : Character{code, length};
}

size_t WidthOf(uint32_t code) {
  if (code == kBad) return 1;
  if (Contains(kZeroWidth, code)) return 0;
  return Contains(kWide, code) ? 2 : 1;
}

bool IsControl(uint32_t code) { return code < 0x20 || (code >= 0x7F && code <= 0x9F); }

// Right-to-left overrides and their kin can reorder what the reader sees.
bool IsDirectionMark(uint32_t code) { return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069); }

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    Character c = Decode(text);
    width += WidthOf(c.code);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string PadTo(std::string_view text, size_t width) {
  size_t have = DisplayWidth(text);
  return std::string(text) + std::string(have < width ? width - have : 0, ' ');
}

std::string CutTo(std::string_view text, size_t width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::string out;
  size_t used = 0;
  while (!text.empty()) {
    Character c = Decode(text);
    if (used + WidthOf(c.code) > width - 1) break;
    used += WidthOf(c.code);
    out += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return out + "…";
}

namespace {

// Columns of a text with colour sequences (ESC [ ... m) in it.
size_t WithoutColor(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = std::min(text.find('m', i), text.size());
    } else {
      plain += text[i];
    }
  }
  return DisplayWidth(plain);
}

}  // namespace

std::string WrapTo(std::string_view line, size_t width) {
  size_t indent = std::min(line.find_first_not_of(' '), line.size());
  std::string out(line.substr(0, indent));
  size_t used = indent;
  bool first = true;
  for (size_t at = indent; at < line.size();) {
    // The spaces before a word belong to it: they separate columns, and go when the line breaks.
    size_t word = std::min(line.find_first_not_of(' ', at), line.size());
    size_t end = std::min(line.find(' ', word), line.size());
    std::string_view text = line.substr(word, end - word);
    size_t columns = WithoutColor(text);
    if (!first && used + (word - at) + columns > width) {
      out += "\n" + std::string(indent + 4, ' ');
      used = indent + 4;
    } else {
      out.append(word - at, ' ');
      used += word - at;
    }
    out += text;
    used += columns;
    first = false;
    at = end;
  }
  return out;
}

std::string Printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    Character c = Decode(text);
    if (c.code == kBad || IsControl(c.code) || IsDirectionMark(c.code)) {
      out += '?';
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

}  // namespace heddle::findings
