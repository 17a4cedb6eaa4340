// The monitor as a library: the same outputs as a text trace gives, and errors as values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "heddle/monitor.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Outputs {
  std::vector<std::string> lines;
  std::string message;

  std::unique_ptr<Monitor> Make(std::string_view specification) {
    auto add = [this](int64_t time, std::string_view stream, std::string_view value) {
      lines.push_back(std::to_string(time) + ": " + std::string(stream) + " = " + std::string(value));
    };
    return Monitor::Create(specification, add, &message);
  }
};

TEST(EmbeddedMonitor, GivesOutputsWhenALaterEventArrives) {
  Outputs outputs;
  auto monitor = outputs.Make("in x: Events[Int]\nin u: Events[Unit]\nout count(x) as n\nout u\n");
  ASSERT_NE(monitor, nullptr) << outputs.message;
  EXPECT_TRUE(monitor->Event(3, "x", 7));
  EXPECT_TRUE(monitor->Event(3, "u"));
  EXPECT_THAT(outputs.lines, ElementsAre("0: n = 0"));
  EXPECT_TRUE(monitor->Event(5, "x", 8));
  EXPECT_THAT(outputs.lines, ElementsAre("0: n = 0", "3: n = 1", "3: u = ()"));
  EXPECT_TRUE(monitor->Finish());
  EXPECT_EQ(outputs.lines.back(), "5: n = 2");
}

TEST(EmbeddedMonitor, TimeThatPassesFiresDelays) {
  Outputs outputs;
  auto monitor = outputs.Make("in x: Events[Int]\nout delay(x, x) as late\n");
  ASSERT_NE(monitor, nullptr) << outputs.message;
  EXPECT_TRUE(monitor->Event(0, "x", 10));
  EXPECT_TRUE(monitor->Advance(10));
  EXPECT_THAT(outputs.lines, IsEmpty());
  EXPECT_TRUE(monitor->Advance(11));
  EXPECT_THAT(outputs.lines, ElementsAre("10: late = ()"));
}

TEST(EmbeddedMonitor, TakesAllTypes) {
  Outputs outputs;
  auto monitor =
      outputs.Make("in f: Events[Float]\nin b: Events[Bool]\nin s: Events[String]\nin r: Events[{a: Int}]\nout *\n");
  ASSERT_NE(monitor, nullptr) << outputs.message;
  EXPECT_TRUE(monitor->Event(0, "f", 1.5));
  EXPECT_TRUE(monitor->Event(0, "b", true));
  EXPECT_TRUE(monitor->Event(0, "s", "text"));
  EXPECT_TRUE(monitor->EventText(0, "r", "{a = 2}"));
  EXPECT_TRUE(monitor->Finish());
  EXPECT_THAT(outputs.lines,
              ::testing::UnorderedElementsAre("0: f = 1.5", "0: b = true", "0: s = text", "0: r = {a = 2}"));
}

TEST(EmbeddedMonitor, SaysWhatIsWrong) {
  Outputs outputs;
  EXPECT_EQ(outputs.Make("out y\n"), nullptr);
  EXPECT_THAT(outputs.message, HasSubstr("`y` is not defined"));
  auto fails = [&](const char* wanted, auto use) {
    auto monitor = outputs.Make("in x: Events[Int]\nout 10 / x as q\n");
    ASSERT_NE(monitor, nullptr);
    EXPECT_FALSE(use(*monitor));
    EXPECT_THAT(monitor->error(), HasSubstr(wanted));
    EXPECT_FALSE(monitor->Event(100, "x", 1));
  };
  fails("has no input `y`", [](Monitor& m) { return m.Event(1, "y", 1); });
  fails("carries Int", [](Monitor& m) { return m.Event(1, "x", true); });
  fails("Decreasing time stamps", [](Monitor& m) { return m.Event(5, "x", 1) && m.Event(4, "x", 1); });
  fails("Multiple events", [](Monitor& m) { return m.Event(5, "x", 1) && m.Event(5, "x", 1); });
  fails("is not a value", [](Monitor& m) { return m.EventText(1, "x", "abc"); });
  fails("specification:2:5: Runtime error: Division by zero (t = 5)",
        [](Monitor& m) { return m.Event(5, "x", 0) && m.Finish(); });
}

TEST(EmbeddedMonitor, CanBeCalledFromThreads) {
  Outputs outputs;
  auto monitor = outputs.Make("in x: Events[Int]\nin y: Events[Int]\nout x + y as s\n");
  ASSERT_NE(monitor, nullptr);
  std::thread first([&] { EXPECT_TRUE(monitor->Event(7, "x", 1)); });
  std::thread second([&] { EXPECT_TRUE(monitor->Event(7, "y", 2)); });
  first.join();
  second.join();
  EXPECT_TRUE(monitor->Finish());
  EXPECT_THAT(outputs.lines, ElementsAre("7: s = 3"));
}

}  // namespace
}  // namespace heddle
