#include "sched/demo_rules.h"

#include <gtest/gtest.h>

namespace heddle::sched {
namespace {

TEST(DemoRules, ChangeTheDefaults) {
  wire::DemoRules rules;
  EXPECT_NE(rules.reissued & wire::BitOf(wire::DemoKind::kFile), 0U);
  Status parsed =
      ParseDemoRules("r", "# what I want\nrecord file\n\n  reissue socket # the peer is there\nignore ioctl\n", &rules);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(rules.reissued & wire::BitOf(wire::DemoKind::kFile), 0U);
  EXPECT_NE(rules.reissued & wire::BitOf(wire::DemoKind::kSocket), 0U);
  EXPECT_EQ(rules.reissued & wire::BitOf(wire::DemoKind::kPipe), 0U);
  EXPECT_EQ(rules.ignored, wire::BitOf(wire::DemoCall::kIoctl));
  ASSERT_TRUE(IgnoreCall("output", &rules).ok());
  EXPECT_EQ(rules.ignored, wire::BitOf(wire::DemoCall::kIoctl) | wire::BitOf(wire::DemoCall::kOutput));
}

TEST(DemoRules, BadLinesAreNamed) {
  wire::DemoRules rules;
  auto message = [&rules](std::string_view text) {
    Status parsed = ParseDemoRules("r", text, &rules);
    return parsed.ok() ? std::string() : parsed.error().message;
  };
  EXPECT_NE(message("record pipe\nreissue sockt\n").find("r:2:9"), std::string::npos);
  EXPECT_NE(message("reissue sockt").find("did you mean `socket`?"), std::string::npos);
  EXPECT_NE(message("forget pipe").find("no such rule"), std::string::npos);
  EXPECT_NE(message("ignore").find("a call is expected"), std::string::npos);
  EXPECT_NE(message("ignore ioctl now").find("nothing is expected here"), std::string::npos);
}

TEST(DemoRules, NoTextCrashes) {
  std::string text = "record file\nreissue socket\nignore clock # x\n";
  for (size_t at = 0; at < text.size(); ++at) {
    for (char c : {'\0', '\n', ' ', '#', 'x', '\xff'}) {
      std::string changed = text;
      changed[at] = c;
      wire::DemoRules rules;
      (void)ParseDemoRules("r", changed, &rules);
      (void)ParseDemoRules("r", changed.substr(0, at), &rules);
    }
  }
}

}  // namespace
}  // namespace heddle::sched
