/* Explores a piece of a test in the test's own process: every interleaving of the threads that `body` makes, up to the
 * order of operations that commute, without heddle on the command line. Build the test with heddle c++ (or cc).
 *
 *   #include <heddle/explore.h>
 *
 *   heddle::Exploration seen = heddle::explore({}, [] {
 *     int shared = 0;
 *     std::mutex lock;
 *     std::thread other([&] { std::lock_guard hold(lock); ++shared; });
 *     { std::lock_guard hold(lock); ++shared; }
 *     other.join();
 *     assert(shared == 2);
 *   });
 *   assert(seen.ok());
 *
 * With GoogleTest included before this header, expectations that fail in the body count, and
 * HEDDLE_EXPLORE(body) or HEDDLE_EXPLORE_WITH(options, body) is an expectation of its own.
 *
 * What the body writes to memory is undone after each execution, so it need not clean up; what it should tell must be
 * said by assertions. It must join its threads. A body that does more than compute (opens files, ...) cannot be
 * repeated this way: `unsupported` says why. docs/explore.md has the rules. */
#ifndef HEDDLE_EXPLORE_H
#define HEDDLE_EXPLORE_H

#include <string>

#include "heddle/explore_call.h"

namespace heddle {

struct ExploreOptions {
  unsigned long executions = 0;
  double seconds = 0;
  int preemptions = -1;
  unsigned long depth = 0;
};

struct Exploration : heddle_exploration {
  // Everything was explored and nothing went wrong.
  bool ok() const { return ran != 0 && complete != 0 && failed == 0; }
  std::string text() const {
    std::string out = std::to_string(executions) + " executions";
    if (failed != 0) out += "; the last one went wrong: " + std::string(failure) + "\n" + schedule;
    if (bound[0] != '\0') out += "; " + std::string(bound);
    if (unsupported[0] != '\0') out += "; not explored: " + std::string(unsupported);
    return out;
  }
};

#if defined(GOOGLETEST_INCLUDE_GTEST_GTEST_H_) || defined(GTEST_INCLUDE_GTEST_GTEST_H_)
#define HEDDLE_EXPLORE_FAILED_ +[] { return ::testing::Test::HasFailure() ? 1 : 0; }
#define HEDDLE_EXPLORE_WITH(options, ...)                                        \
  do {                                                                           \
    ::heddle::Exploration heddle_seen = ::heddle::explore(options, __VA_ARGS__); \
    EXPECT_TRUE(heddle_seen.ok()) << heddle_seen.text();                         \
  } while (0)
#define HEDDLE_EXPLORE(...) HEDDLE_EXPLORE_WITH(::heddle::ExploreOptions(), __VA_ARGS__)
#else
#define HEDDLE_EXPLORE_FAILED_ nullptr
#endif

template <typename Body>
Exploration explore(const ExploreOptions& options, Body body) {
  Exploration seen{};
  heddle_explore_options plain{options.executions, options.seconds, options.preemptions, options.depth,
                               HEDDLE_EXPLORE_FAILED_};
  auto* callee = &body;
  using Callee = decltype(callee);
  if (heddle_explore == nullptr) {
    const char why[] = "the program was not built with heddle c++";
    for (unsigned i = 0; i < sizeof why; ++i) seen.unsupported[i] = why[i];
    body();
    return seen;
  }
  heddle_explore(&plain, [](void* argument) { (*static_cast<Callee>(argument))(); }, callee, &seen);
  return seen;
}

}  // namespace heddle

#endif
