#include "sched/schedule.h"

#include <gtest/gtest.h>

#include <cstring>

#include "sched/operation.h"
#include "sched/random.h"
#include "sched/steps_file.h"
#include "wire/step_format.h"

namespace heddle::sched {
namespace {

constexpr const char* kText =
    "heddle-schedule 1\n"
    "program ./prog\n"
    "seed 5\n"
    "\n"
    "T0 fork\n"
    "T1 begin                    # main.cpp:3\n"
    "T1 atomic_load *3\n"
    "T0 any\n";

TEST(Schedule, IsCutAtEveryStep) {
  Result<Schedule> whole = ParseSchedule("x", kText);
  ASSERT_TRUE(whole.ok());
  for (uint64_t steps = 0; steps <= 7; ++steps) {
    Schedule cut = *whole;
    cut.Cut(steps);
    ASSERT_EQ(cut.Steps(), std::min<uint64_t>(steps, 6));
    for (uint64_t i = 0; i < cut.Steps(); ++i) {
      EXPECT_EQ(RunOfStep(cut, i)->operation, RunOfStep(*whole, i)->operation);
    }
    EXPECT_TRUE(cut.runs.empty() || cut.runs.back().count > 0);
  }
}

TEST(Schedule, ReadsWhatItWrites) {
  Result<Schedule> schedule = ParseSchedule("x", kText);
  ASSERT_TRUE(schedule.ok()) << schedule.error().message;
  EXPECT_EQ(schedule->Value("seed"), "5");
  EXPECT_EQ(schedule->Value("build"), "");
  EXPECT_EQ(schedule->Steps(), 6U);
  EXPECT_EQ(schedule->Switches(), 2U);
  EXPECT_EQ(schedule->runs[1].comment, "main.cpp:3");
  Result<Schedule> again = ParseSchedule("x", PrintSchedule(*schedule));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->runs, schedule->runs);
  EXPECT_EQ(again->header, schedule->header);
  EXPECT_EQ(RunOfStep(*schedule, 3)->operation, Code(trace::Kind::AtomicLoad));
  EXPECT_EQ(RunOfStep(*schedule, 6), nullptr);
}

void ExpectError(const std::string& text, const std::string& where, const std::string& what) {
  Result<Schedule> schedule = ParseSchedule("s", text);
  ASSERT_FALSE(schedule.ok()) << text;
  EXPECT_NE(schedule.error().message.find(where), std::string::npos) << schedule.error().message;
  EXPECT_NE(schedule.error().message.find(what), std::string::npos) << schedule.error().message;
}

TEST(Schedule, NamesThePlaceOfAMistake) {
  ExpectError("", "s:", "not a schedule");
  ExpectError("heddle-schedule 2\n", "s:1:1", "not a schedule");
  ExpectError("heddle-schedule 1\n\nT0 lok\n", "s:3:4", "did you mean `lock`?");
  ExpectError("heddle-schedule 1\n\nT0\n", "s:3:3", "an operation is expected");
  ExpectError("heddle-schedule 1\n\nU0 lock\n", "s:3:1", "a thread is expected");
  ExpectError("heddle-schedule 1\n\nT1..2 lock\n", "s:3:1", "a thread is expected");
  ExpectError("heddle-schedule 1\n\nT0 lock 3\n", "s:3:9", "a count is expected");
  ExpectError("heddle-schedule 1\n\nT0 lock *0\n", "s:3:9", "a count is expected");
  ExpectError("heddle-schedule 1\n\nT0 lock *99999999999999999999\n", "s:3:9", "a count is expected");
  ExpectError("heddle-schedule 1\n\nT0 lock *268435456\n", "s:3:9", "more steps than a schedule of this size");
  ExpectError("heddle-schedule 1\n\nT0 lock *16777216\nT1 lock *2\n", "s:4:9", "more steps than a schedule");
  ExpectError("heddle-schedule 1\n\nT0 lock *2 now\n", "s:3:12", "nothing is expected");
  ExpectError("heddle-schedule 1\n \n", "s:2:1", "a key is expected");
  ExpectError("heddle-schedule 1\nT0 lock\n", "s:2:1", "a step in the header");
}

TEST(Schedule, CompilesToSteps) {
  Result<Schedule> schedule = ParseSchedule("x", kText);
  ASSERT_TRUE(schedule.ok());
  std::string bytes = CompileSchedule(*schedule);
  wire::FixedHeader header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  EXPECT_EQ(header.steps, 6U);
  EXPECT_EQ(header.names, 2U);
  ASSERT_EQ(bytes.size(), sizeof header + header.names_bytes + 6 * sizeof(wire::Step));
  EXPECT_STREQ(bytes.data() + sizeof header, "T0");
  wire::Step last{};
  std::memcpy(&last, bytes.data() + bytes.size() - sizeof last, sizeof last);
  EXPECT_EQ(last.thread, 0U);
  EXPECT_EQ(last.operation, kAny);
}

TEST(Schedule, EveryOperationHasANameThatReadsBack) {
  int names = 0;
  for (uint32_t code = 0; code < 256; ++code) {
    const char* name = OperationName(static_cast<uint8_t>(code));
    if (name == nullptr) continue;
    EXPECT_EQ(OperationFromName(name, static_cast<uint32_t>(std::strlen(name))), code) << name;
    ++names;
  }
  EXPECT_GT(names, 50);
}

TEST(StepsFile, DamageIsSaidAndWhatIsWholeIsRead) {
  std::string bytes(wire::kStepsHeaderBytes + wire::kLiveBytes, '\0');
  wire::StepsHeader header{};
  std::memcpy(header.magic, wire::kStepsMagic, sizeof wire::kStepsMagic);
  header.live_steps = 2;
  wire::Step steps[2] = {{0, Code(trace::Kind::Lock), 0, 0, 7}, {3, Code(trace::Kind::Unlock), 0, 1, 7}};
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + wire::kStepsHeaderBytes, steps, sizeof steps);
  Result<Steps> good = ParseSteps("x", bytes);
  ASSERT_TRUE(good.ok());
  ASSERT_EQ(good->steps.size(), 2U);
  EXPECT_EQ(good->steps[1].thread, 3U);
  EXPECT_EQ(good->count, 2U);
  EXPECT_EQ(ParseSteps("x", bytes, 2)->steps.size(), 2U);
  Result<Steps> many = ParseSteps("x", bytes, 1);
  ASSERT_TRUE(many.ok());
  EXPECT_TRUE(many->steps.empty());
  EXPECT_EQ(many->count, 2U);
  EXPECT_FALSE(many->damage.empty());
  EXPECT_EQ(good->steps[1].pc(), (uint64_t{1} << 32U) + 7);
  EXPECT_FALSE(ParseSteps("x", bytes.substr(0, 100)).ok());
  header.packed_steps = 8192;
  std::memcpy(bytes.data(), &header, sizeof header);
  Result<Steps> damaged = ParseSteps("x", bytes + std::string(100, 'z'));
  ASSERT_TRUE(damaged.ok());
  EXPECT_FALSE(damaged->damage.empty());
  bytes[0] = 'x';
  EXPECT_FALSE(ParseSteps("x", bytes).ok());
}

}  // namespace
}  // namespace heddle::sched
