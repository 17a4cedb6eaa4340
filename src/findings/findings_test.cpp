#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "findings/baseline.h"
#include "findings/fingerprint.h"
#include "findings/report_json.h"
#include "findings/test_reports.h"

namespace heddle::findings {
namespace {

using testing::HasSubstr;

TEST(Names, RoundTrip) {
  for (std::string_view name : KindNames()) EXPECT_EQ(KindName(*KindFromName(name)), name);
  for (std::string_view name : {"possible", "proved", "confirmed"}) EXPECT_EQ(StatusName(*StatusFromName(name)), name);
  EXPECT_FALSE(KindFromName("race"));
  EXPECT_FALSE(StatusFromName(""));
}

TEST(Fingerprint, IgnoresWhatChangesFromRunToRun) {
  Finding finding = RaceFinding();
  std::string print = Fingerprint(finding);
  EXPECT_EQ(print.size(), 16u);
  Finding other = finding;
  std::swap(other.steps[3], other.steps[4]);
  std::swap(other.steps[3].site, other.steps[4].site);
  for (Step& step : other.steps) {
    step.thread += ".7";
    step.row += 3;
    step.locks.clear();
    for (Frame& frame : step.stack) {
      frame.file = "/elsewhere/" + Basename(frame.file);
      frame.module_offset += 4096;
      frame.column += 2;
      frame.line += 40;  // code was added above the function
      frame.function_line += 40;
    }
  }
  other.message = "other words";
  other.count = 9;
  EXPECT_EQ(Fingerprint(other), print);
}

TEST(Fingerprint, TellsSitesAndKindsApart) {
  Finding finding = RaceFinding();
  std::string print = Fingerprint(finding);
  Finding line = finding;
  line.steps[4].stack[0].line += 1;
  EXPECT_NE(Fingerprint(line), print);
  Finding function = finding;
  function.steps[4].stack[0].function = "w3";
  EXPECT_NE(Fingerprint(function), print);
  Finding kind = finding;
  kind.kind = Kind::kAtomicity;
  EXPECT_NE(Fingerprint(kind), print);
  Finding stripped = finding;
  stripped.steps[4].stack = {Frame{}};
  stripped.steps[4].stack[0].module = "/x/a.out";
  stripped.steps[4].stack[0].module_offset = 16;
  std::string at16 = Fingerprint(stripped);
  stripped.steps[4].stack[0].module_offset = 17;
  EXPECT_NE(Fingerprint(stripped), at16);
}

// A fixed value: a change of what is hashed breaks every user's baseline, so it must be made on purpose.
TEST(Fingerprint, StaysTheSameFromVersionToVersion) { EXPECT_EQ(Fingerprint(RaceFinding()), "ae2e744c18efabbc"); }

TEST(Report, JoinsEqualFindings) {
  Report report;
  Finding weak = RaceFinding();
  weak.status = FindingStatus::kPossible;
  weak.message = "weak";
  AddFinding(report, weak);
  AddFinding(report, RaceFinding());
  Finding& joined = AddFinding(report, weak);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(joined.id, "F1");
  EXPECT_EQ(joined.count, 3u);
  EXPECT_EQ(joined.status, FindingStatus::kConfirmed);
  EXPECT_EQ(joined.message, "two unordered writes to `x`");
}

TEST(Report, NewIdsNeverClash) {
  Report report;
  for (int i = 0; i < 3; ++i) {
    Finding finding = RaceFinding();
    finding.steps[4].stack[0].line = 100 + static_cast<uint32_t>(i);
    AddFinding(report, finding);
  }
  report.findings.erase(report.findings.begin());  // F2, F3 stay
  Finding finding = RaceFinding();
  EXPECT_EQ(AddFinding(report, finding).id, "F4");
}

// The twin: a map from fingerprint to summed count and strongest status.
TEST(Report, MergeAgreesWithAMap) {
  RandomFindings random(3);
  std::map<std::string, std::pair<uint64_t, FindingStatus>> naive;
  Report merged;
  for (int round = 0; round < 30; ++round) {
    Report part;
    for (int i = 0; i < 20; ++i) {
      Finding finding = random.Next();
      auto [entry, fresh] = naive.try_emplace(Fingerprint(finding), 0, FindingStatus::kPossible);
      entry->second.first += finding.count;
      entry->second.second = std::max(entry->second.second, finding.status);
      AddFinding(part, finding);
    }
    Merge(merged, part);
  }
  ASSERT_EQ(merged.findings.size(), naive.size());
  EXPECT_LT(naive.size(), 600u);  // some were equal, else this tests nothing
  std::set<std::string> ids;
  for (const Finding& finding : merged.findings) {
    EXPECT_EQ(finding.count, naive[finding.fingerprint].first);
    EXPECT_EQ(finding.status, naive[finding.fingerprint].second);
    EXPECT_TRUE(ids.insert(finding.id).second);
  }
}

TEST(Report, MergeAddsCoverage) {
  Report a = RaceReport();
  Report b = RaceReport();
  b.coverage.complete = false;
  b.coverage.bound = "200 executions";
  Merge(a, b);
  EXPECT_FALSE(a.coverage.complete);
  EXPECT_EQ(a.coverage.bound, "200 executions");
  EXPECT_EQ(a.coverage.scope, "all reorderings of this trace checked");
  EXPECT_EQ(a.coverage.runs, 2u);
  EXPECT_EQ(a.coverage.threads, 2u);
}

TEST(Report, Compares) {
  Report before = RaceReport();
  Report after = RaceReport();
  Finding other = RaceFinding();
  other.kind = Kind::kLockOrder;
  AddFinding(after, other);
  Comparison comparison = Compare(before, after);
  EXPECT_EQ(comparison.added.size(), 1u);
  EXPECT_EQ(comparison.unchanged.size(), 1u);
  EXPECT_TRUE(comparison.gone.empty());
  comparison = Compare(after, before);
  EXPECT_EQ(comparison.gone.size(), 1u);
  after.findings[1].suppressed = Suppressed{"x", "y"};
  EXPECT_TRUE(Compare(before, after).added.empty());
}

TEST(Json, RoundTrips) {
  Report report = RaceReport();
  Result<Report> again = ReadReportJson("r.json", ReportJson(report));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(*again, report);
  RandomFindings random(5);
  for (int i = 0; i < 200; ++i) {
    Report many;
    for (int j = 0; j < 3; ++j) AddFinding(many, random.Next());
    again = ReadReportJson("r.json", ReportJson(many));
    ASSERT_TRUE(again.ok()) << again.error().message;
    ASSERT_EQ(*again, many);
  }
}

TEST(Json, KeepsTheContract) {
  std::string text = ReportJson(RaceReport());
  for (const char* field : {"\"schema\": \"heddle/report/1\"", "\"kind\": \"data-race\"", "\"status\": \"confirmed\"",
                            "\"complete\": true", "\"exit\": 0", "\"program\": \"./hb\"", "\"line\": 5"}) {
    EXPECT_THAT(text, HasSubstr(field));
  }
}

std::string ReadError(const std::string& text) {
  Result<Report> report = ReadReportJson("r.json", text);
  return report.ok() ? "no error" : report.error().message;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(Json, NamesWhatIsWrong) {
  std::string good = ReportJson(RaceReport());
  EXPECT_EQ(ReadError("{\"a\": 1,\n  ]"),
            "r.json:2:3: error: not JSON\n    2 |   ]\n      |   ^\n"
            "  help: expected a report that heddle wrote");
  EXPECT_EQ(ReadError("[]"), "r.json: expected a JSON object");
  EXPECT_EQ(ReadError("{}"), "r.json: schema: missing; expected a string");
  EXPECT_EQ(ReadError(Replaced(good, "report/1", "report/2")),
            "r.json: schema: `heddle/report/2` is not supported; this heddle reads `heddle/report/1`");
  EXPECT_EQ(ReadError(Replaced(good, "data-race", "data-rcae")),
            "r.json: findings[0].kind: unknown word `data-rcae`: did you mean `data-race`?");
  EXPECT_EQ(ReadError(Replaced(good, "\"line\": 5", "\"line\": -5")), "no error");  // the flat copy is not read
  EXPECT_EQ(ReadError(Replaced(good, "\"row\": 1", "\"row\": \"1\"")),
            "r.json: findings[0].steps[0].row: expected a whole number from 0 to 4294967295");
  EXPECT_EQ(ReadError(Replaced(good, "\"exit\": 0", "\"exit\": 1e9")), "r.json: exit: expected an exit code or null");
}

TEST(Baseline, HidesKnownFindings) {
  Report report = RaceReport();
  std::string text = BaselineText(report);
  Result<Baseline> baseline = ParseBaseline("b", text + "\n# gone\n0000000000000000 misuse x\r\n");
  ASSERT_TRUE(baseline.ok()) << baseline.error().message;
  EXPECT_EQ(ApplyBaseline(*baseline, report), 1u);
  EXPECT_EQ(ActiveCount(report), 0u);
  EXPECT_EQ(BaselineText(report), text) << "known findings stay in a baseline that is written again";
}

TEST(Baseline, NamesTheWrongLine) {
  Result<Baseline> baseline = ParseBaseline("b", "# ok\n  0123 x\n");
  ASSERT_FALSE(baseline.ok());
  EXPECT_THAT(baseline.error().message, HasSubstr("b:2:3: error: expected a fingerprint of 16 hexadecimal digits\n"
                                                  "    2 |   0123 x\n      |   ^~~~\n"));
}

TEST(Frames, TellsLibrariesFromTheUsersCode) {
  EXPECT_TRUE(IsLibraryFrame(LibraryAt("start_thread")));
  EXPECT_FALSE(IsLibraryFrame(UserAt("w1", 4)));
  EXPECT_FALSE(IsLibraryFrame(UserAt("w1", 4, "./w.c")));
  EXPECT_FALSE(IsLibraryFrame(UserAt("w1", 4, "/usr/local/src/w.c")));
  EXPECT_TRUE(IsLibraryFrame(UserAt("std::vector<int>::push_back", 4, "/usr/include/c++/12/bits/stl_vector.h")));
  EXPECT_FALSE(IsLibraryFrame(UserAt("w1", 4, "/usr/src/mine/w.c")));
  Frame program;
  program.module = "/usr/bin/lbzip2";
  EXPECT_FALSE(IsLibraryFrame(program));
  program.module = "/usr/lib/x86_64-linux-gnu/libz.so.1";
  EXPECT_TRUE(IsLibraryFrame(program));
  Frame runtime = UserAt("f", 1);
  runtime.module = "/opt/heddle/lib/libheddle_rt.so";
  EXPECT_TRUE(IsLibraryFrame(runtime));
  EXPECT_EQ(UserFrame({}), nullptr);
  Frame bare;
  EXPECT_EQ(ShortPlace(bare), "?");
  bare.module = "/x/liby.so";
  bare.module_offset = 0x2f;
  EXPECT_EQ(ShortPlace(bare), "liby.so+0x2f");
}

}  // namespace
}  // namespace heddle::findings
