// The CSP_M refinement checker as a library.
//
//   Result<std::unique_ptr<Script>> script = Script::FromText("model.csp", text, {});
//   if (!script) return script.error();                      // the whole list of messages, with carets
//   for (const CheckResult& r : (*script)->CheckAll(options)) ...
//
// A Script is loaded once (parsed, type-checked) and asked as often as wanted. It is used by one thread at a time; a
// check with jobs > 1 uses threads of its own. Nothing here prints, exits or aborts. Evaluation recurses deeply, so
// each public call moves to a thread with a large stack; wrap many small calls in RunOnLargeStack to do that once.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace heddle::csp {

class Peers;

enum class Verdict : uint8_t { kPassed, kFailed, kUndecided };

struct LoadOptions {
  std::vector<std::string> include_paths;  // searched after the including file's own folder
};

struct CheckOptions {
  uint64_t max_states = 0;  // 0: no limit
  uint64_t max_bytes = 0;   // of states; 0: no limit
  double max_seconds = 0;   // for each assertion; 0: no limit
  int jobs = 1;
  const std::atomic<bool>* cancel = nullptr;
  std::string disk;         // a folder for states beyond max_bytes; "": none
  Peers* peers = nullptr;   // processes that check the same script together (peers.h)
  uint64_t disk_after = 0;  // for tests: bytes in memory before the disk is used; 0: max_bytes
};

// A step of the implementation, as seen from inside.
struct InternalStep {
  std::string event;  // as seen from outside: "τ" when it is hidden
  struct Part {
    std::string component;  // the name of the sequential process, such as THREAD_0
    std::string event;      // what that process did
  };
  std::vector<Part> parts;
  // The event below hiding and renaming when all components did the same, else as `event`.
  std::string label;
};

struct CheckResult {
  uint32_t line = 0;
  std::string file;
  std::string text;  // of the assertion
  Verdict verdict = Verdict::kUndecided;
  // The counterexample of a failed refinement or property (also kept when `not` turns the verdict round).
  std::string kind;  // "trace", "failure", "divergence", "deadlock", "nondeterminism", "no-trace"; or empty
  std::vector<std::string> trace;   // visible events; the last one is the wrong one when kind is "trace"
  std::vector<InternalStep> steps;  // the same with everything that is hidden
  std::string explanation;          // one line
  uint64_t states = 0;
  uint64_t transitions = 0;
  uint64_t bytes = 0;
  uint64_t disk_bytes = 0;
  uint64_t depth = 0;
  uint64_t spec_nodes = 0;
  double seconds = 0;
  std::string reason;  // why it is undecided
  std::string error;   // an error of the script met on the way, rendered; the verdict is then kUndecided
};

struct AssertionInfo {
  uint32_t line = 0;
  std::string file;
  std::string text;
};

// One `print`: its expression and its value, or the rendered error that evaluating it met.
struct Printed {
  std::string text;
  std::string value;
  bool failed = false;   // the script is wrong
  bool stopped = false;  // a limit was reached: `value` says which
};

// The transition system of a process, explored up to a limit.
struct Graph {
  struct Edge {
    uint32_t from;
    uint32_t to;
    std::string event;
  };
  std::vector<std::string> states;  // 0 is the initial one; texts of the processes
  std::vector<Edge> edges;
  bool complete = false;
};

class Script {
 public:
  static Result<std::unique_ptr<Script>> FromFile(const std::string& path, const LoadOptions& options);
  static Result<std::unique_ptr<Script>> FromText(const std::string& name, const std::string& text,
                                                  const LoadOptions& options);
  ~Script();
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  std::vector<AssertionInfo> Assertions() const;
  CheckResult Check(size_t assertion, const CheckOptions& options);
  std::vector<CheckResult> CheckAll(const CheckOptions& options);

  // The values of the script's `print` lines; the limits are for each.
  std::vector<Printed> Prints(const CheckOptions& options = {});

  Result<Graph> Explore(const std::string& process, size_t max_states);

  // Stepping: states are handles that stay valid. Begin gives the first.
  struct Choice {
    std::string event;
    std::string detail;  // what the components did, when that differs from the event
    uint32_t next;
  };
  Result<uint32_t> Begin(const std::string& process);
  Result<std::vector<Choice>> Choices(uint32_t state);
  std::string Describe(uint32_t state);

  // For tests: explore whole terms instead of systems of leaves.
  void UseTermsOnly(bool on);
  // For tests: products of chains are searched like other systems (refine/graded.h).
  void UseGradedSearch(bool on);
  // For tests: what is chased is met a little at a time, also when it is small.
  void UseGrowingLeaves(bool on);

 private:
  struct Impl;
  explicit Script(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Runs `body` on a thread with the stack that evaluation needs (here, when this already is one) and waits for it.
void RunOnLargeStack(const std::function<void()>& body);

}  // namespace heddle::csp
