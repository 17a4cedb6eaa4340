#include "findings/sarif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "findings/explain.h"
#include "findings/test_reports.h"

namespace heddle::findings {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json Sarif(const Report& report, const SarifOptions& options = {}) { return json::parse(SarifJson(report, options)); }

TEST(Sarif, OneThreadFlowAThread) {
  json result = Sarif(RaceReport())["runs"][0]["results"][0];
  json flows = result["codeFlows"][0]["threadFlows"];
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0]["id"], "T1");
  EXPECT_EQ(flows[0]["locations"].size(), 2u);
  EXPECT_EQ(flows[1]["locations"].size(), 3u);
  // The racing accesses share their place in the order.
  EXPECT_EQ(flows[0]["locations"][1]["executionOrder"], 4);
  EXPECT_EQ(flows[1]["locations"][2]["executionOrder"], 4);
  EXPECT_EQ(flows[1]["locations"][2]["importance"], "essential");
}

TEST(Sarif, RulesHelpAndFingerprints) {
  Report report = RaceReport();
  Finding cycle = RaceFinding();
  cycle.kind = Kind::kLockOrder;
  cycle.status = FindingStatus::kPossible;
  AddFinding(report, cycle);
  json run = Sarif(report)["runs"][0];
  json rules = run["tool"]["driver"]["rules"];
  ASSERT_EQ(rules.size(), 2u);
  for (const json& result : run["results"]) EXPECT_EQ(rules[result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]);
  EXPECT_THAT(rules[0]["help"]["text"].get<std::string>(), HasSubstr("Hold the same lock"));
  EXPECT_EQ(run["results"][0]["level"], "error");
  EXPECT_EQ(run["results"][1]["level"], "warning");
  EXPECT_EQ(run["results"][0]["partialFingerprints"]["heddle/v1"], report.findings[0].fingerprint);
}

TEST(Sarif, PathsAreRelativeToTheSourceRoot) {
  SarifOptions options;
  options.source_root = "/home/me";
  json run = Sarif(RaceReport(), options)["runs"][0];
  json artifact = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
  EXPECT_EQ(artifact["uri"], "src/hb.c");
  EXPECT_EQ(artifact["uriBaseId"], "SRCROOT");
  EXPECT_EQ(run["originalUriBaseIds"]["SRCROOT"]["uri"], "file:///home/me/");
  Report spaced = RaceReport();
  spaced.findings[0].steps[4].stack[0].file = "/a b/\xc3\xa4.c";
  artifact = Sarif(spaced, options)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
  EXPECT_EQ(artifact["uri"], "file:///a%20b/%C3%A4.c");
}

TEST(Sarif, SuppressedAndKnownFindingsStay) {
  Report report = RaceReport();
  report.findings[0].suppressed = Suppressed{"race:w1", "statistics only"};
  report.findings[0].known = true;
  SarifOptions options;
  options.baseline = true;
  json result = Sarif(report, options)["runs"][0]["results"][0];
  EXPECT_EQ(result["suppressions"][0]["justification"], "statistics only");
  EXPECT_EQ(result["baselineState"], "unchanged");
  EXPECT_FALSE(Sarif(RaceReport())["runs"][0]["results"][0].contains("baselineState"));
}

TEST(Sarif, AnyFindingGivesJson) {
  RandomFindings random(11);
  for (int i = 0; i < 200; ++i) {
    Report report;
    AddFinding(report, random.Next());
    EXPECT_EQ(Sarif(report)["runs"][0]["results"].size(), 1u);
  }
}

TEST(Explain, EveryKindHasEveryPart) {
  for (std::string_view name : KindNames()) {
    const Explanation& explanation = Explain(*KindFromName(name));
    EXPECT_EQ(KindName(explanation.kind), name);
    for (std::string_view part : {explanation.title, explanation.what, explanation.example, explanation.why,
                                  explanation.fix, explanation.proves}) {
      EXPECT_FALSE(part.empty()) << name;
      EXPECT_NE(part.back(), '\n') << name;
    }
    EXPECT_THAT(ExplanationText(explanation), HasSubstr(std::string(name)));
  }
}

}  // namespace
}  // namespace heddle::findings
