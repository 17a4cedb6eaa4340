#include "litmus/sim/trace.h"

#include <algorithm>
#include <bitset>
#include <tuple>

// Each thread is run with a stack of states; at a read it is split, one state for each value that the location can
// have. Those values are found by iteration: at first only the initial ones, then also what the threads write when they
// read those, and so on. A chain of values passes at most through all reads of the test, so as many rounds are enough.
// With each value go the sets of reads that the ways to compute it pass through; a read that is in all of them is not
// given the value. Values that justify only themselves are not found in this way; those that unreached code writes and
// those that the condition asks for are then tried as well, and the model decides whether they may come out of thin
// air.
//
// A thread that jumps back to where it was, with the same registers and without having changed memory in between,
// waits: the path is dropped, since whatever it can do after more rounds it can do now. The first such round is kept.
// Taking out a later one (its reads, its fences, and read-modify-writes that put back what they read, whose readers
// then read from the write before them) leaves an execution with the same final state in which less is ordered. With
// scopes a read-modify-write may break a chain of synchronisation that would hold without it, so there it counts as a
// change.
namespace heddle::litmus {
namespace {

// Reads by number; those in loops have none, since they read more than once.
constexpr size_t kMostReads = 256;
using Reads = std::bitset<kMostReads>;

// The ways to compute a value: for each the reads that it passes through. Only the smallest sets are kept; when there
// are many, what they have in common stands for all of them.
using Ways = std::vector<Reads>;
constexpr size_t kMostWays = 16;

// Whether the way is new.
bool AddWay(Ways& ways, const Reads& through) {
  for (const Reads& known : ways) {
    if ((known & through) == known) return false;
  }
  std::erase_if(ways, [&](const Reads& known) { return (known & through) == through; });
  ways.push_back(through);
  if (ways.size() <= kMostWays) return true;
  Reads common = ways[0];
  for (const Reads& known : ways) common &= known;
  ways = {common};
  return true;
}

// By physical cell: each value with the ways to compute it. A read that all of them pass through cannot get the value:
// it would justify itself.
using Values = std::vector<std::map<int64_t, Ways>>;

using Deps = std::vector<uint64_t>;  // a set of events of the thread, sorted bits

void AddDep(Deps& deps, size_t event) {
  if (deps.size() <= event / 64) deps.resize(event / 64 + 1, 0);
  deps[event / 64] |= uint64_t{1} << (event % 64);
}

void Join(Deps& into, const Deps& from) {
  if (into.size() < from.size()) into.resize(from.size(), 0);
  for (size_t i = 0; i < from.size(); ++i) into[i] |= from[i];
}

template <typename F>
void Each(const Deps& deps, F&& f) {
  for (size_t w = 0; w < deps.size(); ++w) {
    for (uint64_t bits = deps[w]; bits != 0; bits &= bits - 1) {
      f(static_cast<int>(w * 64 + static_cast<size_t>(__builtin_ctzll(bits))));
    }
  }
}

struct Back {
  int target;
  std::vector<int64_t> registers;
  size_t effects;
};

struct State {
  Trace trace;
  std::vector<Deps> deps;           // of registers
  std::vector<Reads> through;       // of registers: reads that their values passed through
  Deps control;                     // branches so far
  std::vector<Deps> control_stack;  // before each structured if that is open
  int pc = 0;
  int reserved = -1;                                           // event of the last reserved load
  size_t effects = 0;                                          // changes of memory and barriers so far
  std::vector<Back> backs;                                     // states at jumps backwards
  std::map<std::tuple<int64_t, int64_t, bool>, int> barriers;  // uses of each
};

bool IsRead(const Instr& instr) { return instr.kind == Instr::Kind::kLoad || instr.kind == Instr::Kind::kRmw; }

// By instruction: whether a jump back leads over it.
std::vector<bool> InLoop(const Thread& thread) {
  std::vector<bool> loop(thread.code.size(), false);
  for (size_t i = 0; i < thread.code.size(); ++i) {
    int target = thread.code[i].target;
    if (target < 0) continue;
    for (size_t j = static_cast<size_t>(target); j <= i; ++j) loop[j] = true;
  }
  return loop;
}

class Runner {
 public:
  // `next_read`: the number of the thread's first read, and of the next thread's after this. `next` gets what is
  // written.
  Runner(const Test& test, int thread, const Values& values, const TraceLimits& limits, size_t& next_read, Values& next,
         std::vector<int>& widths)
      : test_(test),
        number_(thread),
        thread_(test.threads[static_cast<size_t>(thread)]),
        values_(values),
        limits_(limits),
        next_(next),
        widths_(widths) {
    std::vector<bool> loop = InLoop(thread_);
    for (size_t i = 0; i < thread_.code.size(); ++i) {
      bool numbered = IsRead(thread_.code[i]) && !loop[i] && next_read < kMostReads;
      read_number_.push_back(numbered ? static_cast<int>(next_read++) : -1);
    }
    if (std::find(loop.begin(), loop.end(), true) != loop.end()) FindLive();
  }

  Status Run(std::vector<Trace>& out, bool& cut) {
    State state;
    state.trace.registers = thread_.register_init;
    state.trace.registers.resize(thread_.registers.size(), 0);
    state.deps.resize(thread_.registers.size());
    state.through.resize(thread_.registers.size());
    std::vector<State> stack;
    stack.push_back(std::move(state));
    while (!stack.empty()) {
      State current = std::move(stack.back());
      stack.pop_back();
      if (!Advance(current, stack)) {
        cut = cut || cut_;
        cut_ = false;
        continue;
      }
      if (mixed_ >= 0) {
        return MakeError(
            ErrorCode::kUnsupported,
            "accesses of different sizes to `" + test_.cells[static_cast<size_t>(mixed_)].name + "` are not supported");
      }
      out.push_back(std::move(current.trace));
      if (out.size() + stack.size() > limits_.traces) {
        return MakeError(ErrorCode::kLimit, "thread " + thread_.name + " has more than " +
                                                std::to_string(limits_.traces) + " ways through it");
      }
    }
    return {};
  }

 private:
  // Runs until the end (true) or until the path is dropped (false); other choices go onto the stack.
  bool Advance(State& state, std::vector<State>& stack) {
    while (static_cast<size_t>(state.pc) < thread_.code.size()) {
      if (state.trace.events.size() > limits_.events) {
        cut_ = true;
        return false;
      }
      const Instr& instr = thread_.code[static_cast<size_t>(state.pc)];
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

  int64_t Eval(const State& state, int index, int64_t old, Deps* deps, Reads* through = nullptr) const {
    const Expr& e = thread_.exprs[static_cast<size_t>(index)];
    auto a = [&] { return Eval(state, e.a, old, deps, through); };
    auto b = [&] { return Eval(state, e.b, old, deps, through); };
    auto ua = [&] { return static_cast<uint64_t>(a()); };
    auto ub = [&] { return static_cast<uint64_t>(b()); };
    switch (e.op) {
      case Op::kConst:
        return e.imm;
      case Op::kReg:
        if (deps != nullptr) Join(*deps, state.deps[static_cast<size_t>(e.a)]);
        if (through != nullptr) *through |= state.through[static_cast<size_t>(e.a)];
        return state.trace.registers[static_cast<size_t>(e.a)];
      case Op::kOld:
        return old;
      case Op::kSelect: {
        int64_t yes = b();
        int64_t no = Eval(state, static_cast<int>(e.imm), old, deps, through);
        return a() != 0 ? yes : no;
      }
      case Op::kAdd:
        return static_cast<int64_t>(ua() + ub());
      case Op::kSub:
        return static_cast<int64_t>(ua() - ub());
      case Op::kMul:
        return static_cast<int64_t>(ua() * ub());
      case Op::kDiv:
      case Op::kMod: {
        int64_t x = a();
        int64_t y = b();
        if (y == 0 || y == -1)
          return e.op == Op::kMod ? 0 : (y == 0 ? 0 : static_cast<int64_t>(-static_cast<uint64_t>(x)));
        return e.op == Op::kDiv ? x / y : x % y;
      }
      case Op::kAnd:
        return a() & b();
      case Op::kOr:
        return a() | b();
      case Op::kXor:
        return a() ^ b();
      case Op::kShl:
        return static_cast<int64_t>(ua() << (ub() & 63));
      case Op::kShr:
        return static_cast<int64_t>(ua() >> (ub() & 63));
      case Op::kSar:
        return a() >> (ub() & 63);
      case Op::kEq:
        return a() == b() ? 1 : 0;
      case Op::kNe:
        return a() != b() ? 1 : 0;
      case Op::kLt:
        return a() < b() ? 1 : 0;
      case Op::kLe:
        return a() <= b() ? 1 : 0;
      case Op::kGt:
        return a() > b() ? 1 : 0;
      case Op::kGe:
        return a() >= b() ? 1 : 0;
      case Op::kLtU:
        return ua() < ub() ? 1 : 0;
      case Op::kLeU:
        return ua() <= ub() ? 1 : 0;
      case Op::kGtU:
        return ua() > ub() ? 1 : 0;
      case Op::kGeU:
        return ua() >= ub() ? 1 : 0;
      case Op::kLogicalAnd: {
        int64_t x = a();
        int64_t y = b();
        return x != 0 && y != 0 ? 1 : 0;
      }
      case Op::kLogicalOr: {
        int64_t x = a();
        int64_t y = b();
        return x != 0 || y != 0 ? 1 : 0;
      }
      case Op::kNot:
        return a() == 0 ? 1 : 0;
      case Op::kNeg:
        return static_cast<int64_t>(-ua());
      case Op::kComplement:
        return ~a();
      case Op::kZext32: {
        // An address keeps its upper half: 32-bit tests use it as a number without one.
        int64_t value = a();
        return value >= kAddressBase ? value : static_cast<int64_t>(static_cast<uint32_t>(value));
      }
      case Op::kSext32: {
        int64_t value = a();
        return value >= kAddressBase ? value : static_cast<int64_t>(static_cast<int32_t>(value));
      }
      case Op::kZext8:
        return a() & 0xff;
      case Op::kZext16:
        return a() & 0xffff;
      case Op::kMin:
        return std::min(a(), b());
      case Op::kMax:
        return std::max(a(), b());
      case Op::kMinU:
        return static_cast<int64_t>(std::min(ua(), ub()));
      case Op::kMaxU:
        return static_cast<int64_t>(std::max(ua(), ub()));
    }
    return 0;
  }

  static void Set(State& state, int reg, int64_t value, Deps deps, const Reads& through = {}) {
    if (reg < 0) return;
    state.through[static_cast<size_t>(reg)] = through;
    state.trace.registers[static_cast<size_t>(reg)] = value;
    state.deps[static_cast<size_t>(reg)] = std::move(deps);
  }

  void Assign(State& state, const Instr& instr) {
    Deps deps;
    Reads through;
    int64_t value = Eval(state, instr.value, 0, &deps, &through);
    Set(state, instr.dst, value, std::move(deps), through);
  }

  // A value that is written: known from now on, and by which reads.
  void Written(int cell, int64_t value, const Reads& through) {
    auto& known = next_[static_cast<size_t>(test_.cells[static_cast<size_t>(cell)].physical)];
    AddWay(known[value], through);
  }

  int NewEvent(State& state, const Instr& instr, Event event) {
    event.thread = number_;
    event.instr = static_cast<int>(&instr - thread_.code.data());
    int index = static_cast<int>(state.trace.events.size());
    Each(state.control, [&](int from) { state.trace.ctrl.emplace_back(from, index); });
    state.trace.events.push_back(event);
    return index;
  }

  void Fence(State& state, const Instr& instr) {
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
  bool Branch(State& state, const Instr& instr) {
    bool taken = true;
    if (instr.kind == Instr::Kind::kBranch) {
      Deps deps;
      taken = Eval(state, instr.value, 0, &deps) != 0;
      if (instr.join >= 0) state.control_stack.push_back(state.control);
      Join(state.control, deps);
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
        if (back.effects == state.effects && SameLive(instr.target, back.registers, state.trace.registers))
          return false;
      }
      if (rounds >= limits_.unroll) {
        cut_ = true;
        return false;
      }
      state.backs.push_back({instr.target, state.trace.registers, state.effects});
    }
    state.pc = instr.target;
    return true;
  }

  // Whether the registers that are still read from here on are the same.
  bool SameLive(int pc, const std::vector<int64_t>& a, const std::vector<int64_t>& b) const {
    const std::vector<bool>& live = live_[static_cast<size_t>(pc)];
    for (size_t i = 0; i < a.size(); ++i) {
      if (live[i] && a[i] != b[i]) return false;
    }
    return true;
  }

  void Uses(int index, std::vector<bool>& live) const {
    if (index < 0) return;
    const Expr& e = thread_.exprs[static_cast<size_t>(index)];
    if (e.op == Op::kConst || e.op == Op::kOld) return;
    if (e.op == Op::kReg) {
      live[static_cast<size_t>(e.a)] = true;
      return;
    }
    Uses(e.a, live);
    Uses(e.b, live);
    if (e.op == Op::kSelect) Uses(static_cast<int>(e.imm), live);
  }

  // Which registers are read later, before each instruction; those that the test shows are read at the end.
  void FindLive() {
    size_t count = thread_.code.size();
    live_.assign(count + 1, std::vector<bool>(thread_.registers.size(), false));
    for (const Observed& observed : test_.observed) {
      if (observed.thread == number_) live_[count][static_cast<size_t>(observed.index)] = true;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t pc = count; pc-- > 0;) {
        const Instr& instr = thread_.code[pc];
        std::vector<bool> live(thread_.registers.size(), false);
        if (instr.kind != Instr::Kind::kJump) live = live_[pc + 1];
        if (instr.target >= 0) {
          const std::vector<bool>& there = live_[static_cast<size_t>(instr.target)];
          for (size_t i = 0; i < live.size(); ++i) live[i] = live[i] || there[i];
        }
        if (instr.dst >= 0) live[static_cast<size_t>(instr.dst)] = false;
        if (instr.status >= 0) live[static_cast<size_t>(instr.status)] = false;
        for (int used : {instr.addr, instr.value, instr.expect, instr.barrier, instr.barrier_threads}) Uses(used, live);
        if (live == live_[pc]) continue;
        live_[pc] = std::move(live);
        changed = true;
      }
    }
  }

  // Accesses of different sizes to one location overlap in part, which no model here speaks of. Whole words and
  // doublewords at the same address are one thing: the values of tests fit into both.
  void CheckSize(int cell, int width) {
    int& seen = widths_[static_cast<size_t>(test_.cells[static_cast<size_t>(cell)].physical)];
    int here = std::min(width, 4);
    bool differs = seen != 0 && seen != here;
    seen = here;
    auto next = static_cast<size_t>(cell) + 1;
    bool overlaps = next < test_.cells.size() && test_.cells[next].address > test_.cells[next - 1].address &&
                    test_.cells[next].address - test_.cells[next - 1].address < width;
    if (differs || overlaps) mixed_ = cell;
  }

  // The cell at the address; -1 after noting the fault.
  int CellFor(State& state, const Instr& instr, Deps& deps, Reads* through = nullptr) {
    int64_t address = Eval(state, instr.addr, 0, &deps, through);
    int cell = test_.CellAt(address);
    if (cell < 0) {
      state.trace.faulted = true;
    } else {
      CheckSize(cell, instr.width);
    }
    return cell;
  }

  TagSet WithSpace(TagSet tags, int cell) const {
    if (!IsGpu(test_.arch) && test_.arch != Arch::kC) return tags;
    TagSet space = test_.cells[static_cast<size_t>(cell)].tags &
                   Tags({TagOf("GLOBAL"), TagOf("LOCAL"), TagOf("SHARED"), TagOf("NAL")});
    return tags | space;
  }

  void Link(State& state, Trace::Pairs& pairs, const Deps& deps, int event) {
    Each(deps, [&](int from) {
      if (from != event) pairs.emplace_back(from, event);
    });
    (void)state;
  }

  bool Store(State& state, const Instr& instr) {
    Deps address;
    Deps data;
    Reads through;
    int cell = CellFor(state, instr, address, &through);
    if (cell < 0) return false;
    Event event;
    event.cell = cell;
    event.writes = true;
    event.written_value = Eval(state, instr.value, 0, &data, &through);
    Written(cell, event.written_value, through);
    event.tags = WithSpace(instr.tags, cell);
    int index = NewEvent(state, instr, event);
    Link(state, state.trace.addr, address, index);
    Link(state, state.trace.data, data, index);
    ++state.effects;
    return true;
  }

  // Succeeds when it pairs with a reserved load of the same location, and may always fail.
  bool StoreConditional(State& state, const Instr& instr, std::vector<State>& stack) {
    State failed = state;
    Set(failed, instr.status, instr.status_fail, {});
    failed.reserved = -1;
    ++failed.pc;
    Deps address;
    int cell = CellFor(state, instr, address);
    if (cell < 0) return true;
    stack.push_back(std::move(failed));
    int load = state.reserved;
    if (load < 0 || state.trace.events[static_cast<size_t>(load)].cell != cell) return false;
    if (!Store(state, instr)) return true;
    int index = static_cast<int>(state.trace.events.size()) - 1;
    state.trace.rmw.emplace_back(load, index);
    Deps deps;
    if (instr.status_depends) AddDep(deps, static_cast<size_t>(index));
    Set(state, instr.status, instr.status_ok, std::move(deps));
    state.reserved = -1;
    ++state.pc;
    stack.push_back(std::move(state));
    return false;
  }

  // One state for each value that can be read.
  bool Read(State& state, const Instr& instr, std::vector<State>& stack) {
    Deps address;
    int cell = CellFor(state, instr, address);
    if (cell < 0) return true;
    size_t physical = static_cast<size_t>(test_.cells[static_cast<size_t>(cell)].physical);
    int number = read_number_[static_cast<size_t>(&instr - thread_.code.data())];
    for (const auto& [value, ways] : values_[physical]) {
      if (!Passed(ways, number)) continue;
      if (instr.kind == Instr::Kind::kLoad) {
        State next = state;
        Load(next, instr, cell, value, address);
        stack.push_back(std::move(next));
        continue;
      }
      bool matches = true;
      if (instr.expect >= 0) {
        matches = Eval(state, instr.expect, 0, nullptr) == value;
        if (!matches || instr.may_fail) {
          State next = state;
          Load(next, instr, cell, value, address);
          stack.push_back(std::move(next));
        }
      }
      if (!matches) continue;
      State next = state;
      Rmw(next, instr, cell, value, address);
      stack.push_back(std::move(next));
    }
    return false;
  }

  // Sets passed_ to what the ways have in common that do not pass through this read; false when all do.
  bool Passed(const Ways& ways, int number) {
    bool found = false;
    for (const Reads& way : ways) {
      if (number >= 0 && way.test(static_cast<size_t>(number))) continue;
      passed_ = found ? passed_ & way : way;
      found = true;
    }
    if (found && number >= 0) passed_.set(static_cast<size_t>(number));
    return found;
  }

  // A load, or a read-modify-write that writes nothing.
  void Load(State& state, const Instr& instr, int cell, int64_t value, const Deps& address) {
    bool failed = instr.kind == Instr::Kind::kRmw;
    Event event;
    event.cell = cell;
    event.reads = true;
    event.read_value = value;
    event.tags = WithSpace(failed ? instr.fail_tags : instr.tags, cell);
    int index = NewEvent(state, instr, event);
    Link(state, state.trace.addr, address, index);
    if (instr.reserve) state.reserved = index;
    Deps deps;
    AddDep(deps, static_cast<size_t>(index));
    if (failed) Set(state, instr.status, instr.status_fail, deps);
    Set(state, instr.dst, value, std::move(deps), passed_);
    ++state.pc;
  }

  void Rmw(State& state, const Instr& instr, int cell, int64_t value, const Deps& address) {
    Deps data;
    Reads through;
    if (instr.expect >= 0) Eval(state, instr.expect, 0, &data);
    int64_t written = Eval(state, instr.value, value, &data, &through);
    if (UsesOld(instr.value)) through |= passed_;
    Written(cell, written, through);
    Event event;
    event.cell = cell;
    event.reads = true;
    event.read_value = value;
    event.tags = WithSpace(instr.tags, cell);
    if (instr.one_event) {
      event.writes = true;
      event.written_value = written;
    }
    int read = NewEvent(state, instr, event);
    Link(state, state.trace.addr, address, read);
    int write = read;
    if (!instr.one_event) {
      event.reads = false;
      event.writes = true;
      event.written_value = written;
      event.tags = WithSpace(instr.write_tags, cell);
      write = NewEvent(state, instr, event);
      Link(state, state.trace.addr, address, write);
      // What is written depends on what was read, when it is computed from it.
      if (UsesOld(instr.value)) state.trace.data.emplace_back(read, write);
      if (instr.amo) state.trace.amo.emplace_back(read, write);
    }
    Link(state, state.trace.data, data, write);
    state.trace.rmw.emplace_back(read, write);
    bool scoped = test_.arch == Arch::kPtx || test_.arch == Arch::kVulkan || test_.arch == Arch::kOpenCl;
    if (written != value || scoped) ++state.effects;
    Deps deps;
    AddDep(deps, static_cast<size_t>(read));
    Set(state, instr.status, instr.status_ok, deps);
    Set(state, instr.dst, value, std::move(deps), passed_);
    ++state.pc;
  }

  bool UsesOld(int index) const {
    const Expr& e = thread_.exprs[static_cast<size_t>(index)];
    if (e.op == Op::kOld) return true;
    if (e.op == Op::kConst || e.op == Op::kReg) return false;
    return (e.a >= 0 && UsesOld(e.a)) || (e.b >= 0 && UsesOld(e.b)) ||
           (e.op == Op::kSelect && UsesOld(static_cast<int>(e.imm)));
  }

  const Test& test_;
  int number_;
  const Thread& thread_;
  const Values& values_;
  const TraceLimits& limits_;
  Values& next_;
  std::vector<int> read_number_;         // by instruction
  std::vector<std::vector<bool>> live_;  // of threads with loops: by instruction, the registers that are read later
  Reads passed_;                         // of the value that is being read
  bool cut_ = false;
  std::vector<int>& widths_;  // by physical cell: bytes of the accesses seen, 0: none yet
  int mixed_ = -1;            // a cell with accesses of several sizes
};

// Takes over what the threads write; new values only if `fresh`. Whether anything changed.
bool Grow(const Values& next, bool fresh, Values& values) {
  bool grown = false;
  for (size_t cell = 0; cell < values.size(); ++cell) {
    for (const auto& [value, ways] : next[cell]) {
      auto known = values[cell].find(value);
      if (known == values[cell].end()) {
        if (fresh) values[cell].emplace(value, ways);
        grown = grown || fresh;
        continue;
      }
      for (const Reads& way : ways) grown = AddWay(known->second, way) || grown;
    }
  }
  return grown;
}

// How many reads a value can pass through: each at most once, or once in each round of a loop.
size_t LongestChain(const Test& test, const TraceLimits& limits) {
  size_t chain = 0;
  for (const Thread& thread : test.threads) {
    std::vector<bool> loop = InLoop(thread);
    for (size_t i = 0; i < thread.code.size(); ++i) {
      if (IsRead(thread.code[i])) chain += loop[i] ? static_cast<size_t>(limits.unroll + 1) : 1;
    }
  }
  return chain;
}

// All ways through the threads with the values that are known; `values` grows by those that can be computed from them.
Result<TraceSet> Explore(const Test& test, const TraceLimits& limits, Values& values) {
  size_t loads = LongestChain(test, limits);
  std::vector<int> widths(test.cells.size(), 0);
  for (size_t round = 0;; ++round) {
    TraceSet result;
    result.threads.resize(test.threads.size());
    Values next(test.cells.size());
    size_t number = 0;
    for (size_t i = 0; i < test.threads.size(); ++i) {
      Runner runner(test, static_cast<int>(i), values, limits, number, next, widths);
      if (Status status = runner.Run(result.threads[i], result.loops_cut); !status) return status.error();
    }
    if (!Grow(next, round < loads, values)) return result;
  }
}

bool IsConstant(const Thread& thread, int expr) { return thread.exprs[static_cast<size_t>(expr)].op == Op::kConst; }

// Values that could only justify themselves, taken from what the test itself speaks of: what unreached code writes, and
// what the condition asks for when something is written that was read before.
class Guesses {
 public:
  Guesses(const Test& test, const TraceSet& traces, Values& values) : test_(test), values_(values) {
    for (size_t t = 0; t < test.threads.size(); ++t) Unreached(test.threads[t], traces.threads[t]);
    if (!copied_) return;
    for (const Prop& prop : test.props) {
      if (prop.kind == Prop::Kind::kCompare && prop.left >= 0 && prop.right < 0) Asked(prop);
    }
  }
  bool any() const { return any_; }

 private:
  void Unreached(const Thread& thread, const std::vector<Trace>& traces) {
    std::vector<bool> reached(thread.code.size(), false);
    for (const Trace& trace : traces) {
      for (const Event& event : trace.events) reached[static_cast<size_t>(event.instr)] = true;
    }
    for (size_t i = 0; i < thread.code.size(); ++i) {
      const Instr& instr = thread.code[i];
      if (instr.kind != Instr::Kind::kStore && instr.kind != Instr::Kind::kRmw) continue;
      bool constant = IsConstant(thread, instr.value);
      copied_ = copied_ || !constant || !reached[i];
      if (!constant || reached[i]) continue;
      int64_t value = thread.exprs[static_cast<size_t>(instr.value)].imm;
      int cell = IsConstant(thread, instr.addr) ? test_.CellAt(thread.exprs[static_cast<size_t>(instr.addr)].imm) : -1;
      if (cell >= 0) {
        Guess(cell, value);
      } else {
        GuessAll(value);
      }
    }
  }

  void Asked(const Prop& prop) {
    const Observed& observed = test_.observed[static_cast<size_t>(prop.left)];
    if (observed.thread < 0) {
      Guess(observed.index, prop.right_value);
      return;
    }
    auto known = [&](const auto& values) { return values.contains(prop.right_value); };
    if (std::none_of(values_.begin(), values_.end(), known)) GuessAll(prop.right_value);
  }

  void GuessAll(int64_t value) {
    for (size_t cell = 0; cell < test_.cells.size(); ++cell) Guess(static_cast<int>(cell), value);
  }

  void Guess(int cell, int64_t value) {
    auto& known = values_[static_cast<size_t>(test_.cells[static_cast<size_t>(cell)].physical)];
    any_ = known.emplace(value, Ways{Reads()}).second || any_;
  }

  const Test& test_;
  Values& values_;
  bool copied_ = false;
  bool any_ = false;
};

}  // namespace

Result<TraceSet> EnumerateTraces(const Test& test, const TraceLimits& limits) {
  Values values(test.cells.size());
  for (const Cell& cell : test.cells) {
    if (cell.physical == &cell - test.cells.data()) values[static_cast<size_t>(cell.physical)][cell.init] = {Reads()};
  }
  // Guessed code may reach more code; each round reaches some, so there are few.
  while (true) {
    Result<TraceSet> traces = Explore(test, limits, values);
    if (!traces || !Guesses(test, *traces, values).any()) return traces;
  }
}

}  // namespace heddle::litmus
