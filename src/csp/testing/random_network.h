// Random networks of recursive processes over the channel c : {0..4}, as CSP_M text, for tests.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace heddle::csp::testing {

// A sequential process by equations: NAME_0 = c.1 -> NAME_1 [] c.2 -> NAME_2, ...
std::string RandomLeaf(std::mt19937& random, const std::string& name);

std::string RandomSet(std::mt19937& random);

// The leaves from..to-1 under random operators.
std::string RandomNetwork(std::mt19937& random, const std::vector<std::string>& leaves, size_t from, size_t to);

// A script with such networks as IMPL and SPEC and about a dozen assertions on them.
std::string RandomScript(std::mt19937& random, bool reduce);

// Threads that run through lists of events (with a choice now and then, whose branches are equally long or not) and
// locks that go round: what the search treats as a graded product, and what just misses being one.
std::string RandomChains(std::mt19937& random);

}  // namespace heddle::csp::testing
