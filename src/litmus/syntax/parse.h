// Reads a .litmus file of any of the languages (docs/litmus.md).
#pragma once

#include <string>

#include "base/result.h"
#include "litmus/syntax/test.h"

namespace heddle::litmus {

// Errors name file, line and column.
Result<Test> ParseLitmus(const std::string& file_name, const std::string& text);

}  // namespace heddle::litmus
