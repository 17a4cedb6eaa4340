// A program that runs under a live reader (trace/live.h): its events come while it runs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/target/process.h"
#include "base/result.h"
#include "trace/live.h"

namespace heddle::analysis {

struct LiveOptions {
  std::vector<std::string> command;
  double seconds = 0;          // time limit, 0: none
  bool every_access = false;   // also those that repeat within a thread's segment
  std::function<void()> idle;  // called when the program has said nothing new
};

class LiveProgram {
 public:
  // Starts it. Errors: it cannot be started (kNotFound, kIo), or it recorded nothing because it was not built with
  // heddle cc (kUnsupported).
  static Result<std::unique_ptr<LiveProgram>> Start(const LiveOptions& options);
  ~LiveProgram();
  LiveProgram(const LiveProgram&) = delete;
  LiveProgram& operator=(const LiveProgram&) = delete;

  trace::LiveReader& reader() { return *reader_; }

  // Lets the program go: nothing more is read. `stop` ends it, else it is waited for.
  ChildEnd Finish(bool stop);
  bool timed_out() const { return timed_out_; }

 private:
  explicit LiveProgram(const LiveOptions& options);
  Status MakeFolder();
  Status Open();
  bool Idle();

  std::string folder_;
  double seconds_;
  double start_;
  bool timed_out_ = false;
  uint32_t idle_turns_ = 0;
  std::function<void()> idle_;
  std::unique_ptr<Child> child_;
  std::unique_ptr<trace::LiveReader> reader_;
};

}  // namespace heddle::analysis
