// What the ranks of a campaign say to each other, as messages of text (base/ranks.h).
//
//   worker: "next"              leader: "range FIRST COUNT" or "stop"
//   worker: "done JSON"         leader: nothing
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "refine/campaign/database.h"

namespace heddle::refine {

std::string EncodeResult(const RangeResult& result);  // one line
std::optional<RangeResult> DecodeResult(std::string_view line);

}  // namespace heddle::refine
