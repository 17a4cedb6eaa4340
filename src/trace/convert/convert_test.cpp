// Converters: what goes out comes back, and wrong input is refused with its place.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "trace/convert/formats.h"
#include "trace/convert/names.h"
#include "trace/convert/std_text.h"
#include "trace/test_events.h"

namespace heddle::trace {
namespace {

using testing::HasSubstr;

// All of `source` in `format`, as text.
std::string Export(EventSource* source, Format format) {
  std::string path = TempPath("out");
  auto out = OutputFile::Create(path);
  EXPECT_TRUE(out);
  auto sink = MakeTextSink(format, out->get(), source, ModuleLocator(&source->info()));
  Status status = Pump(source, sink.get());
  EXPECT_TRUE(status) << status.error().message;
  return *ReadFile(path);
}

std::unique_ptr<EventSource> Open(const MemoryFile& file, std::optional<Format> format = std::nullopt) {
  auto source = OpenSource(file.path(), format);
  EXPECT_TRUE(source) << source.error().message;
  return source.Take();
}

// Text in `format` to a trace file to text.
std::string ThroughATrace(const std::string& text, Format format) {
  MemoryFile input;
  EXPECT_TRUE(input.Set(text));
  auto source = Open(input);
  std::string path = TempPath("trace");
  auto writer = TraceWriter::Create(path, &source->info(), &source->stacks());
  EXPECT_TRUE(writer);
  Status status = Pump(source.get(), writer->get());
  EXPECT_TRUE(status) << status.error().message;
  auto reader = TraceReader::Open(path);
  EXPECT_TRUE(reader);
  return Export(reader->get(), format);
}

std::string ErrorOf(const std::string& text, Format format) {
  MemoryFile input;
  EXPECT_TRUE(input.Set(text));
  auto source = Open(input, format);
  Event event;
  while (source->Next(&event)) {
  }
  return source->status() ? "" : source->status().error().message;
}

TEST(Names, NumbersAreDenseAndStable) {
  NameTable table;
  std::map<std::string, uint32_t> naive;
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string name = std::to_string(random() % 3000);
    if (random() % 3 == 0) name += "_longer_than_a_word";
    if (random() % 9 == 0) name += '\0';
    auto [found, fresh] = naive.try_emplace(name, static_cast<uint32_t>(naive.size()));
    bool added = false;
    ASSERT_EQ(table.Number(name, &added), found->second);
    ASSERT_EQ(added, fresh);
  }
  EXPECT_EQ(table.size(), naive.size());
}

TEST(Std, TextToTraceToTextIsTheIdentity) {
  std::mt19937_64 random(2);
  static constexpr const char* kOps[] = {"r(V", "w(x.y[", "acq(L", "rel(V", "fork(T", "join(T"};
  std::string text;
  for (int i = 0; i < 20000; ++i) {
    const char* op = kOps[random() % 6];
    const char* close = op[2] == 'x' ? "])" : ")";
    text += fmt::format("T{}|{}{}{}|{}\n", random() % 9, op, random() % 50, close, static_cast<int32_t>(random()));
  }
  EXPECT_EQ(ThroughATrace(text, Format::kStd), text);
}

TEST(Std, WrongLinesHaveAPlace) {
  EXPECT_THAT(ErrorOf("T1|w(x)|1\nT1|wr(x)|2\n", Format::kStd), HasSubstr(":2:4: error: unknown operation `wr`"));
  EXPECT_THAT(ErrorOf("T1|acw(x)|2\n", Format::kStd), HasSubstr("did you mean `acq`?"));
  EXPECT_THAT(ErrorOf("hello\n", Format::kStd), HasSubstr(":1:6: error: expected `|`"));
  EXPECT_THAT(ErrorOf("T1|w x|2\n", Format::kStd), HasSubstr(":1:4: error: expected an operation"));
  EXPECT_THAT(ErrorOf("T1|w(x|2\n", Format::kStd), HasSubstr("expected `)`"));
  EXPECT_THAT(ErrorOf("T1|w()|2\n", Format::kStd), HasSubstr(":1:6: error: expected the name of a variable"));
  EXPECT_THAT(ErrorOf("|w(x)|2\n", Format::kStd), HasSubstr(":1:1: error: expected the name of a thread"));
  EXPECT_THAT(ErrorOf("T 1|w(x)|2\n", Format::kStd), HasSubstr(":1:2: error: this character"));
  EXPECT_THAT(ErrorOf("T1|w(x)2\n", Format::kStd), HasSubstr(":1:8: error: expected `|` and a location"));
  EXPECT_THAT(ErrorOf("T1|w(x)|\n", Format::kStd), HasSubstr(":1:9: error: expected a decimal number"));
  EXPECT_THAT(ErrorOf("T1|w(x)|2|3\n", Format::kStd), HasSubstr(":1:10: error: expected a decimal number"));
  EXPECT_THAT(ErrorOf("T1|w(x)|2147483648\n", Format::kStd), HasSubstr("32 bits"));
  EXPECT_EQ(ErrorOf("T1|w(x)|-2147483648\r\n\nT1|w(x)|3", Format::kStd), "");
}

// One lock, a wait and its signal, an atomic and a read lock, as a recorder would see them.
std::vector<Event> SmallRun() {
  std::vector<Event> events;
  auto add = [&](uint32_t thread, Kind kind, uint64_t address, uint64_t arg = 0, uint64_t arg2 = 0) {
    Event event;
    event.thread = thread;
    event.kind = kind;
    event.address = address;
    event.arg = arg;
    event.arg2 = arg2;
    event.pc = 0x1000 + events.size();
    event.sequence = events.size() + 1;
    events.push_back(event);
  };
  add(0, Kind::ThreadFork, 0, 1);
  add(1, Kind::ThreadBegin, 0);
  add(1, Kind::Lock, 0x10);
  add(1, Kind::CondWait, 0x20, 0x10);
  add(0, Kind::Lock, 0x10);
  add(0, Kind::CondSignal, 0x20);
  add(0, Kind::LockInit, 0x70);
  add(0, Kind::Unlock, 0x10);
  add(1, Kind::CondWake, 0x20, 0x10, 6);
  add(1, Kind::AtomicStore, 0x30, 5);
  add(1, Kind::Unlock, 0x10);
  add(1, Kind::ThreadEnd, 0);
  add(0, Kind::ThreadJoin, 0, 1);
  return events;
}

std::unique_ptr<TraceReader> SmallTrace() {
  TraceInfo info;
  info.threads[0].id = "T0";
  info.threads[1].id = "T1";
  std::string path = TempPath("small");
  WriteTrace(path, SmallRun(), info);
  return TraceReader::Open(path).Take();
}

TEST(Std, SynchronisationBecomesLocks) {
  EXPECT_EQ(Export(SmallTrace().get(), Format::kStd),
            "T0|fork(T1)|1\nT1|acq(L10)|2\nT1|rel(L10)|3\nT0|acq(L10)|4\nT0|acq(C20)|5\nT0|rel(C20)|5\nT0|rel(L10)|6\n"
            "T1|acq(L10)|7\nT1|acq(C20)|7\nT1|rel(C20)|7\nT1|acq(A30)|8\nT1|w(V30)|8\nT1|rel(A30)|8\nT1|rel(L10)|9\n"
            "T0|join(T1)|10\n");
}

TEST(JsonLines, RandomTracesComeBack) {
  std::mt19937_64 random(3);
  StackTable stacks;
  std::vector<uint32_t> nodes = {0};
  for (int i = 0; i < 50; ++i) nodes.push_back(stacks.Add(nodes[random() % nodes.size()], 1 + random() % 50));
  std::vector<Event> events = RandomEvents(random, 5000, 5);
  for (Event& event : events) event.stack = nodes[random() % nodes.size()];
  TraceInfo info;
  info.flags = 5;
  info.pid = 3;
  info.start_realtime_ns = UINT64_MAX;
  info.command = "a \"quoted\" thing";
  info.modules.push_back({1, 2, 3, "ab", "/x"});
  for (uint32_t i = 0; i < 5; ++i) info.threads[i] = {fmt::format("T{}", i), i % 2 == 0 ? "" : "name", i};
  info.strings[7] = "seven";
  info.symbols[events[0].address] = "first";
  std::string path = TempPath("t.trace");
  WriteTrace(path, events, info, stacks);
  auto first = TraceReader::Open(path).Take();
  std::string text = Export(first.get(), Format::kJsonLines);
  EXPECT_EQ(ThroughATrace(text, Format::kJsonLines), text);
  MemoryFile file;
  ASSERT_TRUE(file.Set(text));
  auto source = Open(file);
  auto again = TraceReader::Open(path).Take();
  Event want;
  Event got;
  while (again->Next(&want)) {
    ASSERT_TRUE(source->Next(&got)) << source->status().error().message;
    ASSERT_TRUE(SameEvent(got, want));
    ASSERT_EQ(source->stacks().Pcs(got.stack), again->stacks().Pcs(want.stack));
  }
  EXPECT_FALSE(source->Next(&got));
  EXPECT_EQ(source->info().command, info.command);
  EXPECT_EQ(source->info().start_realtime_ns, info.start_realtime_ns);
  EXPECT_EQ(source->info().threads.at(1).name, "name");
}

TEST(JsonLines, WrongLinesHaveAPlace) {
  const std::string head = "{\"heddle\":\"trace/1\"}\n";
  EXPECT_EQ(ErrorOf(head, Format::kJsonLines), "");
  EXPECT_THAT(ErrorOf("", Format::kJsonLines), HasSubstr("empty"));
  EXPECT_THAT(ErrorOf("{\"event\":\"lock\"}\n", Format::kJsonLines), HasSubstr(":1:1: error: the first line must"));
  EXPECT_THAT(ErrorOf("{\"heddle\":\"trace/9\"}\n", Format::kJsonLines), HasSubstr("trace/9"));
  EXPECT_THAT(ErrorOf(head + "{\"event\":}\n", Format::kJsonLines), HasSubstr(":2:10: error: this is not JSON"));
  EXPECT_THAT(ErrorOf(head + "[1]\n", Format::kJsonLines), HasSubstr("expected a JSON object"));
  EXPECT_THAT(ErrorOf(head + "{\"event\":\"lok\"}\n", Format::kJsonLines), HasSubstr("did you mean `lock`?"));
  EXPECT_THAT(ErrorOf(head + "{\"event\":\"lock\",\"seq\":-1}\n", Format::kJsonLines), HasSubstr("`seq` must be"));
  EXPECT_THAT(ErrorOf(head + "{\"event\":\"lock\",\"sqe\":1}\n", Format::kJsonLines), HasSubstr("unknown field `sqe`"));
  EXPECT_THAT(ErrorOf(head + "{\"event\":\"lock\",\"stack\":1}\n", Format::kJsonLines), HasSubstr("frame 1"));
}

TEST(Tessla, TextToTraceToTextIsTheIdentity) {
  std::string text = Export(SmallTrace().get(), Format::kTessla);
  EXPECT_THAT(text, HasSubstr("4: threadid = 1\n4: condwaitaddr = 32\n4: mutexunlockaddr = 16\n"));
  EXPECT_EQ(ThroughATrace(text, Format::kTessla), text);
}

TEST(Tessla, ReadsThePapersInput) {
  MemoryFile file;
  ASSERT_TRUE(
      file.Set("909556974571: threadid = 140217848600320\n909556974571: readvar = \"x\"\n"
               "909556981348: threadid = 140217840207616\n909556981348: writevar = \"x\"\n"));
  auto source = Open(file);
  std::vector<Event> events = ReadAll(source.get());
  ASSERT_TRUE(source->status()) << source->status().error().message;
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, Kind::OrderedRead);
  EXPECT_EQ(events[1].kind, Kind::OrderedWrite);
  EXPECT_EQ(events[0].address, events[1].address);
  EXPECT_NE(events[0].thread, events[1].thread);
  EXPECT_EQ(source->info().symbols.at(events[0].address), "x");
}

TEST(Tessla, WrongLinesHaveAPlace) {
  EXPECT_THAT(ErrorOf("x\n", Format::kTessla), HasSubstr(":1:1: error: expected a timestamp"));
  EXPECT_THAT(ErrorOf("1 threadid = 1\n", Format::kTessla), HasSubstr(":1:3: error: expected `:`"));
  EXPECT_THAT(ErrorOf("1: thredid = 1\n", Format::kTessla), HasSubstr("did you mean `threadid`?"));
  EXPECT_THAT(ErrorOf("1: threadid 1\n", Format::kTessla), HasSubstr("expected `=`"));
  EXPECT_THAT(ErrorOf("1: threadid =\n", Format::kTessla), HasSubstr("expected a value"));
  EXPECT_THAT(ErrorOf("1: threadid = 1\n", Format::kTessla), HasSubstr("says what happened"));
  EXPECT_THAT(ErrorOf("1: readaddr = 1\n", Format::kTessla), HasSubstr("no `threadid`"));
  EXPECT_THAT(ErrorOf("1: threadid = 1\n1: readaddr = -1\n", Format::kTessla),
              HasSubstr(":2:15: error: expected an integer"));
  EXPECT_THAT(ErrorOf("1: threadid = 1\n1: threadid = 1\n", Format::kTessla), HasSubstr("already"));
  EXPECT_THAT(ErrorOf("2: threadid = 1\n2: readaddr = 1\n1: threadid = 1\n", Format::kTessla), HasSubstr("must grow"));
  EXPECT_THAT(ErrorOf("1: threadid = 1\n1: readaddr = 1\n1: freeaddr = 1\n", Format::kTessla),
              HasSubstr("does not go with"));
  EXPECT_THAT(ErrorOf("1: user = \"a\n", Format::kTessla), HasSubstr("string does not end"));
}

// The viewer's rules: every B has its E on the same track, properly nested, and every arrow has both ends.
TEST(Chrome, SlicesNestAndArrowsMeet) {
  auto json = nlohmann::json::parse(Export(SmallTrace().get(), Format::kChrome));
  std::map<int, std::vector<double>> open;
  std::map<int, int> arrows;
  int begins = 0;
  for (const auto& event : json["traceEvents"]) {
    std::string phase = event["ph"];
    int thread = event.value("tid", -1);
    if (phase == "B") {
      open[thread].push_back(event["ts"]);
      ++begins;
    }
    if (phase == "E") {
      ASSERT_FALSE(open[thread].empty());
      EXPECT_LE(open[thread].back(), event["ts"].get<double>());
      open[thread].pop_back();
    }
    if (phase == "s") arrows[event["id"]] += 1;
    if (phase == "f") arrows[event["id"]] += 10;
  }
  EXPECT_EQ(begins, 4);  // two holds of T1, its wait, one hold of T0
  for (const auto& [thread, slices] : open) EXPECT_TRUE(slices.empty());
  EXPECT_EQ(arrows.size(), 3U);
  for (const auto& [id, ends] : arrows) EXPECT_EQ(ends, 11) << "arrow " << id;
}

TEST(Formats, AreGuessedFromContent) {
  EXPECT_EQ(GuessFormat("HEDLTRC1xxxx"), Format::kTrace);
  EXPECT_EQ(GuessFormat("T0|w(x)|1\n"), Format::kStd);
  EXPECT_EQ(GuessFormat("\n 12: threadid = 3\n"), Format::kTessla);
  EXPECT_EQ(GuessFormat("{\"heddle\":1}"), Format::kJsonLines);
  EXPECT_EQ(GuessFormat(""), std::nullopt);
  EXPECT_EQ(GuessFormat("hello world\n"), std::nullopt);
  EXPECT_THAT(FormatFromName("tesla").error().message, HasSubstr("did you mean `tessla`?"));
}

}  // namespace
}  // namespace heddle::trace
