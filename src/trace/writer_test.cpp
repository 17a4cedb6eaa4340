// Files that the writer made, read back; the reader's merge against a plain sort.
#include "trace/writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <tuple>

#include "trace/test_events.h"

namespace heddle::trace {
namespace {

// What the reader promises, the slow way: each event has the sequence number of the last ordered event of its thread,
// and all are sorted by that, then by their place. Plain accesses before a thread's first ordered event have place 0,
// and threads stand in the order of their streams.
std::vector<Event> NaiveOrder(const std::vector<Event>& events, const TraceFile& file) {
  std::map<uint32_t, size_t> stream_of;
  for (size_t i = 0; i < file.streams().size(); ++i) stream_of[file.streams()[i].thread] = i;
  std::map<uint32_t, uint64_t> last;
  std::map<std::tuple<uint64_t, size_t, size_t>, Event> placed;
  for (const Event& event : events) {
    uint64_t& place = last[event.thread];
    if (event.sequence != 0) place = event.sequence;
    placed[{place, stream_of[event.thread], placed.size()}] = event;
  }
  std::vector<Event> sorted;
  for (const auto& [place, event] : placed) sorted.push_back(event);
  return sorted;
}

TEST(Writer, ManyThreadsMergeLikeASort) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 60; ++round) {
    std::vector<Event> events = RandomEvents(random, random() % 6000, 1 + static_cast<uint32_t>(random() % 40));
    WriterOptions options;
    options.chunk_slots = random() % 2 == 0 ? 0 : 3 + static_cast<uint32_t>(random() % 200);
    std::string path = TempPath("t.trace");
    WriteTrace(path, events, {}, {}, options);
    auto reader = TraceReader::Open(path);
    ASSERT_TRUE(reader) << reader.error().message;
    ExpectSame(ReadAll(reader->get()), NaiveOrder(events, (*reader)->file()));
    EXPECT_TRUE((*reader)->info().damage.empty());
  }
}

TEST(Writer, StacksComeBack) {
  std::mt19937_64 random(6);
  StackTable stacks;
  std::vector<uint32_t> nodes = {0};
  for (int i = 0; i < 20000; ++i) nodes.push_back(stacks.Add(nodes[random() % nodes.size()], 1 + random() % 5000));
  std::vector<Event> events = RandomEvents(random, 30000, 3);
  for (Event& event : events) event.stack = random() % 3 == 0 ? 0 : nodes[random() % nodes.size()];
  std::string path = TempPath("t.trace");
  WriteTrace(path, events, {}, stacks);
  auto reader = TraceReader::Open(path);
  ASSERT_TRUE(reader);
  std::vector<Event> want = NaiveOrder(events, (*reader)->file());
  Event event;
  size_t i = 0;
  for (; (*reader)->Next(&event); ++i) {
    ASSERT_LT(i, want.size());
    ASSERT_EQ((*reader)->stacks().Pcs(event.stack), stacks.Pcs(want[i].stack)) << "event " << i;
  }
  EXPECT_EQ(i, want.size());
  EXPECT_LE((*reader)->stacks().size(), stacks.size());
}

TEST(Writer, DescriptionComesBack) {
  TraceInfo info;
  info.flags = kFlagFinished | kFlagSerialised;
  info.start_realtime_ns = 123456789;
  info.pid = 77;
  info.command = "./a b  c";
  info.modules.push_back({0x555500000000, 0x555500001000, 0x555500009000, "abcd", "/bin/with space"});
  info.modules.push_back({0, 0x400000, 0x500000, "", "x"});
  info.threads[0] = {"T0", "", 0};
  info.threads[7] = {"T2.1", "worker one", 0x555500001234};
  info.strings[3] = "a user event";
  info.symbols[0x1000] = "counter";
  std::string path = TempPath("t.trace");
  WriteTrace(path, {}, info);
  auto file = TraceFile::Open(path);
  ASSERT_TRUE(file);
  const TraceInfo& got = (*file)->info();
  EXPECT_EQ(got.flags, info.flags);
  EXPECT_EQ(got.start_realtime_ns, info.start_realtime_ns);
  EXPECT_EQ(got.pid, info.pid);
  EXPECT_EQ(got.command, info.command);
  ASSERT_EQ(got.modules.size(), 2U);
  EXPECT_EQ(got.modules[0].path, "/bin/with space");
  EXPECT_EQ(got.modules[0].build_id, "abcd");
  EXPECT_EQ(got.modules[1].build_id, "");
  EXPECT_EQ(got.modules[1].end, 0x500000U);
  EXPECT_EQ(got.ThreadId(7), "T2.1");
  EXPECT_EQ(got.threads.at(7).name, "worker one");
  EXPECT_EQ(got.threads.at(7).start_pc, 0x555500001234U);
  EXPECT_EQ(got.strings.at(3), "a user event");
  EXPECT_EQ(got.symbols.at(0x1000), "counter");
}

TEST(Writer, RefusesWhatTheFormatCannotHold) {
  TraceInfo info;
  StackTable stacks;
  auto writer = TraceWriter::Create(TempPath("t.trace"), &info, &stacks);
  ASSERT_TRUE(writer);
  Event event;
  EXPECT_FALSE((*writer)->Add(event));  // no kind
  event.kind = Kind::Frame;
  EXPECT_FALSE((*writer)->Add(event));
  event.kind = Kind::Read;
  event.address = uint64_t{1} << 48U;
  EXPECT_FALSE((*writer)->Add(event));
  event.address = 8;
  event.sequence = 1;
  EXPECT_FALSE((*writer)->Add(event));
  event.sequence = 0;
  event.arg = 1;
  EXPECT_FALSE((*writer)->Add(event));
  event.kind = Kind::Lock;
  EXPECT_FALSE((*writer)->Add(event));  // no sequence number
  event.sequence = 5;
  EXPECT_TRUE((*writer)->Add(event));
  EXPECT_FALSE((*writer)->Add(event));  // the same again
}

TEST(Writer, LeavesTheOldFileUntilItIsDone) {
  std::string path = TempPath("t.trace");
  ASSERT_TRUE(WriteFileAtomic(path, "old"));
  TraceInfo info;
  StackTable stacks;
  {
    auto writer = TraceWriter::Create(path, &info, &stacks);
  }
  EXPECT_EQ(*ReadFile(path), "old");
}

TEST(Writer, FullDiskIsAnErrorAndLeavesNothing) {
  std::string path = TempPath("t.trace");
  unlink(path.c_str());
  // A limit on file size is refused by the kernel just as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  rlimit small{100000, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  std::mt19937_64 random(7);
  TraceInfo info;
  StackTable stacks;
  Status status;
  {
    auto writer = TraceWriter::Create(path, &info, &stacks);
    ASSERT_TRUE(writer);
    for (const Event& event : RandomEvents(random, 200000, 2)) {
      status = (*writer)->Add(event);
      if (!status) break;
    }
    EXPECT_FALSE((*writer)->Finish());
  }
  setrlimit(RLIMIT_FSIZE, &old);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(Writer, ThousandsOfThreads) {
  std::vector<Event> events;
  uint64_t sequence = 0;
  for (uint32_t thread = 0; thread < 5000; ++thread) {
    for (Kind kind : {Kind::ThreadBegin, Kind::ThreadEnd}) {
      Event event;
      event.kind = kind;
      event.thread = thread;
      event.sequence = ++sequence;
      events.push_back(event);
    }
  }
  std::string path = TempPath("t.trace");
  WriteTrace(path, events);
  auto reader = TraceReader::Open(path);
  ASSERT_TRUE(reader);
  ExpectSame(ReadAll(reader->get()), events);
}

}  // namespace
}  // namespace heddle::trace
