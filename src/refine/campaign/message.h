// What the ranks of a campaign say to each other: lines of text over TCP.
//
//   worker: "next\n"            leader: "range FIRST COUNT\n" or "stop\n" or "wait\n"
//   worker: "done JSON\n"       leader: nothing
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "refine/campaign/database.h"

namespace heddle::refine {

std::string EncodeResult(const RangeResult& result);  // one line
std::optional<RangeResult> DecodeResult(std::string_view line);

}  // namespace heddle::refine
