// gdb's remote serial protocol, the outer layer: $DATA#SUM with escapes and acknowledgements. No sockets here, so that
// it is tested on strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::analysis {

std::string HexOf(std::string_view bytes);
// Nothing when the text is not pairs of hexadecimal digits.
std::optional<std::string> BytesOfHex(std::string_view hex);
// A number at the front of `text`, which is taken off; nothing when there is none.
std::optional<uint64_t> TakeHex(std::string_view& text);

// `data` as a packet. Binary data is escaped.
std::string FramePacket(std::string_view data);

// Takes what comes from gdb and gives packets.
class PacketReader {
 public:
  void Feed(std::string_view bytes) { pending_ += bytes; }

  // The next packet's data, or nothing until more comes. `bad`: one with a wrong sum came and was dropped.
  std::optional<std::string> Next(bool& bad);

  // Whether gdb asked to interrupt the program (a byte 3 outside packets); asking forgets it.
  bool TakeInterrupt();

 private:
  void SkipNoise();

  std::string pending_;
  bool interrupt_ = false;
};

}  // namespace heddle::analysis
