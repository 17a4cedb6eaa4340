// Random finite processes over the events a, b, c, as CSP_M text and with their denotation, for tests.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace heddle::csp::testing {

// Events are 0, 1, 2 (a, b, c) and 3 (tick). Sets of them are bit masks.
inline constexpr int kTickEvent = 3;
inline constexpr uint8_t kSigma = 7;
inline constexpr uint8_t kAll = 15;

// A trace as a number: base 5, digits event + 1, most significant first.
using Trace = uint64_t;

// The denotation of a finite process, from the textbook clauses (Roscoe, Understanding Concurrent Systems, ch. 10-12).
// Failures are kept as the set of all refusals, a bit for each of the 16 subsets; divergences as the minimal ones.
struct Denotation {
  std::set<Trace> traces;
  std::map<Trace, uint16_t> failures;
  std::set<Trace> divergences;
};

struct Process {
  std::string text;
  Denotation meaning;
};

// A process with at most `depth` nested operators.
Process RandomProcess(std::mt19937& random, int depth);

bool RefinesTraces(const Denotation& spec, const Denotation& impl);
bool RefinesFailures(const Denotation& spec, const Denotation& impl);
bool RefinesDivergences(const Denotation& spec, const Denotation& impl);

// Small helpers that other tests use too.
std::string SetText(uint8_t mask);
std::string TraceText(Trace trace);

}  // namespace heddle::csp::testing
