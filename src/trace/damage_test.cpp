// Files that are cut off, changed, of another version, not files at all, or left behind by a killed program.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>
#include <set>

#include "trace/test_events.h"

namespace heddle::trace {
namespace {

// A small file of several chunks, and the events of each with the chunk's place.
struct Sample {
  std::string bytes;
  std::vector<Event> events;
  struct Part {
    uint64_t begin;
    uint64_t end;
    std::set<uint64_t> sequences;
  };
  std::vector<Part> parts;
};

Sample MakeSample() {
  Sample sample;
  std::mt19937_64 random(8);
  for (uint64_t i = 1; i <= 60; ++i) {
    Event event = RandomEvent(random, 2);
    event.kind = Kind::Lock;
    event.arg2 = event.arg3 = 0;
    event.arg = i;
    event.sequence = i;
    sample.events.push_back(event);
  }
  std::string path = TempPath("sample.trace");
  WriterOptions options;
  options.chunk_slots = 20;
  TraceInfo info;
  info.flags = kFlagFinished;
  WriteTrace(path, sample.events, info, {}, options);
  sample.bytes = *ReadFile(path);
  auto file = TraceFile::Open(path);
  for (const Stream& stream : (*file)->streams()) {
    for (const ChunkRef& chunk : stream.chunks) {
      Sample::Part part{chunk.offset - sizeof(ChunkHeader), chunk.offset + chunk.stored_bytes, {}};
      std::vector<uint8_t> payload;
      EXPECT_TRUE((*file)->ReadPayload(chunk, &payload));
      Decoder decoder;
      decoder.Start(payload.data(), payload.size());
      Event event;
      while (decoder.Next(&event)) part.sequences.insert(event.sequence);
      sample.parts.push_back(part);
    }
  }
  EXPECT_GE(sample.parts.size(), 4U);
  return sample;
}

TEST(Damage, CutOffAtEveryByte) {
  Sample sample = MakeSample();
  MemoryFile file;
  for (size_t length = 0; length < sample.bytes.size(); ++length) {
    // Inside the header's padding nothing differs but the length.
    if (length > 64 && length < kHeaderBytes - 8) continue;
    ASSERT_TRUE(file.Set(std::string_view(sample.bytes).substr(0, length)));
    auto reader = TraceReader::Open(file.path());
    if (length < sizeof(FileHeader)) {
      ASSERT_FALSE(reader) << length;
      continue;
    }
    ASSERT_TRUE(reader) << length;
    std::set<uint64_t> got;
    Event event;
    while ((*reader)->Next(&event)) {
      got.insert(event.sequence);
      ASSERT_TRUE(SameEvent(event, sample.events[event.sequence - 1]));
    }
    std::set<uint64_t> want;
    for (const auto& part : sample.parts) {
      if (part.end <= length) want.insert(part.sequences.begin(), part.sequences.end());
    }
    ASSERT_EQ(got, want) << "cut at " << length;
    ASSERT_FALSE((*reader)->info().damage.empty()) << "cut at " << length;
  }
}

TEST(Damage, RandomBitFlips) {
  Sample sample = MakeSample();
  MemoryFile file;
  std::mt19937_64 random(9);
  for (int round = 0; round < 10000; ++round) {
    // Most of the file is the header's padding: flip its first bytes, or a byte of the chunks.
    bool in_header = random() % 10 == 0;
    size_t at =
        in_header ? random() % sizeof(FileHeader) : kHeaderBytes + random() % (sample.bytes.size() - kHeaderBytes);
    std::string bytes = sample.bytes;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    ASSERT_TRUE(file.Set(bytes));
    auto reader = TraceReader::Open(file.path());
    if (!reader) {
      ASSERT_TRUE(in_header) << at;
      continue;
    }
    std::set<uint64_t> got;
    Event event;
    while ((*reader)->Next(&event)) {
      got.insert(event.sequence);
      ASSERT_GE(event.sequence, 1U);
      ASSERT_LE(event.sequence, sample.events.size());
      ASSERT_TRUE(SameEvent(event, sample.events[event.sequence - 1])) << "flip at " << at;
    }
    std::set<uint64_t> want;
    bool hit = false;
    for (const auto& part : sample.parts) {
      bool inside = at >= part.begin && at < part.end;
      hit = hit || inside;
      if (!inside) want.insert(part.sequences.begin(), part.sequences.end());
    }
    ASSERT_EQ(got, want) << "flip at " << at;
    if (hit) {
      ASSERT_FALSE((*reader)->info().damage.empty()) << "flip at " << at;
    }
  }
}

TEST(Damage, ZerosInTheMiddleArePassedOver) {
  Sample sample = MakeSample();
  const auto& part = sample.parts[1];
  std::string bytes = sample.bytes;
  std::memset(&bytes[part.begin], 0, part.end - part.begin);
  MemoryFile file;
  ASSERT_TRUE(file.Set(bytes));
  auto reader = TraceReader::Open(file.path());
  ASSERT_TRUE(reader);
  EXPECT_EQ(ReadAll(reader->get()).size(), sample.events.size() - part.sequences.size());
  EXPECT_EQ((*reader)->info().damage.size(), 1U);
}

std::string OpenError(const std::string& where) {
  auto reader = TraceReader::Open(where);
  return reader ? "" : reader.error().message;
}

TEST(Damage, OtherVersion) {
  Sample sample = MakeSample();
  sample.bytes[8] = 9;
  MemoryFile file;
  ASSERT_TRUE(file.Set(sample.bytes));
  EXPECT_THAT(OpenError(file.path()), testing::HasSubstr("version 9, but this heddle reads version 1"));
}

TEST(Damage, NotATrace) {
  MemoryFile file;
  ASSERT_TRUE(file.Set(""));
  EXPECT_THAT(OpenError(file.path()), testing::HasSubstr("not a heddle trace"));
  EXPECT_THAT(OpenError(testing::TempDir()), testing::HasSubstr("not a regular file"));
  EXPECT_THAT(OpenError(TempPath("none")), testing::HasSubstr("No such file"));
}

// A payload whose check is right but whose records are not: what only a broken writer can make.
TEST(Damage, WrongRecordsAreReported) {
  Sample sample = MakeSample();
  const auto& part = sample.parts[0];
  ChunkHeader header;
  std::memcpy(&header, &sample.bytes[part.begin], sizeof header);
  header.codec = Codec::Raw;
  header.plain_bytes = header.stored_bytes;
  char* payload = &sample.bytes[part.begin + sizeof header];
  std::memset(payload, 0x7f, header.stored_bytes);
  header.payload_check = XXH64(payload, header.stored_bytes, 0);
  header.header_check = HeaderCheck(header);
  std::memcpy(&sample.bytes[part.begin], &header, sizeof header);
  MemoryFile file;
  ASSERT_TRUE(file.Set(sample.bytes));
  auto reader = TraceReader::Open(file.path());
  ASSERT_TRUE(reader);
  EXPECT_EQ(ReadAll(reader->get()).size(), sample.events.size() - part.sequences.size());
  EXPECT_EQ((*reader)->info().damage.size(), 1U);
}

}  // namespace
}  // namespace heddle::trace
