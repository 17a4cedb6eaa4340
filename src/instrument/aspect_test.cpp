#include "instrument/aspect.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::instrument {
namespace {

std::string ErrorOf(const std::string& text) {
  auto parsed = ParseAspects("a.aspect", text);
  return parsed ? "" : parsed.error().message;
}

TEST(Aspect, ReadsTheOrdersOfTheGrammar) {
  auto parsed = ParseAspects("a.aspect",
                             "open(#return) after call open_file\n"
                             "\n"
                             "  prepare( #0 , **#3 ) after call sqlite3_prepare // both\n"
                             "enter before body ns::Queue<int>::push(int const&)\n"
                             "x(load) before read-global x\n"
                             "seen(#size, #address, #value, 7) after write-global x\r\n"
                             "here before line src/queue.c:12\n");
  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_EQ(parsed->size(), 6U);
  EXPECT_EQ((*parsed)[0].fields[0].kind, FieldKind::kReturn);
  EXPECT_EQ((*parsed)[1].fields[1].stars, 2U);
  EXPECT_EQ((*parsed)[1].fields[1].index, 3U);
  EXPECT_EQ((*parsed)[2].target, "ns::Queue<int>::push(int const&)");
  EXPECT_EQ(EventText((*parsed)[2]), "enter()");
  EXPECT_EQ((*parsed)[4].fields[3].kind, FieldKind::kNumber);
  EXPECT_EQ((*parsed)[5].what, JoinPoint::kLine);
  EXPECT_EQ(WeaveText({(*parsed)[4]}), "after write-global\tx\tseen(#size,#address,#value,7)\t#size,#address,#value\n");
}

TEST(Aspect, SaysWhatIsWrong) {
  EXPECT_NE(ErrorOf("open(#return) before call f").find("#return is only known after"), std::string::npos);
  EXPECT_NE(ErrorOf("open(#retrun) after call f").find("did you mean `#return`"), std::string::npos);
  EXPECT_NE(ErrorOf("open afer call f").find("did you mean `after`"), std::string::npos);
  EXPECT_NE(ErrorOf("open after cal f").find("did you mean `call`"), std::string::npos);
  EXPECT_NE(ErrorOf("x(#0) before read-global x").find("cannot be captured at `read-global`"), std::string::npos);
  EXPECT_NE(ErrorOf("x(#value) before line a.c:1").find("cannot be captured at `line`"), std::string::npos);
  EXPECT_NE(ErrorOf("x(*#value) before read-global x").find("dereferenced"), std::string::npos);
  EXPECT_NE(ErrorOf("lock before call f").find("meaning of its own"), std::string::npos);
  EXPECT_NE(ErrorOf("x(#0 before call f").find("expected `,` or `)`"), std::string::npos);
  EXPECT_NE(ErrorOf("x(#0").find("not closed"), std::string::npos);
  EXPECT_NE(ErrorOf("x before line a.c").find("FILE:LINE"), std::string::npos);
  EXPECT_NE(ErrorOf("x before call").find("missing"), std::string::npos);
  EXPECT_NE(ErrorOf("x(#0) before call f\nx before call g").find("other fields than in line 1"), std::string::npos);
  EXPECT_NE(ErrorOf("1 before call f\nx before call g\n- before call h").find("a.aspect:3:1"), std::string::npos);
}

TEST(Aspect, WhatIsPrintedIsReadBack) {
  std::mt19937 random(7);
  const std::vector<std::string> names = {"open", "close", "x_1", "B"};
  const std::vector<std::string> targets = {"f", "a::b(int, char const*)", "operator new"};
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (uint32_t i = 0; i < 4; ++i) {
      std::string fields = (random() % 2 == 0 ? "#0,*#12,word" : "**#1,#3,load");
      text += names[i] + (random() % 3 == 0 ? "()" : "(" + fields + ")") + (random() % 2 == 0 ? " before" : " after") +
              (random() % 2 == 0 ? " call " : " body ") + targets[random() % targets.size()] + "\n";
    }
    auto parsed = ParseAspects("a", text);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(PrintAspects(*parsed), text);
  }
}

}  // namespace
}  // namespace heddle::instrument
