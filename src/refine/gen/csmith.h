// Threads made of the programs of Csmith, a random generator of C programs (Debian: csmith).
#pragma once

#include <string>

#include "base/result.h"
#include "refine/gen/gen.h"

namespace heddle::refine {

// The first function of a Csmith program becomes the thread. Its static globals become shared variables: other threads
// could not know them otherwise. The thread holds all its locks; before some of its statements it lets go of one and
// takes it again, and some statements run without one. So it is well-locked wherever it returns. kUnsupported when
// csmith is missing. A seed on which csmith does not finish gives a thread that calls an unknown function, which
// counts as not decided.
Result<GeneratedThread> CsmithThread(uint64_t seed, uint32_t index, const GenOptions& options);

// The same for a program's text, for tests.
GeneratedThread ThreadOfCsmith(const std::string& program, uint64_t seed, uint32_t index, const GenOptions& options);

// The types and the arithmetic functions that Csmith's programs use, without headers.
std::string CsmithHead();

}  // namespace heddle::refine
