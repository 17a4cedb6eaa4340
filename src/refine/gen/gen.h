// Random C threads without undefined behaviour, deterministic in the seed.
//
// A thread has globals of its own (names begin with its prefix), locks, helper functions and a body: integers of every
// width and signedness, arrays, structures with bit-fields, pointers to globals, volatile objects, loops, branches,
// switches, calls, structure copies, memcpy and memset, and sections under one or several locks. Most globals belong to
// a lock and are mostly used under it; the others are used anywhere.
//
// Whatever values the environment writes, every execution is defined: arithmetic is done on unsigned types or on values
// that were masked before, shifts and indices are masked, divisors are made odd and positive, loops have constant or
// masked bounds, pointers only ever hold addresses of globals of their type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace heddle::refine {

struct GenOptions {
  uint32_t size = 12;  // statements of a body, about
  uint32_t locks = 2;
  bool csmith = false;  // gen/csmith.h instead of our own
};

struct GeneratedThread {
  uint64_t seed = 0;
  bool csmith = false;             // needs CsmithHead()
  std::string function;            // name of the thread's function
  std::string prefix;              // of its globals
  std::vector<std::string> lines;  // declarations, helper functions, and the function
};

// Thread number `index` of a file; seeds and indices are independent.
GeneratedThread GenerateThread(uint64_t seed, uint32_t index, const GenOptions& options);
// The same from the generator that the options name. An error when that is csmith and it is missing.
Result<GeneratedThread> MakeThread(uint64_t seed, uint32_t index, const GenOptions& options);

// A whole file: what all threads need, then the threads.
std::string ProgramText(const std::vector<GeneratedThread>& threads);
// The part before the threads.
std::string ProgramHead();

}  // namespace heddle::refine
