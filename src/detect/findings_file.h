// What the detector in the target wrote (docs/detect.md has the lines). Reading stops at nothing: a process may have
// died in the middle of a line, and whatever is whole is used.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/info.h"
#include "wire/findings_file.h"

namespace heddle::detect {

struct Held {
  uint64_t lock = 0;
  bool shared = false;
  std::vector<uint64_t> stack;  // where it was taken; deadlocks only
};

struct Access {
  uint32_t thread = 0;
  bool write = false;
  bool atomic = false;
  bool free = false;
  uint64_t address = 0;
  uint64_t bytes = 0;
  std::vector<uint64_t> stack;  // innermost first; empty: not known any more
  std::vector<Held> locks;
};

struct Race {
  uint32_t id = 0;
  uint64_t count = 1;
  Access first;  // earlier in the run
  Access second;
  bool ordered = false;  // the first is a free, the second comes after it
  uint64_t block = 0;    // heap block; bytes 0: none
  uint64_t block_bytes = 0;
  std::vector<uint64_t> block_stack;
};

struct Misuse {
  std::string what;  // a word of wire::Misuse
  uint32_t thread = 0;
  uint64_t object = 0;
  std::vector<uint64_t> stack;
  std::vector<Held> locks;
  Access access;       // of memory (out-of-bounds, dead-stack); bytes 0: none
  uint64_t block = 0;  // heap block; bytes 0: none
  uint64_t block_bytes = 0;
  std::vector<uint64_t> block_stack;
};

// A lock taken while another was held. Locks are known by number: an address may be used again.
struct LockEdge {
  uint32_t thread = 0;
  uint64_t from = 0;
  uint64_t from_address = 0;
  bool from_shared = false;
  uint64_t to = 0;
  uint64_t to_address = 0;
  bool to_shared = false;
  std::map<uint64_t, bool> held;  // all locks held then, true: shared
  uint32_t slot = 0;              // the order that no lock causes: the thread's place in it, and what was before
  uint64_t epoch = 0;
  std::map<uint32_t, uint64_t> before;
  std::vector<uint64_t> from_stack;
  std::vector<uint64_t> to_stack;
};

struct Waiter {
  uint32_t thread = 0;
  wire::WaitKind what = wire::WaitKind::kLock;
  uint64_t object = 0;  // join: the thread's number
  std::vector<uint64_t> stack;
  std::vector<Held> holds;
};

struct Deadlock {
  bool everybody = false;
  std::vector<Waiter> waiters;
};

// A failed assert.
struct Assertion {
  uint32_t thread = 0;
  uint32_t line = 0;
  std::string file;
  std::string function;
  std::string text;
};

struct FindingsFile {
  trace::TraceInfo info;  // modules and threads
  std::map<uint32_t, uint32_t> parents;
  std::map<uint32_t, std::vector<uint64_t>> creation_stacks;
  std::vector<Race> races;
  std::vector<Misuse> misuses;
  std::vector<LockEdge> edges;
  std::vector<Deadlock> deadlocks;
  std::vector<Assertion> assertions;
  std::optional<Deadlock> hang;     // every thread waits for what only something outside can end
  std::vector<std::string> limits;  // that the program asked for and did not get, as they would stop heddle: RLIMIT_AS
  std::string allocator;            // the library whose memory cannot be followed: nothing was watched
  std::string allocator_call;       // the function of it that stands in the way
  // What the program says by __tsan_default_options and __tsan_default_suppressions, line by line.
  std::string options;
  std::string suppressions;
  bool seccomp = false;   // the program forbade system calls
  bool finished = false;  // the process ended in the ordinary way
  bool full = false;      // there were more races or edges than the detector keeps
};

// Whether `text` is such a file at all.
bool IsFindingsFile(std::string_view text);
FindingsFile ParseFindingsFile(std::string_view text);

}  // namespace heddle::detect
