// Any bytes as a saved report: an error or a report that every writer takes and that survives a second round trip.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "findings/report_json.h"
#include "findings/sarif.h"
#include "findings/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle::findings;
  std::string text(reinterpret_cast<const char*>(data), size);
  auto report = ReadReportJson("fuzz", text);
  if (!report.ok()) return report.error().message.empty() ? (std::abort(), 0) : 0;
  ReportText(*report, {});
  SarifJson(*report, {});
  std::string once = ReportJson(*report);
  auto again = ReadReportJson("again", once);
  if (!again.ok() || ReportJson(*again) != once) std::abort();
  return 0;
}
