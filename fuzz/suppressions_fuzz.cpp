// Any bytes as a suppression file: no crash, every diagnostic renders, every rule can be applied.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "findings/baseline.h"
#include "findings/suppressions.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle::findings;
  std::string text(reinterpret_cast<const char*>(data), size);
  heddle::SourceMap sources;
  SuppressionSet set = ParseSuppressions(sources, sources.Add("fuzz", text));
  for (const heddle::Diagnostic& diagnostic : set.diagnostics) {
    if (heddle::Render(sources, diagnostic).empty()) std::abort();
  }
  Report report;
  Finding finding;
  finding.kind = size % 2 == 0 ? Kind::kDataRace : Kind::kMisuse;
  finding.memory.name = "counter";
  finding.steps.resize(1);
  finding.steps[0].site = 1;
  finding.steps[0].stack.resize(1);
  finding.steps[0].stack[0].function = "aaab";
  AddFinding(report, finding);
  ApplySuppressions(set, report);
  if (UnusedSuppressions(set).size() + (report.findings[0].suppressed ? 1U : 0U) != set.rules.size()) std::abort();
  auto baseline = ParseBaseline("fuzz", text);
  if (baseline.ok()) ApplyBaseline(*baseline, report);
  return 0;
}
