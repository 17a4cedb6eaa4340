#include "refine/trace/trace_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::refine {
namespace {

Trace Small() {
  Trace trace;
  trace.thread = "thread";
  trace.build = "gcc -O0";
  trace.locks = {kThreadLockName, "m"};
  Symbol x;
  x.name = "x";
  x.address = 64;
  x.initial = {1, 2};
  x.bytes.resize(2);
  x.bytes[1].location = 1;
  trace.symbols = {x};
  trace.events = {Event::Make(EventKind::kLock, 0, 0, 0, 0), Event::Make(EventKind::kEnvironment, 0, 2, 7, 0),
                  Event::Make(EventKind::kWrite, 1, 1, 3, 12), Event::Make(EventKind::kUnlock, 0, 0, 0, 0)};
  return trace;
}

TEST(TraceFile, ReadsWhatItWrote) {
  std::string bytes = EncodeTrace(Small());
  Result<Trace> read = DecodeTrace("t", bytes);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(EncodeTrace(*read), bytes);
  EXPECT_EQ(read->events[2].line(), 12U);
}

TEST(TraceFile, EveryCutIsNoticed) {
  std::string bytes = EncodeTrace(Small());
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(DecodeTrace("t", bytes.substr(0, n)).ok()) << n;
}

TEST(TraceFile, EveryChangedByteIsNoticed) {
  std::string bytes = EncodeTrace(Small());
  for (size_t n = 0; n < bytes.size(); ++n) {
    std::string other = bytes;
    other[n] = static_cast<char>(other[n] ^ 1);
    EXPECT_FALSE(DecodeTrace("t", other).ok()) << n;
  }
}

std::string Wrong(Trace trace) {
  Result<Trace> read = DecodeTrace("t", EncodeTrace(trace));
  return read ? "" : read.error().message;
}

TEST(TraceFile, ImpossibleEventsAreRefused) {
  Trace trace = Small();
  trace.events[2] = Event::Make(EventKind::kWrite, 1, 2, 3, 0);
  EXPECT_THAT(Wrong(trace), ::testing::HasSubstr("past the end"));
  trace.events[2] = Event::Make(EventKind::kWrite, 900, 1, 3, 0);
  EXPECT_THAT(Wrong(trace), ::testing::HasSubstr("outside of every symbol"));
  trace.events[2] = Event::Make(EventKind::kLock, 5, 0, 0, 0);
  EXPECT_THAT(Wrong(trace), ::testing::HasSubstr("not in the table"));
  trace = Small();
  trace.events.erase(trace.events.begin());
  EXPECT_FALSE(Wrong(trace).empty());
}

}  // namespace
}  // namespace heddle::refine
