#include "analysis/debug/packets.h"

#include <gtest/gtest.h>

#include <random>

#include "analysis/debug/registers.h"

namespace heddle::analysis {
namespace {

TEST(Packets, AreReadBackHoweverTheyAreCut) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<std::string> sent(1 + random() % 4);
    std::string wire;
    for (std::string& data : sent) {
      for (unsigned i = random() % 20; i > 0; --i) data += static_cast<char>(random() % 256);
      if (random() % 3 == 0) wire += '+';
      wire += FramePacket(data);
    }
    PacketReader reader;
    std::vector<std::string> got;
    bool bad = false;
    while (!wire.empty()) {
      size_t part = std::min<size_t>(1 + random() % 7, wire.size());
      reader.Feed(wire.substr(0, part));
      wire.erase(0, part);
      while (auto packet = reader.Next(bad)) got.push_back(*packet);
      EXPECT_FALSE(bad);
    }
    EXPECT_EQ(got, sent);
  }
}

TEST(Packets, AWrongSumIsBad) {
  PacketReader reader;
  bool bad = false;
  reader.Feed("$g#00$?#3f");
  EXPECT_FALSE(reader.Next(bad));
  EXPECT_TRUE(bad);
  EXPECT_EQ(reader.Next(bad), "?");
}

TEST(Packets, AnInterruptStandsBetweenPackets) {
  PacketReader reader;
  reader.Feed("\x03");
  EXPECT_TRUE(reader.TakeInterrupt());
  EXPECT_FALSE(reader.TakeInterrupt());
}

TEST(Registers, TakeTheirBytesBack) {
  Registers registers;
  registers.general.rip = 0x401000;
  registers.general.fs_base = 0x7fff0000;
  registers.floating.mxcsr = 0x1f80;
  std::string bytes = RegisterBytes(registers);
  Registers other;
  ASSERT_TRUE(SetRegisterBytes(bytes, other));
  EXPECT_EQ(RegisterBytes(other), bytes);
  EXPECT_EQ(other.general.rip, 0x401000U);
  size_t offset = 0;
  size_t size = 0;
  ASSERT_TRUE(RegisterSpan(16, offset, size));
  EXPECT_EQ(HexOf(bytes.substr(offset, size)), "0010400000000000");
  EXPECT_FALSE(SetRegisterBytes("short", other));
  EXPECT_FALSE(RegisterSpan(1000, offset, size));
}

}  // namespace
}  // namespace heddle::analysis
