// Completion scripts for shells, made from the tables of describe.h. They are static: completing a word starts no
// heddle.
#pragma once

#include <string>
#include <vector>

#include "cli/describe.h"

namespace heddle::cli {

std::string BashCompletion(const std::vector<CommandInfo>& commands);
std::string ZshCompletion(const std::vector<CommandInfo>& commands);
std::string FishCompletion(const std::vector<CommandInfo>& commands);

// What the value of an option is, as far as a shell can help.
enum class ValueKind { kNone, kChoices, kFolder, kFile, kOther };
ValueKind KindOfValue(const OptionInfo& option);

}  // namespace heddle::cli
