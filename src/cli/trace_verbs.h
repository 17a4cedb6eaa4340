// The parts of heddle trace, one file each.
#pragma once

#include <string>

#include "cli/verb.h"
#include "trace/info.h"

namespace heddle::cli {

int PrintTrace(const Arguments& arguments);
int StatTrace(const Arguments& arguments);
int ConvertTrace(const Arguments& arguments);

// What could not be read, on standard error; the exit code that says whether there was any.
int TellDamage(const std::string& verb, const trace::TraceInfo& info);

}  // namespace heddle::cli
