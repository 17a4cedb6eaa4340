#include "findings/suppressions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "findings/test_reports.h"

namespace heddle::findings {
namespace {

using testing::HasSubstr;

// The definition, word by word: try every split at a star.
bool NaiveGlob(std::string_view glob, std::string_view name) {
  if (glob.empty()) return name.empty();
  if (glob[0] != '*') return !name.empty() && glob[0] == name[0] && NaiveGlob(glob.substr(1), name.substr(1));
  for (size_t i = 0; i <= name.size(); ++i) {
    if (NaiveGlob(glob.substr(1), name.substr(i))) return true;
  }
  return false;
}

bool NaivePattern(std::string pattern, const std::string& name) {
  if (name.empty()) return false;
  pattern = !pattern.empty() && pattern[0] == '^' ? pattern.substr(1) : "*" + pattern;
  if (!pattern.empty() && pattern.back() == '$') {
    pattern.pop_back();
  } else {
    pattern += "*";
  }
  return NaiveGlob(pattern, name);
}

TEST(Pattern, AgreesWithNaive) {
  std::mt19937 random(1);
  constexpr char kPattern[] = "aab*^$";
  int matches = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string pattern(random() % 7, ' ');
    std::string name(random() % 7, ' ');
    for (char& c : pattern) c = kPattern[random() % 6];
    for (char& c : name) c = "ab"[random() % 2];
    bool naive = NaivePattern(pattern, name);
    matches += naive ? 1 : 0;
    ASSERT_EQ(PatternMatches(pattern, name), naive) << pattern << " on " << name;
  }
  EXPECT_GT(matches, 1000);
}

TEST(Pattern, Anchors) {
  EXPECT_TRUE(PatternMatches("Log", "MyLogger::Write"));
  EXPECT_FALSE(PatternMatches("^Log", "MyLogger::Write"));
  EXPECT_TRUE(PatternMatches("Write$", "MyLogger::Write"));
  EXPECT_FALSE(PatternMatches("Logger$", "MyLogger::Write"));
  EXPECT_TRUE(PatternMatches("^My*::*te$", "MyLogger::Write"));
  EXPECT_TRUE(PatternMatches("a$", "aba"));
  EXPECT_FALSE(PatternMatches("*", ""));
}

class Suppressions : public testing::Test {
 protected:
  SuppressionSet Parse(const std::string& text) { return ParseSuppressions(sources_, sources_.Add("s.txt", text)); }
  std::string Messages(const SuppressionSet& set) {
    std::string out;
    for (const Diagnostic& diagnostic : set.diagnostics) out += Render(sources_, diagnostic);
    return out;
  }
  bool Hides(const std::string& rule, const Finding& finding) {
    SuppressionSet set = Parse(rule + "  # test");
    EXPECT_EQ(set.rules.size(), 1u) << rule;
    return !set.rules.empty() && Matches(set.rules[0], finding);
  }
  SourceMap sources_;
};

TEST_F(Suppressions, ReadsRulesAndReasons) {
  SuppressionSet set = Parse(
      "# header\n\n# first half\n# second half\nrace:f\n"
      "  deadlock : ^a b$ \t# behind\r\ncalled_from_lib:libz.so # z\nfingerprint:0123456789abcdef # one");
  EXPECT_EQ(Messages(set), "");
  ASSERT_EQ(set.rules.size(), 4u);
  EXPECT_EQ(set.rules[0].reason, "first half second half");
  EXPECT_EQ(set.rules[1].type, "deadlock");
  EXPECT_EQ(set.rules[1].pattern, "^a b$");
  EXPECT_EQ(set.rules[1].reason, "behind");
}

TEST_F(Suppressions, WarnsAboutAMissingReason) {
  SuppressionSet set = Parse("# why\nrace:f\nrace:g\n# not directly above\n\nrace:h");
  EXPECT_EQ(set.rules.size(), 3u);
  EXPECT_EQ(set.diagnostics.size(), 2u);
  EXPECT_THAT(Messages(set), HasSubstr("s.txt:3:1: warning: this suppression has no reason\n    3 | race:g\n"
                                       "      | ^~~~~~\n"));
}

TEST_F(Suppressions, NamesWhatIsWrong) {
  SuppressionSet set = Parse("# r\n  rcae:f\n# r\nrace\n# r\nrace:  \n# r\nfingerprint:12");
  EXPECT_TRUE(set.rules.empty());
  std::string messages = Messages(set);
  EXPECT_THAT(messages, HasSubstr("s.txt:2:3: error: unknown suppression type `rcae`\n    2 |   rcae:f\n"
                                  "      |   ^~~~\n  help: did you mean `race`?\n"));
  EXPECT_THAT(messages, HasSubstr("s.txt:4:1: error: expected `TYPE:PATTERN`"));
  EXPECT_THAT(messages, HasSubstr("s.txt:6:1: error: the pattern is missing"));
  EXPECT_THAT(messages, HasSubstr("s.txt:8:13: error: expected a fingerprint of 16 hexadecimal digits"));
}

TEST_F(Suppressions, EachTypeLooksAtItsNames) {
  Finding race = RaceFinding();
  race.steps[3].stack.insert(race.steps[3].stack.begin() + 1, UserAt("outer", 40));
  race.fingerprint = "00112233445566aa";
  EXPECT_TRUE(Hides("race:^w1$", race));
  EXPECT_TRUE(Hides("race:outer", race));
  EXPECT_TRUE(Hides("race:hb.c", race));
  EXPECT_TRUE(Hides("race:^x$", race));
  EXPECT_TRUE(Hides("data-race:^l$", race));
  EXPECT_FALSE(Hides("race:^l$", race));
  EXPECT_TRUE(Hides("race_top:w1", race));
  EXPECT_FALSE(Hides("race_top:outer", race));
  EXPECT_FALSE(Hides("deadlock:w1", race));
  EXPECT_FALSE(Hides("misuse:w1", race));
  EXPECT_TRUE(Hides("called_from_lib:/src/hb", race));
  EXPECT_FALSE(Hides("called_from_lib:libc.so", race));
  EXPECT_TRUE(Hides("fingerprint:00112233445566aa", race));
  Finding cycle = race;
  cycle.kind = Kind::kLockOrder;
  EXPECT_TRUE(Hides("deadlock:w2", cycle));
  EXPECT_FALSE(Hides("race:w2", cycle));
  cycle.kind = Kind::kDeadlock;
  EXPECT_TRUE(Hides("deadlock:w2", cycle));
}

TEST_F(Suppressions, MisuseIsToldApart) {
  Finding misuse = RaceFinding();
  misuse.kind = Kind::kMisuse;
  misuse.steps[3].what = misuse.steps[4].what = "unlock";
  EXPECT_TRUE(Hides("mutex:w1", misuse));
  EXPECT_FALSE(Hides("signal:w1", misuse));
  EXPECT_FALSE(Hides("thread:w1", misuse));
  misuse.steps[3].what = "join";
  EXPECT_TRUE(Hides("thread:w1", misuse));
  EXPECT_TRUE(Hides("thread:main", misuse)) << "the creation stack";
  EXPECT_FALSE(Hides("mutex:w1", misuse));
  misuse.steps[3].what = "signal-handler";
  EXPECT_TRUE(Hides("signal:w1", misuse));
}

TEST_F(Suppressions, MarksCountsAndReportsUnused) {
  Report report = RaceReport();
  SuppressionSet set = Parse("race:nothing # a\nrace:w1 # b\nrace:w2 # c");
  ApplySuppressions(set, report);
  ASSERT_TRUE(report.findings[0].suppressed);
  EXPECT_EQ(report.findings[0].suppressed->rule, "race:w1");
  EXPECT_EQ(report.findings[0].suppressed->reason, "b");
  EXPECT_EQ(ActiveCount(report), 0u);
  SuppressionSet other = Parse("race:nothing # a");
  Report again = report;
  ApplySuppressions(other, again);
  EXPECT_EQ(ActiveCount(again), 1u) << "a rule that was removed hides nothing any more";
  EXPECT_EQ(set.rules[1].uses, 1u);
  std::vector<Diagnostic> unused = UnusedSuppressions(set);
  ASSERT_EQ(unused.size(), 2u);
  EXPECT_THAT(Render(sources_, unused[0]), HasSubstr("s.txt:1:1: warning: this suppression hides nothing"));
}

}  // namespace
}  // namespace heddle::findings
