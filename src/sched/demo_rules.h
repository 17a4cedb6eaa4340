// Rules for what a recording keeps (docs/record-replay.md): one a line, `record KIND`, `reissue KIND` or `ignore CALL`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "wire/demo_format.h"

namespace heddle::sched {

// Changes `rules` as the text says. Never crashes on bad text; the error names file, line and column.
Status ParseDemoRules(const std::string& name, std::string_view text, wire::DemoRules* rules);

// As one `ignore CALL`.
Status IgnoreCall(std::string_view call, wire::DemoRules* rules);

}  // namespace heddle::sched
