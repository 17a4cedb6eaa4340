// One run of the debugged program, as the timeline sees it. Every run is the same one: the schedule decides it.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "analysis/debug/inferior.h"
#include "analysis/debug/runtime_view.h"

namespace heddle::analysis {

// What tells two arrivals at one instruction apart: registers and the top of the stack.
struct MachineState {
  uint64_t pc = 0;
  uint64_t stack = 0;
  std::vector<uint64_t> words;
};

class Execution {
 public:
  virtual ~Execution() = default;
  virtual Stop Continue(int signal) = 0;
  virtual Stop Step(int signal) = 0;
  virtual uint64_t Pc() const = 0;
  virtual uint64_t Steps() const = 0;       // visible operations performed so far
  virtual void StopAt(uint64_t steps) = 0;  // a marker when so many have been performed; 0: none
  virtual void SetBreakpoints(const std::set<uint64_t>& addresses) = 0;
  virtual bool SetWatches(const std::set<Watch>& watches) = 0;
  virtual MachineState State() const = 0;
};

// A real process.
class LiveExecution final : public Execution {
 public:
  // Errors: the program cannot be started, or is not one of heddle's.
  static Result<std::unique_ptr<LiveExecution>> Start(const Launch& launch);

  Stop Continue(int signal) override { return program_->Continue(signal); }
  Stop Step(int signal) override { return program_->Step(signal); }
  uint64_t Pc() const override { return program_->Pc(); }
  uint64_t Steps() const override { return view_.Steps(*program_); }
  void StopAt(uint64_t steps) override { view_.StopAt(*program_, steps); }
  void SetBreakpoints(const std::set<uint64_t>& addresses) override { program_->SetBreakpoints(addresses); }
  bool SetWatches(const std::set<Watch>& watches) override { return program_->SetWatches(watches); }
  MachineState State() const override;

  Inferior& program() { return *program_; }
  const RuntimeView& view() const { return view_; }

 private:
  LiveExecution(std::unique_ptr<Inferior> program, const RuntimeView& view)
      : program_(std::move(program)), view_(view) {}

  std::unique_ptr<Inferior> program_;
  RuntimeView view_;
};

}  // namespace heddle::analysis
