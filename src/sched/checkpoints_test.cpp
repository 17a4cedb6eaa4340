#include "sched/checkpoints.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "sched/random.h"
#include "wire/demo_format.h"

namespace heddle::sched {
namespace {

void AddEntry(std::string& calls, wire::DemoCall call, int64_t result, const std::string& bytes) {
  wire::DemoEntry entry{};
  entry.call = call;
  entry.result = result;
  entry.bytes = static_cast<uint32_t>(bytes.size());
  std::string made(wire::DemoEntryBytes(entry.bytes), '\0');
  std::memcpy(made.data(), &entry, sizeof entry);
  std::memcpy(made.data() + sizeof entry, bytes.data(), bytes.size());
  calls += made;
}

std::vector<int64_t> Results(const std::string& calls) {
  std::vector<int64_t> results;
  for (size_t at = sizeof(wire::DemoHeader); at < calls.size();) {
    wire::DemoEntry entry{};
    std::memcpy(&entry, calls.data() + at, sizeof entry);
    results.push_back(entry.result);
    at += wire::DemoEntryBytes(entry.bytes);
  }
  return results;
}

DemoFolder Demo() {
  DemoFolder demo;
  demo.calls.assign(sizeof(wire::DemoHeader), '\0');
  for (int i = 0; i < 5; ++i) AddEntry(demo.calls, wire::DemoCall::kRead, i, std::string(static_cast<size_t>(i), 'x'));
  for (int i = 10; i < 13; ++i) AddEntry(demo.calls, wire::DemoCall::kSignal, i, "");
  for (int i = 0; i < 6; ++i) demo.schedule.Add(demo.schedule.ThreadIndex(i < 4 ? "T0" : "T1"), 1, "");
  return demo;
}

TEST(Checkpoints, AreLinesOfTheHeader) {
  Schedule schedule;
  AddCheckpoint(schedule, {1, 100, 7, 2});
  schedule.header.emplace_back("checkpoint", "2 nonsense");
  AddCheckpoint(schedule, {3, 300, 9, 2});
  std::vector<Checkpoint> wanted = {{1, 100, 7, 2}, {3, 300, 9, 2}};
  EXPECT_EQ(CheckpointsOf(schedule), wanted);
  EXPECT_EQ(FirstStep(schedule), 0U);
}

TEST(Checkpoints, WhatComesBehindOneIsLeft) {
  DemoFolder demo = Demo();
  demo.schedule.header.emplace_back("first", "1000");
  ASSERT_TRUE(StartAt(demo, {1, 1003, 2, 1}));
  EXPECT_EQ(demo.schedule.Steps(), 3U);
  EXPECT_EQ(FirstStep(demo.schedule), 1003U);
  EXPECT_EQ(Results(demo.calls), (std::vector<int64_t>{2, 3, 4, 11, 12}));
}

TEST(Checkpoints, OneBehindTheEndIsRefused) {
  for (Checkpoint beyond : {Checkpoint{1, 7, 0, 0}, Checkpoint{1, 2, 6, 0}, Checkpoint{1, 2, 0, 4}}) {
    DemoFolder demo = Demo();
    EXPECT_FALSE(StartAt(demo, beyond)) << beyond.step << ' ' << beyond.calls << ' ' << beyond.signals;
  }
}

TEST(Checkpoints, DroppingStepsIsTheOtherEndOfCutting) {
  for (uint64_t steps = 0; steps <= 7; ++steps) {
    Schedule schedule = Demo().schedule;
    schedule.Drop(steps);
    EXPECT_EQ(schedule.Steps(), steps > 6 ? 0 : 6 - steps);
  }
}

TEST(Checkpoints, AnImageComesBackAndDamageIsSaid) {
  std::string folder = testing::TempDir() + "checkpoints_test";
  std::filesystem::create_directories(folder);
  Random random(3);
  std::string image(3'000'000, '\0');
  for (size_t i = 0; i < image.size() / 2; ++i) image[i] = static_cast<char>(random.Below(256));
  ASSERT_TRUE(WriteFileAtomic(folder + "/image", image));
  ASSERT_TRUE(PackImage(folder + "/image", folder, 2));
  ASSERT_TRUE(UnpackImage(folder, 2, folder + "/back"));
  EXPECT_TRUE(*ReadFile(folder + "/back") == image);
  EXPECT_FALSE(UnpackImage(folder, 1, folder + "/back"));
  std::string packed = *ReadFile(folder + "/CHECKPOINT.2");
  ASSERT_TRUE(WriteFileAtomic(folder + "/CHECKPOINT.3", packed.substr(0, packed.size() / 2)));
  EXPECT_FALSE(UnpackImage(folder, 3, folder + "/back"));
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] + 1);
  ASSERT_TRUE(WriteFileAtomic(folder + "/CHECKPOINT.4", packed));
  EXPECT_FALSE(UnpackImage(folder, 4, folder + "/back"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace heddle::sched
