// Reports as JSON, schema "heddle/report/1" (docs/findings-schema.md, share/report.schema.json).
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "findings/report.h"

namespace heddle::findings {

std::string ReportJson(const Report& report, JsonWriter::Style style = JsonWriter::Style::kPretty);

// The inverse. `name` is the file's name for messages: a syntax error shows line, column and caret; a wrong field is
// named by its path ("findings[2].kind"). Unknown fields are ignored, so that later minor additions can be read.
// ReadReportJson(ReportJson(r)) == r for every r whose texts are UTF-8 and whose seconds are finite.
Result<Report> ReadReportJson(const std::string& name, const std::string& text);

// Both with files.
Result<Report> LoadReport(const std::string& path);
Status SaveReport(const Report& report, const std::string& path);

}  // namespace heddle::findings
