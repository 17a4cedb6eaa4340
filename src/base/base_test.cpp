#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <random>

#include "base/duration.h"
#include "base/file.h"
#include "base/json.h"
#include "base/near.h"
#include "base/source.h"

namespace heddle {
namespace {

TEST(SourceFile, FindsPositions) {
  SourceFile file("a", "ab\n\ncd");
  EXPECT_EQ(file.PositionOf(0).line, 1u);
  EXPECT_EQ(file.PositionOf(1).column, 2u);
  EXPECT_EQ(file.PositionOf(3).line, 2u);
  EXPECT_EQ(file.PositionOf(4).line, 3u);
  EXPECT_EQ(file.PositionOf(99).column, 3u);
  EXPECT_EQ(file.Line(1), "ab");
  EXPECT_EQ(file.Line(2), "");
  EXPECT_EQ(file.Line(3), "cd");
  EXPECT_EQ(file.Line(4), "");
}

TEST(Render, ShowsLineAndCaret) {
  SourceMap sources;
  sources.Add("s.csp", "x = 1\nP = chanel!1 -> P\n");
  Diagnostic d{Severity::kError, {0, 10, 16}, "undeclared name `chanel`", "did you mean `channel`?", {}};
  EXPECT_EQ(Render(sources, d),
            "s.csp:2:5: error: undeclared name `chanel`\n"
            "    2 | P = chanel!1 -> P\n"
            "      |     ^~~~~~\n"
            "  help: did you mean `channel`?\n");
}

TEST(Render, SurvivesAnySpan) {
  SourceMap sources;
  sources.Add("s", std::string(500, 'x') + "\n\x01\t\nend");
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    Span span{static_cast<uint32_t>(random() % 2), static_cast<uint32_t>(random() % 520),
              static_cast<uint32_t>(random() % 520)};
    std::string text = Render(sources, {Severity::kNote, span, "m", "", {}});
    EXPECT_THAT(text, testing::EndsWith("\n"));
    EXPECT_LT(text.size(), 400u);
  }
}

int NaiveDistance(std::string_view a, std::string_view b) {
  if (a.empty()) return static_cast<int>(b.size());
  if (b.empty()) return static_cast<int>(a.size());
  int best = std::min({NaiveDistance(a.substr(1), b) + 1, NaiveDistance(a, b.substr(1)) + 1,
                       NaiveDistance(a.substr(1), b.substr(1)) + (a[0] == b[0] ? 0 : 1)});
  if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0]) {
    best = std::min(best, NaiveDistance(a.substr(2), b.substr(2)) + 1);
  }
  return best;
}

TEST(EditDistance, AgreesWithNaive) {
  std::mt19937 random(2);
  for (int i = 0; i < 400; ++i) {
    std::string a(random() % 6, 'a');
    std::string b(random() % 6, 'a');
    for (char& c : a) c = static_cast<char>('a' + random() % 3);
    for (char& c : b) c = static_cast<char>('a' + random() % 3);
    EXPECT_EQ(EditDistance(a, b, 10), NaiveDistance(a, b)) << a << " " << b;
    EXPECT_EQ(EditDistance(a, b, 1), std::min(2, NaiveDistance(a, b))) << a << " " << b;
  }
}

TEST(NearestWord, SuggestsOnlyWhatIsNear) {
  std::array<std::string_view, 3> words = {"channel", "datatype", "assert"};
  EXPECT_EQ(NearestWord("chanel", words), "channel");
  EXPECT_EQ(NearestWord("dataytpe", words), "datatype");
  EXPECT_EQ(NearestWord("zzz", words), "");
  EXPECT_EQ(DidYouMean("asert", words), "did you mean `assert`?");
}

TEST(JsonQuote, EscapesAndMends) {
  EXPECT_EQ(JsonQuote("a\"\\\n\x01"), R"("a\"\\\n\u0001")");
  EXPECT_EQ(JsonQuote("\xc3\xa9"), "\"\xc3\xa9\"");
  EXPECT_EQ(JsonQuote("\xff"), R"("\ufffd")");
  EXPECT_EQ(JsonQuote("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");
}

TEST(JsonWriter, NestsAndIndents) {
  JsonWriter json;
  json.BeginObject().Key("a").BeginArray().Int(-1).Bool(true).Null().EndArray().Key("b").BeginObject().EndObject();
  json.EndObject();
  EXPECT_EQ(json.text(), "{\n  \"a\": [\n    -1,\n    true,\n    null\n  ],\n  \"b\": {}\n}\n");
  JsonWriter line(JsonWriter::Style::kCompact);
  line.BeginObject().Key("a").Double(0.5).Key("b").Double(1.0 / 0.0).EndObject();
  EXPECT_EQ(line.text(), "{\"a\":0.5,\"b\":null}");
}

TEST(ParseDuration, TakesUnitsAndRefusesNonsense) {
  EXPECT_DOUBLE_EQ(*ParseDuration("500ms"), 0.5);
  EXPECT_DOUBLE_EQ(*ParseDuration("60s"), 60);
  EXPECT_DOUBLE_EQ(*ParseDuration("1.5m"), 90);
  EXPECT_DOUBLE_EQ(*ParseDuration("7"), 7);
  for (const char* wrong : {"", "s", "-1s", "5 parsecs", "inf", "1s "})
    EXPECT_FALSE(ParseDuration(wrong).ok()) << wrong;
}

TEST(File, RoundTripAndErrors) {
  std::string dir = testing::TempDir() + "/heddle_base_" + std::to_string(getpid());
  std::filesystem::create_directories(dir);
  ASSERT_TRUE(WriteFileAtomic(dir + "/x", "one").ok());
  ASSERT_TRUE(WriteFileAtomic(dir + "/x", "two").ok());
  EXPECT_EQ(*ReadFile(dir + "/x"), "two");
  auto missing = ReadFile(dir + "/none");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(WriteFileAtomic(dir + "/no/such/dir", "x").ok());
  std::filesystem::remove_all(dir);
}

TEST(File, ALinkIsWrittenThroughAndStays) {
  std::string dir = testing::TempDir() + "/heddle_link_" + std::to_string(getpid());
  std::filesystem::create_directories(dir);
  ASSERT_TRUE(WriteFileAtomic(dir + "/x", "long content").ok());
  std::filesystem::create_symlink(dir + "/x", dir + "/link");
  ASSERT_TRUE(WriteFileAtomic(dir + "/link", "two").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(dir + "/link"));
  EXPECT_EQ(*ReadFile(dir + "/x"), "two");
  std::filesystem::remove_all(dir);
}

}  // namespace
}  // namespace heddle
