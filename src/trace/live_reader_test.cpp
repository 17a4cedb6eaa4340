// The live reader against a writer that follows the runtime's protocol (runtime/output/trace_file.cpp), step by step.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <xxhash.h>

#include <random>

#include "trace/live.h"
#include "trace/test_events.h"

namespace heddle::trace {
namespace {

// One process with some threads, each with its live buffer; everything happens in the order of the calls.
class Writer {
 public:
  Writer(const std::string& path, uint32_t threads) {
    unlink(path.c_str());
    fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    uint64_t buffers = threads * uint64_t{kLiveBytes};
    uint64_t first = 2 * uint64_t{kHeaderBytes};
    bytes_ = first + buffers;
    EXPECT_EQ(ftruncate(fd_, static_cast<off_t>(bytes_)), 0);
    base_ = static_cast<uint8_t*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
    auto* header = reinterpret_cast<FileHeader*>(base_);
    *header = {kFileMagic, kFileVersion, kHeaderBytes, kFlagLive, 0, 1, 0, 0};
    ChunkHeader chunk{};
    chunk.magic = kChunkMagic;
    chunk.kind = ChunkKind::Live;
    chunk.plain_bytes = chunk.stored_bytes = static_cast<uint32_t>(bytes_ - kHeaderBytes - sizeof chunk);
    chunk.header_check = HeaderCheck(chunk);
    std::memcpy(base_ + kHeaderBytes, &chunk, sizeof chunk);
    for (uint32_t i = 0; i < threads; ++i) {
      auto* live = reinterpret_cast<LiveHeader*>(base_ + first + i * uint64_t{kLiveBytes});
      *live = {1, i, i, 0, sizeof(LiveHeader), sizeof(LiveHeader), {}};
      live_.push_back(live);
    }
  }
  ~Writer() {
    munmap(base_, bytes_);
    close(fd_);
  }

  // False when the buffer is full and not yet read: the runtime would wait here.
  bool Publish(uint32_t thread, const Event& event) {
    LiveHeader* live = live_[thread];
    uint64_t need = IsOrdered(event.kind) ? 32 : 16;
    if (live->used + need > kLiveBytes) {
      if (live->consumed != live->used) return false;
      live->used = sizeof(LiveHeader);
      live->consumed = sizeof(LiveHeader);
    }
    auto* slot = reinterpret_cast<Slot*>(reinterpret_cast<uint8_t*>(live) + live->used);
    slot[0] = {PackHead(event.kind, event.detail, event.address), PackTail(event.pc, event.result, event.order)};
    if (need == 32) slot[1] = {event.sequence, event.arg};
    live->used += need;
    return true;
  }

  void AppendText(const std::string& text) {
    ChunkHeader chunk{};
    chunk.magic = kChunkMagic;
    chunk.kind = ChunkKind::Text;
    chunk.plain_bytes = chunk.stored_bytes = static_cast<uint32_t>(text.size());
    chunk.payload_check = XXH64(text.data(), text.size(), 0);
    chunk.header_check = HeaderCheck(chunk);
    std::string all(reinterpret_cast<const char*>(&chunk), sizeof chunk);
    all += text;
    EXPECT_EQ(pwrite(fd_, all.data(), all.size(), static_cast<off_t>(bytes_)), static_cast<ssize_t>(all.size()));
  }

  const LiveHeader* live(uint32_t thread) const { return live_[thread]; }
  uint32_t reader_state() const { return reinterpret_cast<const FileHeader*>(base_)->reader; }

 private:
  int fd_;
  uint64_t bytes_;
  uint8_t* base_;
  std::vector<LiveHeader*> live_;
};

Event Make(Kind kind, uint32_t thread, uint64_t sequence, uint64_t address) {
  Event event;
  event.kind = kind;
  event.thread = thread;
  event.sequence = sequence;
  event.address = address;
  event.detail = 4;
  return event;
}

// Numbers are taken in one order and published in another, as threads do that are interrupted in between.
TEST(LiveReader, EveryEventOnceInOrder) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    constexpr uint32_t kThreads = 4;
    std::string path = TempPath("live");
    Writer writer(path, kThreads);
    uint64_t sequence = 0;
    uint64_t left = 30'000;
    std::optional<Event> taken[kThreads];  // has a number, is not published
    std::vector<uint64_t> written[kThreads];
    // The writer works only when the reader finds nothing: that is the reader's worst case.
    auto idle = [&] {
      for (int i = 0; i < 3000; ++i) {
        uint32_t t = static_cast<uint32_t>(random() % kThreads);
        if (!taken[t] && left > 0) {
          bool ordered = random() % 3 == 0;
          taken[t] = Make(ordered ? Kind::Lock : Kind::Write, t, ordered ? ++sequence : 0, 0x1000 + left--);
          if (random() % 2 == 0) continue;
        }
        if (!taken[t] || !writer.Publish(t, *taken[t])) continue;
        written[t].push_back(taken[t]->address);
        taken[t].reset();
      }
      return left > 0 || taken[0] || taken[1] || taken[2] || taken[3];
    };
    auto reader = LiveReader::Open(path, idle);
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ(writer.reader_state(), static_cast<uint32_t>(ReaderState::Attached));
    std::vector<uint64_t> got[kThreads];
    uint64_t last = 0;
    Event event;
    while ((*reader)->Next(&event)) {
      got[event.thread].push_back(event.address);
      if (event.sequence == 0) continue;
      ASSERT_EQ(event.sequence, last + 1);
      last = event.sequence;
    }
    EXPECT_EQ(last, sequence);
    for (uint32_t t = 0; t < kThreads; ++t) EXPECT_EQ(got[t], written[t]) << "thread " << t << " seed " << seed;
    reader->reset();
    EXPECT_EQ(writer.reader_state(), static_cast<uint32_t>(ReaderState::Gone));
  }
}

TEST(LiveReader, NumbersThatNeverCameArePassedOverWhenTheProgramIsDead) {
  std::string path = TempPath("live");
  Writer writer(path, 2);
  ASSERT_TRUE(writer.Publish(0, Make(Kind::Lock, 0, 1, 0x10)));
  ASSERT_TRUE(writer.Publish(1, Make(Kind::Lock, 1, 3, 0x30)));
  int asked = 0;
  auto reader = LiveReader::Open(path, [&] { return ++asked < 3; });
  ASSERT_TRUE(reader);
  std::vector<uint64_t> sequences;
  for (const Event& event : ReadAll(reader->get())) sequences.push_back(event.sequence);
  EXPECT_EQ(sequences, (std::vector<uint64_t>{1, 3}));
  EXPECT_EQ(asked, 3);  // it did wait for number 2 before
}

TEST(LiveReader, SkippedNumbersAndLateTexts) {
  std::string path = TempPath("live");
  Writer writer(path, 1);
  ASSERT_TRUE(writer.Publish(0, Make(Kind::Lock, 0, 1, 0x10)));
  ASSERT_TRUE(writer.Publish(0, Make(Kind::Skip, 0, 2, 0)));
  int asked = 0;
  auto reader = LiveReader::Open(path, [&] {
    if (++asked == 1) {
      writer.AppendText("thread 0 T0 0\n");
      EXPECT_TRUE(writer.Publish(0, Make(Kind::Unlock, 0, 3, 0x10)));
    }
    return asked < 2;
  });
  ASSERT_TRUE(reader);
  EXPECT_EQ(ReadAll(reader->get()).size(), 2U);
  EXPECT_EQ((*reader)->info().ThreadId(0), "T0");
  EXPECT_EQ(writer.live(0)->consumed, writer.live(0)->used);
}

TEST(LiveReader, DetachEndsTheReading) {
  std::string path = TempPath("live");
  Writer writer(path, 1);
  ASSERT_TRUE(writer.Publish(0, Make(Kind::Lock, 0, 1, 0x10)));
  auto reader = LiveReader::Open(path, [] { return true; });
  ASSERT_TRUE(reader);
  (*reader)->Detach();
  Event event;
  EXPECT_FALSE((*reader)->Next(&event));
  EXPECT_EQ(writer.reader_state(), static_cast<uint32_t>(ReaderState::Gone));
}

TEST(LiveReader, OtherFilesAreRefused) {
  std::string path = TempPath("other");
  WriteTrace(path, {});
  auto reader = LiveReader::Open(path, [] { return false; });
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(LiveReader::Open(path + "-none", [] { return false; }).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace heddle::trace
