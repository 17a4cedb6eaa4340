#include "analysis/deadlock/since.h"

#include <gtest/gtest.h>

namespace heddle::analysis {
namespace {

// a.c has functions at 10 to 20 and 30 to 40, h.h one at 5 to 8.
deadlock::SourceCode Code() {
  deadlock::SourceCode code;
  code.functions = {{"/p/a.c", 10, 20}, {"/p/a.c", 30, 40}, {"/p/h.h", 5, 8}, {"/p/b.c", 1, 90}};
  code.files = {"/p/a.c", "/p/b.c", "/p/h.h"};
  code.units = {"/p/a.c", "/p/b.c"};
  return code;
}

findings::Finding At(const std::string& file, uint32_t line, uint32_t created = 0) {
  Frame frame;
  frame.file = file;
  frame.line = line;
  findings::Finding finding;
  finding.steps.emplace_back().stack = {frame};
  frame.line = created;
  if (created != 0) finding.threads.emplace_back().creation_stack = {frame};
  return finding;
}

bool Touched(const ChangedFile& change, const findings::Finding& finding) {
  return TouchedFindings({change}, Code()).Touches(finding);
}

TEST(Since, AChangeInAFunctionTouchesWhatGoesThroughIt) {
  ChangedFile change{"/p/a.c", {{12, 1}}, false};
  EXPECT_TRUE(Touched(change, At("/p/a.c", 19)));
  EXPECT_FALSE(Touched(change, At("/p/a.c", 35)));
  EXPECT_FALSE(Touched(change, At("/p/b.c", 12)));
  EXPECT_TRUE(Touched(change, At("/p/a.c", 35, 15)));  // the thread is created there
}

TEST(Since, ADeletionTouchesTheFunctionAroundIt) {
  EXPECT_TRUE(Touched({"/p/a.c", {{12, 0}}, false}, At("/p/a.c", 19)));
  EXPECT_FALSE(Touched({"/p/a.c", {{12, 0}}, false}, At("/p/a.c", 35)));
  EXPECT_TRUE(Touched({"/p/a.c", {{9, 0}}, false}, At("/p/a.c", 19)));  // right before its first line
}

TEST(Since, AChangeOutsideOfFunctionsTouchesTheFile) {
  EXPECT_TRUE(Touched({"/p/a.c", {{25, 2}}, false}, At("/p/a.c", 35)));
  EXPECT_FALSE(Touched({"/p/a.c", {{25, 2}}, false}, At("/p/b.c", 35)));
  EXPECT_TRUE(Touched({"/p/a.c", {{12, 1}}, true}, At("/p/a.c", 35)));  // a macro in a function
  EXPECT_TRUE(Touched({"/p/a.c", {}, false}, At("/p/a.c", 35)));
}

TEST(Since, AHeaderTouchesEverythingUnlessItIsAFunction) {
  EXPECT_TRUE(Touched({"/p/h.h", {{2, 1}}, false}, At("/p/b.c", 35)));
  EXPECT_FALSE(Touched({"/p/h.h", {{6, 1}}, false}, At("/p/b.c", 35)));
  EXPECT_TRUE(Touched({"/p/h.h", {{6, 1}}, false}, At("/p/h.h", 7)));
}

TEST(Since, FilesOfOthersTouchNothing) { EXPECT_FALSE(Touched({"/p/notes.txt", {}, true}, At("/p/a.c", 12))); }

}  // namespace
}  // namespace heddle::analysis
