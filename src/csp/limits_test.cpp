// Every stage looks at the limits: scripts that keep one stage busy for minutes end soon, undecided, and say why.
#include <gtest/gtest.h>

#include "csp/csp.h"

namespace heddle::csp {
namespace {

struct Busy {
  const char* stage;
  const char* script;
};

// 2^24 sets of states: after any `a` the process may be anywhere in P.
constexpr const char* kSubsets =
    "channel a, b\n"
    "P(n) = if n == 0 then STOP else a -> P(n-1) [] b -> P(n-1)\n"
    "S = a -> S [] b -> S [] a -> P(24)\n";

class Limits : public ::testing::TestWithParam<Busy> {};

TEST_P(Limits, EndUndecided) {
  CheckOptions options;
  options.max_seconds = 0.2;
  Result<std::unique_ptr<Script>> script = Script::FromText("r.csp", GetParam().script, {});
  ASSERT_TRUE(script) << script.error().message;
  std::string reasons;
  for (const Printed& p : (*script)->Prints(options)) reasons += p.stopped ? p.value : "";
  for (size_t i = 0; i < (*script)->Assertions().size(); ++i) {
    CheckResult result = (*script)->Check(i, options);
    EXPECT_EQ(result.verdict, Verdict::kUndecided);
    EXPECT_EQ(result.error, "");
    reasons += result.reason;
  }
  EXPECT_NE(reasons.find("the time limit was reached"), std::string::npos) << reasons;
}

const std::string kDeterminism = std::string(kSubsets) + "assert S :[deterministic]\n";
const std::string kNormalForm = std::string(kSubsets) + "assert S [T= S\n";
const std::string kWatchdog =
    std::string(kSubsets) + "channel bang\nexternal trace_watchdog\nassert STOP [T= trace_watchdog(S, {a,b}, bang)\n";

INSTANTIATE_TEST_SUITE_P(
    Csp, Limits,
    ::testing::Values(Busy{"determinism", kDeterminism.c_str()}, Busy{"normal_form", kNormalForm.c_str()},
                      Busy{"watchdog", kWatchdog.c_str()},
                      Busy{"renaming",
                           "channel c, d : {0..3000}\n"
                           "assert STOP [T= (c?x -> STOP)[[c.x <- d.y | x <- {0..3000}, y <- {0..3000}]]\n"},
                      Busy{"comprehension", "print card({s | s <- {0..9000}, t <- {0..9000}, s * t == 7})\n"},
                      Busy{"diamond",
                           "transparent diamond\nchannel c : {0..60000}\n"
                           "assert STOP [F= diamond(|~| x:{0..60000} @ c!x -> STOP)\n"},
                      Busy{"endless sequence", "print head(<x | x <- <0..>, x < 0>)\n"}),
    [](const auto& busy) {
      std::string name = busy.param.stage;
      for (char& c : name) c = c == ' ' ? '_' : c;
      return name;
    });

TEST(Limits, SequencesAndTypesHaveABound) {
  Result<std::unique_ptr<Script>> doubled =
      Script::FromText("r.csp", "double(s, n) = if n == 0 then s else double(s^s, n-1)\nprint #double(<1>, 60)\n", {});
  ASSERT_TRUE(doubled);
  EXPECT_NE((*doubled)->Prints()[0].value.find("a sequence of more than 10000000 items"), std::string::npos);
  std::string pairs = "f0(x) = (x,x)\n";
  for (int i = 1; i < 7; ++i) {
    std::string last = "f" + std::to_string(i - 1);
    pairs += "f" + std::to_string(i) + "(x) = " + last + "(" + last + "(x))\n";
  }
  Result<std::unique_ptr<Script>> large = Script::FromText("r.csp", pairs + "y = f6(1)\n", {});
  ASSERT_FALSE(large);
  EXPECT_NE(large.error().message.find("the types of this script are too large"), std::string::npos);
}

}  // namespace
}  // namespace heddle::csp
