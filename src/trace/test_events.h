// Random events and small files for the tests of this folder.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/file.h"
#include "trace/memory_file.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace heddle::trace {

inline bool SameEvent(const Event& a, const Event& b) {
  return a.kind == b.kind && a.detail == b.detail && a.result == b.result && a.order == b.order &&
         a.thread == b.thread && a.address == b.address && a.pc == b.pc && a.sequence == b.sequence && a.arg == b.arg &&
         a.arg2 == b.arg2 && a.arg3 == b.arg3;
}

inline std::string Describe(const Event& e) {
  return fmt::format("{} d{} r{} o{} T{} {:#x} pc {:#x} seq {} {} {} {}", KindName(e.kind), e.detail, e.result, e.order,
                     e.thread, e.address, e.pc, e.sequence, e.arg, e.arg2, e.arg3);
}

inline void ExpectSame(const std::vector<Event>& got, const std::vector<Event>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_TRUE(SameEvent(got[i], want[i]))
        << "event " << i << "\n  " << Describe(got[i]) << "\n  " << Describe(want[i]);
  }
}

// Any number of bits up to `bits`, short ones as often as long ones.
inline uint64_t RandomNumber(std::mt19937_64& random, unsigned bits) {
  unsigned width = static_cast<unsigned>(random() % (bits + 1));
  return width == 0 ? 0 : random() >> (64 - width);
}

// An event of any kind that readers hand out, without a sequence number.
inline Event RandomEvent(std::mt19937_64& random, uint32_t threads) {
  Event event;
  do {
    // Half of them plain accesses, as in real traces.
    event.kind = static_cast<Kind>(random() % 2 == 0 ? 1 + random() % 4 : 1 + random() % (kKinds - 1));
  } while ((event.kind >= Kind::Frame && event.kind <= Kind::StackReset) || event.kind == Kind::Skip);
  event.detail = static_cast<uint8_t>(random());
  event.result = static_cast<uint8_t>(RandomNumber(random, 8));
  event.order = static_cast<uint8_t>(RandomNumber(random, 8));
  event.thread = static_cast<uint32_t>(random() % threads);
  event.address = RandomNumber(random, 48);
  event.pc = random() % 3 == 0 ? RandomNumber(random, 48) : 0x555500001000 + random() % 64;
  if (IsOrdered(event.kind) || IsRange(event.kind)) event.arg = RandomNumber(random, 64);
  if (kKindWords[static_cast<uint8_t>(event.kind)] == 4) {
    event.arg2 = RandomNumber(random, 64);
    event.arg3 = RandomNumber(random, 64);
  }
  return event;
}

// Events with growing sequence numbers, as an importer would make them.
inline std::vector<Event> RandomEvents(std::mt19937_64& random, size_t count, uint32_t threads) {
  std::vector<Event> events;
  uint64_t sequence = 0;
  while (events.size() < count) {
    Event event = RandomEvent(random, threads);
    if (IsOrdered(event.kind)) event.sequence = sequence += 1 + RandomNumber(random, 6);
    events.push_back(event);
  }
  return events;
}

inline std::string TempPath(const std::string& name) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format("{}heddle_{}_{}_{}", testing::TempDir(), test->test_suite_name(), test->name(), name);
}

inline void WriteTrace(const std::string& path, const std::vector<Event>& events, const TraceInfo& info = {},
                       const StackTable& stacks = {}, WriterOptions options = {}) {
  auto writer = TraceWriter::Create(path, &info, &stacks, options);
  ASSERT_TRUE(writer) << writer.error().message;
  for (const Event& event : events) {
    Status added = (*writer)->Add(event);
    ASSERT_TRUE(added) << added.error().message;
  }
  Status finished = (*writer)->Finish();
  ASSERT_TRUE(finished) << finished.error().message;
}

inline std::vector<Event> ReadAll(EventSource* source) {
  std::vector<Event> events;
  Event event;
  while (source->Next(&event)) events.push_back(event);
  return events;
}

}  // namespace heddle::trace
