#include "findings/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/test_reports.h"

namespace heddle::findings {
namespace {

using testing::HasSubstr;
using testing::Not;

Report SuiteReport() {
  Report report = RaceReport();
  report.findings[0].tests = {"Cache.Get"};
  report.tests = {{"Cache.Get", TestEnd::kFindings, "", {"F1"}, true, false, 1.5},
                  {"Cache.Put", TestEnd::kClean, "", {}, true, false, 0.25},
                  {"Log.<Write>", TestEnd::kUndecided, "the run was \"cut\" \x1b", {}, false, false, 60}};
  return report;
}

TEST(Junit, FailuresAndErrors) {
  std::string xml = JunitXml(SuiteReport());
  EXPECT_THAT(xml, HasSubstr("tests=\"3\" failures=\"1\" errors=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"heddle\" name=\"Cache.Put\" time=\"0.250\"/>"));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"data-race: two unordered writes to `x`\">error[data-race]"));
  EXPECT_THAT(xml, HasSubstr("name=\"Log.&lt;Write&gt;\""));
  EXPECT_THAT(xml, HasSubstr("not decided: the run was &quot;cut&quot;"));
  EXPECT_THAT(xml, Not(HasSubstr("\x1b")));
}

TEST(Junit, WhatIsHiddenDoesNotFail) {
  Report report = SuiteReport();
  report.findings[0].known = true;
  EXPECT_THAT(JunitXml(report), HasSubstr("failures=\"0\" errors=\"1\""));
}

TEST(Junit, AProgramAloneIsOneTest) {
  EXPECT_THAT(JunitXml(RaceReport()), HasSubstr("tests=\"1\" failures=\"1\" errors=\"0\""));
}

}  // namespace
}  // namespace heddle::findings
