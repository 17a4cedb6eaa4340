// Runs one thread in all ways: at a read it is split, one way for each value that the location can have. runner.cpp has
// the flow of control, runner_memory.cpp the accesses.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "litmus/sim/evaluate.h"
#include "litmus/sim/loops.h"
#include "litmus/sim/parts.h"
#include "litmus/sim/trace.h"

namespace heddle::litmus {

// Shared by the threads of one round.
struct Round {
  const Test& test;
  const Values& values;  // that the locations can have
  const TraceLimits& limits;
  bool parts;               // accesses may divide locations
  size_t next_read;         // number of the next read
  Values written;           // what the threads write
  Boundary boundary;        // where a location must be divided first, cell -1: nowhere
  std::vector<int> widths;  // without `parts`: by physical cell, bytes of the accesses seen, 0: none yet
};

class Runner {
 public:
  Runner(Round& round, int thread);
  Status Run(std::vector<Trace>& out, bool& cut);

 private:
  struct Back {
    int target;
    std::vector<int64_t> registers;
    size_t effects;
  };
  struct State {
    Trace trace;
    std::vector<Flow> flows;          // of registers
    std::vector<Flow> memory;         // AArch64: by cell, of what the thread wrote last
    Flow control;                     // branches so far
    std::vector<Flow> control_stack;  // before each structured if that is open
    int pc = 0;
    int reserved = -1;                                           // first event of the last reserved load
    size_t effects = 0;                                          // changes of memory and barriers so far
    std::vector<Back> backs;                                     // states at jumps backwards
    std::map<std::tuple<int64_t, int64_t, bool>, int> barriers;  // uses of each
  };
  using PartValues = std::array<int64_t, Access::kMost>;
  // A read: where, and what it got.
  struct Got {
    Access access;
    PartValues values{};
    Reads through;
    Flow address;
  };
  struct Range {
    int begin = 0;
    int end = 0;
  };

  bool Advance(State& state, std::vector<State>& stack);
  int64_t Eval(const State& state, int expr, int64_t old, Flow* flow) const;
  void Set(State& state, int reg, int64_t value, Flow flow) const;
  void Assign(State& state, const Instr& instr);
  void Fence(State& state, const Instr& instr);
  bool Branch(State& state, const Instr& instr);
  bool FindAccess(State& state, const Instr& instr, Access& access, Flow& address);
  Place Undivided(int64_t address, const Instr& instr, Access& access);
  bool Store(State& state, const Instr& instr);
  bool StoreConditional(State& state, const Instr& instr, std::vector<State>& stack);
  bool Read(State& state, const Instr& instr, std::vector<State>& stack);
  void Choose(State& state, const Instr& instr, size_t part, int read, Got& got, std::vector<State>& stack);
  void Chosen(State& state, const Instr& instr, const Got& got, std::vector<State>& stack);
  void Load(State& state, const Instr& instr, const Got& got);
  void Rmw(State& state, const Instr& instr, const Got& got, bool keeps_expected);
  void SetRead(State& state, const Instr& instr, const Got& got, Range range, const Flow* instead);

  int NewEvent(State& state, const Instr& instr, Event event);
  Range ReadEvents(State& state, const Instr& instr, const Got& got, const TagSet& tags, const PartValues* written);
  Range WriteEvents(State& state, const Instr& instr, const Access& access, const TagSet& tags,
                    const PartValues& values);
  void Addressed(State& state, Range range, const Flow& address);
  Flow FlowOf(const State& state, const Got& got, Range range, int element) const;
  void FromMemory(State& state, const Access& access, Range range);
  void Remember(State& state, const Access& access, Range range, const Flow& flow);
  static void Link(Trace::Pairs& pairs, const Deps& deps, Range range);
  static void Cross(Trace::Pairs& pairs, Range from, Range to);
  TagSet WithSpace(TagSet tags, int cell) const;

  Round& round_;
  const Test& test_;
  int number_;
  const Thread& thread_;
  bool selects_;                  // AArch64
  std::vector<int> read_number_;  // by instruction
  LiveRegisters live_;            // of threads with loops
  int instance_ = 0;              // first event of the instruction that runs
  bool cut_ = false;
  bool stopped_ = false;  // a location must be divided first
  std::string unsupported_;
};

bool IsRead(const Instr& instr);

}  // namespace heddle::litmus
