// What a killed program leaves: chunks, and live buffers that never became chunks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "trace/test_events.h"

namespace heddle::trace {
namespace {

Event LockEvent(uint32_t thread, uint64_t sequence) {
  Event event;
  event.kind = Kind::Lock;
  event.thread = thread;
  event.address = 0x1000 + sequence;
  event.pc = 0x400000 + sequence;
  event.sequence = sequence;
  return event;
}

void PutSlots(const Event& event, std::string* bytes, uint64_t at) {
  Slot slots[2] = {{PackHead(event.kind, event.detail, event.address), PackTail(event.pc, event.result, event.order)},
                   {event.sequence, event.arg}};
  std::memcpy(&(*bytes)[at], slots, sizeof slots);
}

// Appends a live chunk of two buffers as the runtime makes it; returns the offset of the first buffer.
uint64_t AppendLive(std::string* bytes) {
  ChunkHeader header{};
  header.magic = kChunkMagic;
  header.kind = ChunkKind::Live;
  header.plain_bytes = header.stored_bytes = kHeaderBytes + 2 * kLiveBytes;
  header.header_check = HeaderCheck(header);
  uint64_t payload = bytes->size() + sizeof header;
  bytes->append(reinterpret_cast<const char*>(&header), sizeof header);
  bytes->append(header.stored_bytes, '\0');
  return (payload + kHeaderBytes - 1) / kHeaderBytes * kHeaderBytes;
}

void PutLive(std::string* bytes, uint64_t at, uint32_t thread, uint32_t stream, const std::vector<Event>& events) {
  LiveHeader live{};
  live.in_use = 1;
  live.thread = thread;
  live.stream = stream;
  live.used = sizeof live + events.size() * 2 * sizeof(Slot);
  std::memcpy(&(*bytes)[at], &live, sizeof live);
  uint64_t to = at + sizeof live;
  for (const Event& event : events) {
    PutSlots(event, bytes, to);
    to += 2 * sizeof(Slot);
  }
}

// Chunks with events 1 and 2 of threads 0 and 1, flags as of a program that was killed.
std::string Killed() {
  std::string path = TempPath("killed.trace");
  WriteTrace(path, {LockEvent(0, 1), LockEvent(1, 2)});
  std::string bytes = *ReadFile(path);
  std::memset(&bytes[offsetof(FileHeader, end_bytes)], 0, sizeof(uint64_t));
  return bytes;
}

std::vector<uint64_t> Sequences(const std::string& bytes, std::vector<std::string>* damage) {
  std::string path = TempPath("read.trace");
  EXPECT_TRUE(WriteFileAtomic(path, bytes));
  auto reader = TraceReader::Open(path);
  EXPECT_TRUE(reader);
  std::vector<uint64_t> sequences;
  Event event;
  while ((*reader)->Next(&event)) sequences.push_back(event.sequence);
  *damage = (*reader)->info().damage;
  return sequences;
}

TEST(Live, BuffersComeAfterTheChunksOfTheirStream) {
  std::string bytes = Killed();
  uint64_t first = AppendLive(&bytes);
  PutLive(&bytes, first, 0, 0, {LockEvent(0, 3), LockEvent(0, 5)});
  PutLive(&bytes, first + kLiveBytes, 1, 1, {LockEvent(1, 4)});
  std::vector<std::string> damage;
  EXPECT_EQ(Sequences(bytes, &damage), (std::vector<uint64_t>{1, 2, 3, 4, 5}));
  EXPECT_TRUE(damage.empty());
}

TEST(Live, EventsThatAreInAChunkTooComeOnce) {
  std::string bytes = Killed();
  uint64_t first = AppendLive(&bytes);
  PutLive(&bytes, first, 0, 0, {LockEvent(0, 1), LockEvent(0, 3)});
  std::vector<std::string> damage;
  EXPECT_EQ(Sequences(bytes, &damage), (std::vector<uint64_t>{1, 2, 3}));
}

TEST(Live, BuffersBeforeTheChunksInTheFile) {
  // The runtime makes the live segment first, chunks come behind it.
  std::string whole = Killed();
  std::string bytes = whole.substr(0, kHeaderBytes);
  uint64_t first = AppendLive(&bytes);
  PutLive(&bytes, first, 1, 1, {LockEvent(1, 6)});
  bytes += whole.substr(kHeaderBytes);
  std::vector<std::string> damage;
  EXPECT_EQ(Sequences(bytes, &damage), (std::vector<uint64_t>{1, 2, 6}));
  EXPECT_TRUE(damage.empty());
}

TEST(Live, WrongRecordEndsItsBufferOnly) {
  std::string bytes = Killed();
  uint64_t first = AppendLive(&bytes);
  PutLive(&bytes, first, 0, 0, {LockEvent(0, 3), LockEvent(0, 5)});
  PutLive(&bytes, first + kLiveBytes, 1, 1, {LockEvent(1, 4)});
  bytes[first + sizeof(LiveHeader) + 2 * sizeof(Slot) + 7] = static_cast<char>(0xff);  // the kind of event 5
  std::vector<std::string> damage;
  EXPECT_EQ(Sequences(bytes, &damage), (std::vector<uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(damage.size(), 1U);
}

TEST(Live, FreeBuffersAndWildPositionsAreHarmless) {
  std::string bytes = Killed();
  uint64_t first = AppendLive(&bytes);
  LiveHeader live{};
  live.in_use = 1;
  live.used = UINT64_MAX;
  std::memcpy(&bytes[first], &live, sizeof live);
  std::vector<std::string> damage;
  EXPECT_EQ(Sequences(bytes, &damage), (std::vector<uint64_t>{1, 2}));
  EXPECT_FALSE(damage.empty());
}

TEST(Live, ZerosAtTheEndAreAPlaceNotYetWritten) {
  std::string bytes = Killed() + std::string(100000, '\0');
  std::vector<std::string> damage;
  EXPECT_EQ(Sequences(bytes, &damage), (std::vector<uint64_t>{1, 2}));
  EXPECT_TRUE(damage.empty());
}

}  // namespace
}  // namespace heddle::trace
