// The summary page of a campaign: one file, no network.
#pragma once

#include <string>

#include "refine/campaign/database.h"

namespace heddle::cli {

std::string RefineHtml(const refine::RangeResult& all, const std::string& title);

}  // namespace heddle::cli
