#include "findings/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "findings/test_reports.h"
#include "findings/width.h"

namespace heddle::findings {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

TEST(Text, LooksLikeTheContract) {
  EXPECT_EQ(ReportText(RaceReport(), {}),
            R"(error[data-race]: two unordered writes to `x`                                 F1 · confirmed by replay
  hb.c:5   thread T2 `w2`   x = 1      locks held: none
  hb.c:4   thread T1 `w1`   x = 0      locks held: l
      T1                      T2
   1                          lock(l)      hb.c:5
   2                          unlock(l)    hb.c:5
   3  lock(l)      hb.c:4
   4  x = 0        hb.c:4  ‖  x = 1        hb.c:5
  the recorded run took `l` in the other order, which hides the race from happens-before detectors
  help: hold `l` around hb.c:5, or make `x` atomic
  replay: heddle replay F1
1 finding (1 confirmed) · 1 run, 12 events, 2 threads · all reorderings of this trace checked · 0.2 s
)");
}

TEST(Text, ColorOnlyWhenAsked) {
  EXPECT_THAT(ReportText(RaceReport(), {}), Not(HasSubstr("\x1b")));
  TextOptions options;
  options.color = true;
  std::string painted = ReportText(RaceReport(), options);
  EXPECT_THAT(painted, HasSubstr("\x1b[1;31merror[data-race]\x1b[0m"));
  // Without its escapes the coloured text is the plain one: paint takes no columns.
  for (size_t at = painted.find('\x1b'); at != std::string::npos; at = painted.find('\x1b')) {
    painted.erase(at, painted.find('m', at) + 1 - at);
  }
  EXPECT_EQ(painted, ReportText(RaceReport(), {}));
}

TEST(Text, NarrowScreenListsTheThreads) {
  TextOptions options;
  options.width = 40;
  EXPECT_THAT(FindingText(RaceFinding(), options), HasSubstr("   3  T1  lock(l)      hb.c:4\n"
                                                             "   4  T1  x = 0        hb.c:4\n"
                                                             "   ‖  T2  x = 1        hb.c:5\n"));
}

TEST(Text, LongWitnessKeepsTheEnd) {
  Finding finding = RaceFinding();
  finding.steps.clear();
  for (uint32_t i = 1; i <= 100; ++i) finding.steps.push_back(StepOf("T1", "lock", "l", i, i));
  std::string text = FindingText(finding, {});
  EXPECT_THAT(text, HasSubstr("   …  76 earlier steps\n  77  lock(l)"));
  EXPECT_THAT(text, HasSubstr(" 100  lock(l)"));
  TextOptions all;
  all.verbose = true;
  EXPECT_THAT(FindingText(finding, all), HasSubstr("   1  lock(l)"));
}

TEST(Text, FoldsLibraryFrames) {
  Finding finding = RaceFinding();
  finding.steps[4].stack = {LibraryAt("memcpy"), UserAt("put", 5), LibraryAt("a"),
                            LibraryAt("b"),      UserAt("w2", 30), LibraryAt("start_thread")};
  EXPECT_THAT(FindingText(finding, {}), HasSubstr("locks held: none\n"
                                                  "      in `memcpy` ← `put` ← 2 library frames ← `w2` hb.c:30\n"));
}

TEST(Text, SaysWhatTheMemoryIs) {
  Finding finding = RaceFinding();
  finding.memory.where = Memory::Where::kHeap;
  finding.memory.offset = 8;
  finding.memory.size = 24;
  finding.memory.thread = "T0";
  finding.memory.allocation_stack = {LibraryAt("malloc"), UserAt("make", 3)};
  EXPECT_THAT(FindingText(finding, {}),
              HasSubstr("  memory: byte 8 of a heap block of 24 bytes allocated by T0 at hb.c:3 in `make`\n"));
  finding.memory.where = Memory::Where::kStack;
  finding.memory.name = "buffer";
  finding.memory.allocation_stack.clear();
  EXPECT_THAT(FindingText(finding, {}), HasSubstr("  memory: byte 8 of `buffer` of 24 bytes on the stack of T0\n"));
}

TEST(Text, PossibleIsAWarningAndCountsAreShown) {
  Finding finding = RaceFinding();
  finding.status = FindingStatus::kPossible;
  finding.status_note.clear();
  finding.count = 7;
  EXPECT_THAT(FindingText(finding, {}), HasSubstr("warning[data-race]: "));
  EXPECT_THAT(FindingText(finding, {}), HasSubstr("possible · 7 times\n"));
}

TEST(Text, LastLineAlwaysSaysWhatWasCovered) {
  Report report;
  EXPECT_EQ(CoverageLine(report), "no findings · sampled: other runs may differ · 0.0 s");
  report.coverage.complete = true;
  report.coverage.executions = 44;
  report.coverage.blocked = 3;
  EXPECT_EQ(CoverageLine(report), "no findings · 44 executions, 3 blocked · complete · 0.0 s");
  report.coverage.complete = false;
  report.coverage.bound = "the time limit of 60 s";
  report.coverage.seconds = 360.4;
  EXPECT_THAT(CoverageLine(report), EndsWith("bounded by the time limit of 60 s · 360 s"));
  report = RaceReport();
  report.findings[0].suppressed = Suppressed{"race:x", "known"};
  EXPECT_THAT(ReportText(report, {}), testing::StartsWith("no findings, 1 suppressed · "));
}

TEST(Text, NeverPrintsControlCharacters) {
  RandomFindings random(7);
  for (int i = 0; i < 500; ++i) {
    std::string text = FindingText(random.Next(), {});
    for (char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= ' ') << text;
  }
}

TEST(Width, CountsColumns) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("\xe6\xbc\xa2\xe5\xad\x97"), 4u);  // two ideographs
  EXPECT_EQ(DisplayWidth("e\xcc\x81"), 1u);                 // e and a combining accent
  EXPECT_EQ(DisplayWidth("‖·←…"), 4u);
  EXPECT_EQ(DisplayWidth("\xf0\x9f\x90\x9b"), 2u);  // an emoji
  EXPECT_EQ(DisplayWidth("\xff\xe6\xbc"), 3u);      // broken bytes
  EXPECT_EQ(PadTo("\xe6\xbc\xa2", 4), "\xe6\xbc\xa2  ");
  EXPECT_EQ(CutTo("\xe6\xbc\xa2\xe5\xad\x97", 3), "\xe6\xbc\xa2…");
  EXPECT_EQ(CutTo("abcdef", 4), "abc…");
  EXPECT_EQ(Printable("a\x1b[2Jb\xff\xe2\x80\xae"), "a?[2Jb??");
}

TEST(WrapTo, BreaksAtSpacesAndKeepsColumns) {
  EXPECT_EQ(WrapTo("  short", 20), "  short");
  EXPECT_EQ(WrapTo("  the words of a sentence", 14), "  the words of\n      a\n      sentence");
  EXPECT_EQ(WrapTo("a   b", 20), "a   b");
  EXPECT_EQ(WrapTo("", 20), "");
  EXPECT_EQ(WrapTo("   ", 20), "   ");
  EXPECT_EQ(WrapTo("unbreakableword x", 5), "unbreakableword\n    x");
  EXPECT_EQ(WrapTo("\x1b[1mbold\x1b[0m words", 10), "\x1b[1mbold\x1b[0m words");
}

TEST(ReportText, FitsSixtyColumnsExceptForCommands) {
  TextOptions options;
  options.width = 60;
  options.wrap = true;
  std::istringstream lines(ReportText(RaceReport(), options));
  for (std::string line; std::getline(lines, line);) {
    bool command = line.find("heddle replay") != std::string::npos;
    EXPECT_TRUE(command || DisplayWidth(line) <= 60U) << line;
  }
}

}  // namespace
}  // namespace heddle::findings
