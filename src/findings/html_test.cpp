#include "findings/html.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "findings/test_reports.h"

namespace heddle::findings {
namespace {

constexpr std::string_view kPage = "<a>\"id\"</a><script type=\"application/json\">HEDDLE_DATA</script><b>";

std::string DataOf(const std::string& html) {
  size_t begin = html.find("json\">") + 6;
  return html.substr(begin, html.find("</script>") - begin);
}

TEST(Html, DataIsTheReport) {
  Report report = RaceReport();
  nlohmann::json data = nlohmann::json::parse(DataOf(ReportHtml(kPage, report, {{"hb.c", {{4, {"x", "y"}}}}}, true)));
  EXPECT_EQ(data["report"]["findings"][0]["id"], "F1");
  EXPECT_EQ(data["sources"]["hb.c"][0]["first"], 4);
  EXPECT_EQ(data["sources"]["hb.c"][0]["lines"][1], "y");
  EXPECT_EQ(data["baseline"], true);
  EXPECT_EQ(ReportHtml("no mark", report, {}, false), "");
}

// Every text of the target that can end an element, end a line or turn text around, with quotes and bytes that are no
// UTF-8.
TEST(Html, HostileTextStaysData) {
  const std::string hostile =
      "</script><script>alert(1)</script><!-- ]]> & \" ' \\ \x01\x1b[2J\x7f \xe2\x80\xa8\xe2\x80\xa9 \xe2\x80\xae "
      "\xe2\x81\xa6 \xd8\x9c \xff\xc0\x80 \xe2\x82\xac";
  Report report = RaceReport();
  report.program = hostile;
  report.findings[0].message = hostile;
  report.findings[0].threads[0].name = hostile;
  report.findings[0].steps[0].operand = hostile;
  report.findings[0].steps[0].stack[0].file = hostile;
  std::string html = ReportHtml(kPage, report, {{hostile, {{1, {hostile}}}}}, false);
  EXPECT_EQ(html.find("</script>"), html.rfind("</script>"));
  std::string data = DataOf(html);
  for (std::string_view bad : {"<", ">", "&", "\x01", "\x1b", "\x7f", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xae",
                               "\xe2\x81\xa6", "\xd8\x9c", "\xff", "\xc0"}) {
    EXPECT_EQ(data.find(bad), std::string::npos) << bad;
  }
  nlohmann::json read = nlohmann::json::parse(data);
  std::string replaced = hostile;
  for (std::string_view byte : {"\xff", "\xc0", "\x80 \xe2\x82"}) {
    replaced.replace(replaced.find(byte), 1, "\xef\xbf\xbd");
  }
  EXPECT_EQ(read["report"]["program"], replaced);
  EXPECT_EQ(read["sources"][replaced][0]["lines"][0], replaced);
}

TEST(Html, SafeTextIsEqualJson) {
  RandomFindings random(7);
  for (int i = 0; i < 200; ++i) {
    Report report;
    AddFinding(report, random.Next());
    std::string html = ReportHtml(kPage, report, {}, false);
    nlohmann::json read = nlohmann::json::parse(DataOf(html));
    EXPECT_EQ(read["report"]["findings"][0]["message"], report.findings[0].message);
  }
}

TEST(Html, ExcerptsSurroundSteps) {
  std::string path = testing::TempDir() + "excerpts.c";
  {
    std::ofstream file(path);
    for (int i = 1; i <= 200; ++i) file << "line " << i << "\n";
  }
  Report report = RaceReport();
  report.findings[0].steps.resize(3);
  uint32_t lines[] = {3, 20, 150};
  for (size_t i = 0; i < 3; ++i) report.findings[0].steps[i].stack = {UserAt("f", lines[i], path)};
  report.findings[0].steps.push_back(report.findings[0].steps[0]);
  report.findings[0].steps[3].stack = {UserAt("f", 199, "excerpts.c")};  // a bare name
  Excerpts sources = SourceExcerpts(report);
  ASSERT_EQ(sources[path].size(), 2U);
  EXPECT_EQ(sources[path][0].first, 1U);
  EXPECT_EQ(sources[path][0].lines.size(), 30U);
  EXPECT_EQ(sources[path][0].lines[19], "line 20");
  EXPECT_EQ(sources[path][1].first, 136U);
  EXPECT_EQ(sources[path][1].lines.size(), 25U);
  ASSERT_EQ(sources["excerpts.c"].size(), 1U);
  EXPECT_EQ(sources["excerpts.c"][0].lines.back(), "line 200");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace heddle::findings
