// Options of ThreadSanitizer that a program or its user gave for it, as far as they say what is to be reported: in the
// environment (TSAN_OPTIONS) and by the program's __tsan_default_options. Options about anything else are not looked
// at.
#pragma once

#include <string>
#include <string_view>

#include "findings/report.h"

namespace heddle::detect {

struct TsanOptions {
  bool report_bugs = true;            // anything at all
  bool report_mutex_bugs = true;      // misuse of locks
  bool report_destroy_locked = true;  // one kind of it
  bool report_signal_unsafe = true;   // allocation in a signal handler
  bool report_atomic_races = true;    // races with an atomic access
  bool detect_deadlocks = true;       // cyclic lock orders
  std::string suppressions;           // a file
};

// Reads `name=value` separated by spaces, commas, colons or line ends, values in quotes or bare; later ones win.
void ReadTsanOptions(std::string_view text, TsanOptions* options);

// Marks what the options hide as suppressed, with the option as the rule.
void ApplyTsanOptions(const TsanOptions& options, findings::Report& report);

}  // namespace heddle::detect
