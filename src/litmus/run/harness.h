// A C program around a test of X86, X86_64, AArch64, RISCV, PPC or C, to be compiled and run (docs/litmus.md, "run").
//
// Each iteration has its own set of locations, far apart. The threads meet at a barrier before each one, wait a random
// while, run their code as inline assembly or atomics of the language (C), and leave their registers in arrays. When
// all iterations of a round are done, the outcomes are counted. With more threads than processors the barrier yields,
// so that nobody starves.
#pragma once

#include <string>

#include "base/result.h"
#include "litmus/run/target.h"
#include "litmus/syntax/test.h"

namespace heddle::litmus {

struct HarnessOptions {
  int stress = 1;    // threads that only disturb memory, when there are processors for them
  int stride = 64;   // bytes between the locations of an iteration
  int round = 2048;  // iterations between two counts
  bool affinity = true;
  const Target* target = nullptr;  // of a C test; null: this machine
};

// kUnsupported when the test has something that the harness cannot run here: another architecture, scopes, addresses as
// values. The program takes iterations, seconds and a seed; it prints a line "count value value ..." for each state.
Result<std::string> WriteHarness(const Test& test, const std::string& source, const HarnessOptions& options);

}  // namespace heddle::litmus
