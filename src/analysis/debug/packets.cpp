#include "analysis/debug/packets.h"

#include <fmt/format.h>

namespace heddle::analysis {
namespace {

constexpr char kInterrupt = 3;
constexpr char kEscape = '}';
constexpr unsigned kEscapeBit = 0x20;

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

unsigned SumOf(std::string_view data) {
  unsigned sum = 0;
  for (char c : data) sum += static_cast<unsigned char>(c);
  return sum % 256;
}

char Flip(char c) { return static_cast<char>(static_cast<unsigned char>(c) ^ kEscapeBit); }

std::string Unescape(std::string_view data) {
  std::string out;
  for (size_t i = 0; i < data.size(); ++i) {
    bool escaped = data[i] == kEscape && i + 1 < data.size();
    out += escaped ? Flip(data[++i]) : data[i];
  }
  return out;
}

}  // namespace

std::string HexOf(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::optional<std::string> BytesOfHex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    int high = DigitOf(hex[i]);
    int low = DigitOf(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::optional<uint64_t> TakeHex(std::string_view& text) {
  uint64_t value = 0;
  size_t used = 0;
  while (used < text.size() && DigitOf(text[used]) >= 0)
    value = value * 16 + static_cast<uint64_t>(DigitOf(text[used++]));
  if (used == 0 || used > 16) return std::nullopt;
  text.remove_prefix(used);
  return value;
}

std::string FramePacket(std::string_view data) {
  std::string body;
  for (char c : data) {
    if (c == '$' || c == '#' || c == kEscape || c == '*') {
      body += kEscape;
      body += Flip(c);
    } else {
      body += c;
    }
  }
  return fmt::format("${}#{:02x}", body, SumOf(body));
}

void PacketReader::SkipNoise() {
  size_t at = 0;
  while (at < pending_.size() && pending_[at] != '$') interrupt_ = pending_[at++] == kInterrupt || interrupt_;
  pending_.erase(0, at);
}

std::optional<std::string> PacketReader::Next(bool& bad) {
  bad = false;
  SkipNoise();
  size_t end = pending_.find('#');
  if (end == std::string::npos || end + 2 >= pending_.size()) return std::nullopt;
  std::string_view body = std::string_view(pending_).substr(1, end - 1);
  int high = DigitOf(pending_[end + 1]);
  int low = DigitOf(pending_[end + 2]);
  bad = high < 0 || low < 0 || static_cast<unsigned>(high * 16 + low) != SumOf(body);
  std::optional<std::string> data;
  if (!bad) data = Unescape(body);
  pending_.erase(0, end + 3);
  return data;
}

bool PacketReader::TakeInterrupt() {
  if (!pending_.empty() && pending_[0] != '$') SkipNoise();
  bool asked = interrupt_;
  interrupt_ = false;
  return asked;
}

}  // namespace heddle::analysis
