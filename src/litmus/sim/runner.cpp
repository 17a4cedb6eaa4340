#include "litmus/sim/runner.h"

#include <algorithm>

// A thread that jumps back to where it was, with the same registers and without having changed memory in between,
// waits: the path is dropped, since whatever it can do after more rounds it can do now. The first such round is kept.
// Taking out a later one (its reads, its fences, and read-modify-writes that put back what they read, whose readers
// then read from the write before them) leaves an execution with the same final state in which less is ordered. With
// scopes a read-modify-write may break a chain of synchronisation that would hold without it, so there it counts as a
// change.
namespace heddle::litmus {

bool IsRead(const Instr& instr) { return instr.kind == Instr::Kind::kLoad || instr.kind == Instr::Kind::kRmw; }

Runner::Runner(Round& round, int thread)
    : round_(round),
      test_(round.test),
      number_(thread),
      thread_(round.test.threads[static_cast<size_t>(thread)]),
      selects_(round.test.arch == Arch::kAArch64) {
  std::vector<bool> loop = InLoop(thread_);
  for (size_t i = 0; i < thread_.code.size(); ++i) {
    bool numbered = IsRead(thread_.code[i]) && !loop[i] && round.next_read < kMostReads;
    read_number_.push_back(numbered ? static_cast<int>(round.next_read++) : -1);
  }
  if (std::find(loop.begin(), loop.end(), true) != loop.end()) live_.Find(test_, number_);
}

Status Runner::Run(std::vector<Trace>& out, bool& cut) {
  State state;
  state.trace.registers = thread_.register_init;
  state.trace.registers.resize(thread_.registers.size(), 0);
  state.flows.resize(thread_.registers.size());
  if (selects_) state.memory.resize(test_.cells.size());
  std::vector<State> stack;
  stack.push_back(std::move(state));
  while (!stack.empty()) {
    State current = std::move(stack.back());
    stack.pop_back();
    bool ended = Advance(current, stack);
    if (stopped_) return {};
    if (!unsupported_.empty()) return MakeError(ErrorCode::kUnsupported, unsupported_);
    if (!ended) {
      cut = cut || cut_;
      cut_ = false;
      continue;
    }
    out.push_back(std::move(current.trace));
    if (out.size() + stack.size() > round_.limits.traces) {
      return MakeError(ErrorCode::kLimit, "thread " + thread_.name + " has more than " +
                                              std::to_string(round_.limits.traces) + " ways through it");
    }
  }
  return {};
}

// Runs until the end (true) or until the path is dropped (false); other choices go onto the stack.
bool Runner::Advance(State& state, std::vector<State>& stack) {
  while (static_cast<size_t>(state.pc) < thread_.code.size()) {
    if (state.trace.events.size() > round_.limits.events) {
      cut_ = true;
      return false;
    }
    const Instr& instr = thread_.code[static_cast<size_t>(state.pc)];
    instance_ = static_cast<int>(state.trace.events.size());
    switch (instr.kind) {
      case Instr::Kind::kAssign:
        Assign(state, instr);
        break;
      case Instr::Kind::kFence:
        Fence(state, instr);
        break;
      case Instr::Kind::kEndIf:
        if (!state.control_stack.empty()) {
          state.control = state.control_stack.back();
          state.control_stack.pop_back();
        }
        break;
      case Instr::Kind::kJump:
      case Instr::Kind::kBranch:
        if (!Branch(state, instr)) return false;
        continue;
      case Instr::Kind::kLoad:
      case Instr::Kind::kRmw:
        return Read(state, instr, stack);
      case Instr::Kind::kStore:
        if (instr.conditional) return StoreConditional(state, instr, stack);
        if (!Store(state, instr)) return true;
        break;
    }
    ++state.pc;
  }
  return true;
}

int64_t Runner::Eval(const State& state, int expr, int64_t old, Flow* flow) const {
  return Evaluate(thread_, expr, {state.trace.registers, state.flows, selects_}, old, flow);
}

void Runner::Set(State& state, int reg, int64_t value, Flow flow) const {
  if (reg < 0) return;
  state.trace.registers[static_cast<size_t>(reg)] = value;
  state.flows[static_cast<size_t>(reg)] = std::move(flow);
}

void Runner::Assign(State& state, const Instr& instr) {
  Flow flow;
  int64_t value = Eval(state, instr.value, 0, &flow);
  Set(state, instr.dst, value, std::move(flow));
}

void Runner::Fence(State& state, const Instr& instr) {
  Event event;
  event.tags = instr.tags;
  bool device = instr.tags.test(TagOf("AVDEVICE")) || instr.tags.test(TagOf("VISDEVICE"));
  bool plain_control = test_.arch == Arch::kVulkan && instr.tags.test(TagOf("CBAR")) &&
                       !instr.tags.test(TagOf("ACQ")) && !instr.tags.test(TagOf("REL"));
  if (!device && !plain_control) event.tags.set(TagOf("F"));
  if (instr.barrier >= 0) {
    event.barrier = Eval(state, instr.barrier, 0, nullptr);
    event.barrier_instance = instr.barrier_instance;
    if (instr.barrier_threads >= 0) event.barrier_threads = Eval(state, instr.barrier_threads, 0, nullptr);
    event.barrier_use = state.barriers[{event.barrier_instance, event.barrier, instr.tags.test(TagOf("XF"))}]++;
  }
  NewEvent(state, instr, event);
  if (instr.barrier >= 0) ++state.effects;
}

// False: the path is dropped.
bool Runner::Branch(State& state, const Instr& instr) {
  bool taken = true;
  if (instr.kind == Instr::Kind::kBranch) {
    Flow flow;
    taken = Eval(state, instr.value, 0, &flow) != 0;
    if (instr.join >= 0) state.control_stack.push_back(state.control);
    state.control.AddEvents(flow);
  }
  if (!taken) {
    ++state.pc;
    return true;
  }
  if (instr.target <= state.pc) {
    int rounds = 0;
    for (const Back& back : state.backs) {
      if (back.target != instr.target) continue;
      ++rounds;
      if (back.effects == state.effects && live_.Same(instr.target, back.registers, state.trace.registers))
        return false;
    }
    if (rounds >= round_.limits.unroll) {
      cut_ = true;
      return false;
    }
    state.backs.push_back({instr.target, state.trace.registers, state.effects});
  }
  state.pc = instr.target;
  return true;
}

}  // namespace heddle::litmus
