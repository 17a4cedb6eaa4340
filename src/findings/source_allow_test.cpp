#include "findings/source_allow.h"

#include <gtest/gtest.h>

namespace heddle::findings {
namespace {

constexpr const char* kText =
    "int hits;\n"                                                                     // 1
    "void a(void) { hits++; }  // heddle-allow(data-race): only shown\n"              // 2
    "// heddle-allow(race, deadlock): runs\n"                                         // 3
    "// before all other threads\n"                                                   // 4
    "void b(void) { hits++; }\n"                                                      // 5
    "void c(void) { hits++; }\n"                                                      // 6
    "void d(void) { hits++; }  /* heddle-allow(data-race) */\n"                       // 7
    "void e(void) { hits++; }  // heddle-allow(datarace): why\n"                      // 8
    "void f(void) { puts(\"heddle-allow(data-race): no comment\"); hits++; }\n"       // 9
    "void g(void) { hits++; } /* heddle-allow(data-race): in a block */ int after;";  // 10

Finding FindingAt(Kind kind, std::vector<uint32_t> lines) {
  Finding finding;
  finding.kind = kind;
  for (uint32_t line : lines) {
    Step step;
    step.site = static_cast<uint32_t>(finding.steps.size()) + 1;
    Frame frame;
    frame.file = "/src/hits.c";
    frame.line = line;
    step.stack.push_back(frame);
    finding.steps.push_back(step);
  }
  return finding;
}

// The reason by which it is hidden; empty: it is not.
std::string Hidden(Kind kind, const std::vector<uint32_t>& lines, std::vector<std::string>* wrong = nullptr) {
  Report report;
  report.findings.push_back(FindingAt(kind, lines));
  SourceAllow allow([](const std::string&) { return std::optional<std::string>(kText); });
  std::vector<std::string> said = allow.Apply(report);
  if (wrong != nullptr) *wrong = said;
  return report.findings[0].suppressed ? report.findings[0].suppressed->reason : "";
}

TEST(SourceAllow, TheCommentIsOnTheLineOfASite) {
  EXPECT_EQ(Hidden(Kind::kDataRace, {6, 2}), "only shown");
  EXPECT_EQ(Hidden(Kind::kDataRace, {10}), "in a block");
  EXPECT_EQ(Hidden(Kind::kDataRace, {6, 1}), "");
  EXPECT_EQ(Hidden(Kind::kDeadlock, {2}), "");  // of another kind
}

TEST(SourceAllow, OrInTheCommentLinesAboveIt) {
  EXPECT_EQ(Hidden(Kind::kDataRace, {5}), "runs");
  EXPECT_EQ(Hidden(Kind::kDeadlock, {5}), "runs");
  EXPECT_EQ(Hidden(Kind::kLockOrder, {5}), "runs");
  EXPECT_EQ(Hidden(Kind::kAtomicity, {5}), "");
  EXPECT_EQ(Hidden(Kind::kDataRace, {6}), "");  // code between
}

TEST(SourceAllow, WithoutAReasonOrAKindItHidesNothingAndSaysSo) {
  std::vector<std::string> wrong;
  EXPECT_EQ(Hidden(Kind::kDataRace, {7, 7}, &wrong), "");
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_NE(wrong[0].find("/src/hits.c:7: heddle-allow needs a reason"), std::string::npos);
  EXPECT_EQ(Hidden(Kind::kDataRace, {8}, &wrong), "");
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_NE(wrong[0].find("`datarace` is no kind"), std::string::npos);
}

TEST(SourceAllow, TextThatIsNoCommentHidesNothing) { EXPECT_EQ(Hidden(Kind::kDataRace, {9}), ""); }

TEST(SourceAllow, LinesBeyondTheFileAndFilesThatAreNotThere) {
  EXPECT_EQ(Hidden(Kind::kDataRace, {400}), "");
  Report report;
  report.findings.push_back(FindingAt(Kind::kDataRace, {2}));
  SourceAllow allow([](const std::string&) { return std::optional<std::string>(); });
  EXPECT_TRUE(allow.Apply(report).empty());
  EXPECT_FALSE(report.findings[0].suppressed);
}

}  // namespace
}  // namespace heddle::findings
