// The name of a finding that stays the same from run to run and from build to build.
//
// Hashed (XXH3, 64 bits, 16 hex digits): a version tag, the kind, and for each site (a Step with site > 0; when there
// is none, the first step of each thread) of its user frame:
//   with debug info:     function, basename of the file, line - first line of the function ("L" and the absolute line
//                        when the function's first line is unknown)
//   with a symbol only:  function, basename of the module
//   with neither:        basename of the module, offset in it
// The sites are sorted and equal ones kept once, so that their order and the number of threads does not matter. A
// finding without any step hashes its message. Not hashed: addresses, thread ids, counts, columns, folder names, locks,
// the schedule, and whether an access reads or writes (`x++` is one site).
#pragma once

#include <string>

#include "findings/finding.h"

namespace heddle::findings {

std::string Fingerprint(const Finding& finding);

}  // namespace heddle::findings
