#include <algorithm>

#include "litmus/sim/runner.h"

// The dependencies of AArch64 follow the Arm manual (DDI 0487, B2.3): they go through registers, through the addresses
// of loads, and through memory from a write of the thread to its next reads of that place. A CAS that succeeds gives
// back a value that hardware may take from its register or from memory; both are tried, since they depend on different
// things, unless one of them orders less in any case.
namespace heddle::litmus {
namespace {

// How a cell holds what an access of this many bytes writes: words as signed numbers, so that -1 is one value however a
// test writes it. Programs without machine instructions have values of any size in cells of any size.
int64_t Held(const Test& test, int64_t value, int width) {
  bool machine = test.arch != Arch::kC && !IsGpu(test.arch);
  if (!machine || width > 4 || IsAddress(value)) return value;
  if (width < 4) return Masked(value, width);
  return static_cast<int32_t>(static_cast<uint32_t>(value));
}

// What a register gets of it.
int64_t Loaded(const Test& test, const Instr& instr, int64_t value) {
  int64_t held = Held(test, value, instr.width);
  return instr.zero_extends && instr.width == 4 && held < 0 ? Masked(held, 4) : held;
}

// Whether it succeeded depends on what was read, but is not computed from it.
Flow StatusFlow(Flow read) {
  read.through.reset();
  return read;
}

}  // namespace

// ---- places ----

// Whole cells only. Accesses of different sizes to one overlap in part, which the model has no rules for. Words and
// doublewords at the same address are one thing: the values of tests fit into both.
Place Runner::Undivided(int64_t address, const Instr& instr, Access& access) {
  for (int half = 0; half < (instr.pair ? 2 : 1); ++half) {
    int cell = test_.CellAt(address + int64_t{half} * instr.width);
    if (cell < 0) return Place::kNone;
    int& seen = round_.widths[static_cast<size_t>(test_.cells[static_cast<size_t>(cell)].physical)];
    int here = std::min(instr.width, 4);
    bool differs = seen != 0 && seen != here;
    seen = here;
    auto next = static_cast<size_t>(cell) + 1;
    bool overlaps = next < test_.cells.size() && test_.cells[next].address > test_.cells[next - 1].address &&
                    test_.cells[next].address - test_.cells[next - 1].address < instr.width;
    if (differs || overlaps) {
      unsupported_ = "accesses of different sizes to `" + test_.cells[static_cast<size_t>(cell)].name +
                     "`: the model has no rules for them (it does not use `sm`)";
    }
    access.parts[access.count++] = {cell, half, 0};
  }
  return Place::kFound;
}

// False after noting the fault, or that a location must be divided first.
bool Runner::FindAccess(State& state, const Instr& instr, Access& access, Flow& address) {
  int64_t at = Eval(state, instr.addr, 0, &address);
  Place place = Place::kFound;
  if (round_.parts) {
    place = FindParts(test_, at, instr.width, 0, access, round_.boundary);
    if (place == Place::kFound && instr.pair) {
      place = FindParts(test_, at + instr.width, instr.width, 1, access, round_.boundary);
    }
  } else {
    place = Undivided(at, instr, access);
  }
  if (place == Place::kNone) state.trace.faulted = true;
  if (place == Place::kDivide) stopped_ = true;
  if (place == Place::kMisaligned) {
    unsupported_ = "an access of thread " + thread_.name + " is not aligned to its size";
  }
  return place == Place::kFound;
}

TagSet Runner::WithSpace(TagSet tags, int cell) const {
  if (!IsGpu(test_.arch) && test_.arch != Arch::kC) return tags;
  TagSet space = test_.cells[static_cast<size_t>(cell)].tags &
                 Tags({TagOf("GLOBAL"), TagOf("LOCAL"), TagOf("SHARED"), TagOf("NAL")});
  return tags | space;
}

// ---- events and what they depend on ----

int Runner::NewEvent(State& state, const Instr& instr, Event event) {
  event.thread = number_;
  event.instr = static_cast<int>(&instr - thread_.code.data());
  event.instance = instance_;
  int index = static_cast<int>(state.trace.events.size());
  if (event.access < 0) event.access = index;
  Range one{index, index + 1};
  Link(state.trace.ctrl, state.control.deps, one);
  Link(state.trace.pick_ctrl, state.control.pick, one);
  state.trace.events.push_back(event);
  return index;
}

void Runner::Link(Trace::Pairs& pairs, const Deps& deps, Range range) {
  for (int to = range.begin; to < range.end; ++to) {
    Each(deps, [&](int from) {
      if (from != to) pairs.emplace_back(from, to);
    });
  }
}

void Runner::Cross(Trace::Pairs& pairs, Range from, Range to) {
  for (int a = from.begin; a < from.end; ++a) {
    for (int b = to.begin; b < to.end; ++b) pairs.emplace_back(a, b);
  }
}

void Runner::Addressed(State& state, Range range, const Flow& address) {
  Link(state.trace.addr, address.deps, range);
  Link(state.trace.pick_addr, address.pick, range);
  Link(state.trace.pick, address.pick, range);
}

// The events of a read; `written`: it also writes these values.
Runner::Range Runner::ReadEvents(State& state, const Instr& instr, const Got& got, const TagSet& tags,
                                 const PartValues* written) {
  Range range{static_cast<int>(state.trace.events.size()), 0};
  int first = -1;
  for (size_t i = 0; i < got.access.count; ++i) {
    const Part& part = got.access.parts[i];
    Event event;
    event.cell = part.cell;
    event.reads = true;
    event.read_value = got.values[i];
    event.tags = WithSpace(tags, part.cell);
    bool again = i > 0 && (instr.one_access || got.access.parts[i - 1].element == part.element);
    event.access = again ? first : -1;
    if (written != nullptr) {
      event.writes = true;
      event.written_value = (*written)[i];
    }
    int index = NewEvent(state, instr, event);
    if (!again) first = index;
    range.end = index + 1;
  }
  Addressed(state, range, got.address);
  return range;
}

Runner::Range Runner::WriteEvents(State& state, const Instr& instr, const Access& access, const TagSet& tags,
                                  const PartValues& values) {
  Range range{static_cast<int>(state.trace.events.size()), 0};
  int first = -1;
  for (size_t i = 0; i < access.count; ++i) {
    const Part& part = access.parts[i];
    Event event;
    event.cell = part.cell;
    event.writes = true;
    event.written_value = values[i];
    event.tags = WithSpace(tags, part.cell);
    bool again = i > 0 && (instr.one_access || access.parts[i - 1].element == part.element);
    event.access = again ? first : -1;
    int index = NewEvent(state, instr, event);
    if (!again) first = index;
    range.end = index + 1;
  }
  return range;
}

// What the value that was read comes from; of a pair, that of one half (-1: both).
Flow Runner::FlowOf(const State& state, const Got& got, Range range, int element) const {
  Flow flow;
  if (selects_) flow.AddEvents(got.address);
  for (size_t i = 0; i < got.access.count; ++i) {
    const Part& part = got.access.parts[i];
    if (element >= 0 && part.element != element) continue;
    auto event = static_cast<size_t>(range.begin) + i;
    AddDep(flow.deps, event);
    if (!selects_) continue;
    AddDep(flow.pick, event);
    flow.AddEvents(state.memory[static_cast<size_t>(part.cell)]);
  }
  flow.through = got.through;
  return flow;
}

// A read of what the thread itself wrote before depends on that.
void Runner::FromMemory(State& state, const Access& access, Range range) {
  if (!selects_) return;
  for (size_t i = 0; i < access.count; ++i) {
    int event = range.begin + static_cast<int>(i);
    Link(state.trace.pick, state.memory[static_cast<size_t>(access.parts[i].cell)].pick, {event, event + 1});
  }
}

// What the thread wrote, for its own later reads.
void Runner::Remember(State& state, const Access& access, Range range, const Flow& flow) {
  Link(state.trace.pick, flow.pick, range);
  if (!selects_) return;
  for (size_t i = 0; i < access.count; ++i) state.memory[static_cast<size_t>(access.parts[i].cell)] = flow;
}

// ---- stores ----

bool Runner::Store(State& state, const Instr& instr) {
  Access access;
  Flow address;
  if (!FindAccess(state, instr, access, address)) return false;
  Flow data;
  int64_t halves[2] = {Held(test_, Eval(state, instr.value, 0, &data), instr.width), 0};
  if (instr.pair) halves[1] = Held(test_, Eval(state, instr.second_value, 0, &data), instr.width);
  PartValues values{};
  Reads through = data.through | address.through;
  for (size_t i = 0; i < access.count; ++i) {
    const Part& part = access.parts[i];
    values[i] = PartOf(test_, access, part, halves[part.element]);
    auto physical = static_cast<size_t>(test_.cells[static_cast<size_t>(part.cell)].physical);
    AddWay(round_.written[physical][values[i]], through);
  }
  Range range = WriteEvents(state, instr, access, instr.tags, values);
  Addressed(state, range, address);
  Link(state.trace.data, data.deps, range);
  data.AddEvents(address);
  Remember(state, access, range, data);
  ++state.effects;
  return true;
}

// Succeeds when it pairs with a reserved load of the same place, and may always fail. On RISC-V the reservation may
// cover other places too (unprivileged specification, "Load-Reserved/Store-Conditional": an arbitrarily large set).
bool Runner::StoreConditional(State& state, const Instr& instr, std::vector<State>& stack) {
  Access access;
  Flow address;
  if (!FindAccess(state, instr, access, address)) return true;
  State failed = state;
  Set(failed, instr.status, instr.status_fail, {});
  failed.reserved = -1;
  ++failed.pc;
  stack.push_back(std::move(failed));
  if (state.reserved < 0) return false;
  int instance = state.trace.events[static_cast<size_t>(state.reserved)].instance;
  Range loads{state.reserved, state.reserved};
  const auto& events = state.trace.events;
  while (static_cast<size_t>(loads.end) < events.size() && events[static_cast<size_t>(loads.end)].instance == instance)
    ++loads.end;
  bool same = static_cast<size_t>(loads.end - loads.begin) == access.count;
  for (size_t i = 0; i < access.count && same; ++i) {
    same = events[static_cast<size_t>(loads.begin) + i].cell == access.parts[i].cell;
  }
  if (!same && test_.arch != Arch::kRiscv) return false;
  Range stores{static_cast<int>(events.size()), 0};
  Store(state, instr);
  stores.end = static_cast<int>(state.trace.events.size());
  Cross(state.trace.rmw, loads, stores);
  Flow flow;
  if (instr.status_depends) {
    for (int event = stores.begin; event < stores.end; ++event) AddDep(flow.deps, static_cast<size_t>(event));
  }
  Set(state, instr.status, instr.status_ok, std::move(flow));
  state.reserved = -1;
  ++state.pc;
  stack.push_back(std::move(state));
  return false;
}

// ---- reads ----

// One state for each value that can be read.
bool Runner::Read(State& state, const Instr& instr, std::vector<State>& stack) {
  Got got;
  if (!FindAccess(state, instr, got.access, got.address)) return true;
  int number = read_number_[static_cast<size_t>(&instr - thread_.code.data())];
  Choose(state, instr, 0, number, got, stack);
  return false;
}

void Runner::Choose(State& state, const Instr& instr, size_t part, int read, Got& got, std::vector<State>& stack) {
  if (part == got.access.count) {
    Chosen(state, instr, got, stack);
    return;
  }
  auto cell = static_cast<size_t>(got.access.parts[part].cell);
  Reads before = got.through;
  for (const auto& [value, ways] : round_.values[static_cast<size_t>(test_.cells[cell].physical)]) {
    Reads common;
    if (!CommonWay(ways, read, common)) continue;
    got.values[part] = value;
    got.through = before | common;
    Choose(state, instr, part + 1, read, got, stack);
  }
  got.through = before;
}

void Runner::Chosen(State& state, const Instr& instr, const Got& got, std::vector<State>& stack) {
  bool matches = true;
  if (instr.expect >= 0) {
    auto equal = [&](int expected, int element) {
      return Held(test_, Eval(state, expected, 0, nullptr), instr.width) ==
             Held(test_, Combined(test_, got.access, element, got.values), instr.width);
    };
    matches = equal(instr.expect, 0) && (!instr.pair || equal(instr.second_expect, 1));
  }
  if (instr.kind == Instr::Kind::kLoad || !matches || instr.may_fail) {
    State next = state;
    Load(next, instr, got);
    stack.push_back(std::move(next));
  }
  if (instr.kind == Instr::Kind::kLoad || !matches) return;
  bool compares = selects_ && instr.expect >= 0 && instr.dst >= 0;
  bool depends = false;
  if (compares) {
    Flow expected;
    Eval(state, instr.expect, 0, &expected);
    if (instr.pair) Eval(state, instr.second_expect, 0, &expected);
    depends = !expected.deps.empty();
    State next = state;
    Rmw(next, instr, got, true);
    stack.push_back(std::move(next));
  }
  // Without dependencies of its own, what the register held orders less than what memory held.
  if (compares && !depends) return;
  State next = state;
  Rmw(next, instr, got, false);
  stack.push_back(std::move(next));
}

// `instead`: what the registers depend on, when it is not what was read.
void Runner::SetRead(State& state, const Instr& instr, const Got& got, Range range, const Flow* instead) {
  auto flow = [&](int element) { return instead != nullptr ? *instead : FlowOf(state, got, range, element); };
  Flow second = instr.pair ? flow(1) : Flow();
  auto value = [&](int element) { return Loaded(test_, instr, Combined(test_, got.access, element, got.values)); };
  Set(state, instr.dst, value(0), flow(0));
  if (instr.pair) Set(state, instr.second_dst, value(1), std::move(second));
}

// A load, or a read-modify-write that writes nothing.
void Runner::Load(State& state, const Instr& instr, const Got& got) {
  bool failed = instr.kind == Instr::Kind::kRmw;
  Range range = ReadEvents(state, instr, got, failed ? instr.fail_tags : instr.tags, nullptr);
  FromMemory(state, got.access, range);
  if (instr.reserve) state.reserved = range.begin;
  if (failed) Set(state, instr.status, instr.status_fail, StatusFlow(FlowOf(state, got, range, -1)));
  SetRead(state, instr, got, range, nullptr);
  ++state.pc;
}

// `keeps_expected`: of a comparison that held, the register keeps what it was compared with.
void Runner::Rmw(State& state, const Instr& instr, const Got& got, bool keeps_expected) {
  Flow data;
  Flow expected;
  if (instr.expect >= 0) Eval(state, instr.expect, 0, &expected);
  if (instr.pair) Eval(state, instr.second_expect, 0, &expected);
  int64_t old = Loaded(test_, instr, Combined(test_, got.access, 0, got.values));
  int64_t halves[2] = {Held(test_, Eval(state, instr.value, old, &data), instr.width), 0};
  if (instr.pair) halves[1] = Held(test_, Eval(state, instr.second_value, 0, &data), instr.width);
  bool uses_old = UsesOld(thread_, instr.value);
  Reads through = data.through;
  if (uses_old) through |= got.through;
  PartValues written{};
  bool changed = false;
  for (size_t i = 0; i < got.access.count; ++i) {
    const Part& part = got.access.parts[i];
    written[i] = PartOf(test_, got.access, part, halves[part.element]);
    changed = changed || written[i] != got.values[i];
    auto physical = static_cast<size_t>(test_.cells[static_cast<size_t>(part.cell)].physical);
    AddWay(round_.written[physical][written[i]], through);
  }
  Range reads = ReadEvents(state, instr, got, instr.tags, instr.one_event ? &written : nullptr);
  FromMemory(state, got.access, reads);
  Flow flow = FlowOf(state, got, reads, -1);
  // What the registers get, before the write is remembered.
  if (keeps_expected) {
    Flow kept = expected;
    Join(kept.pick, flow.pick);
    kept.through = got.through;
    SetRead(state, instr, got, reads, &kept);
  } else {
    SetRead(state, instr, got, reads, nullptr);
  }
  Set(state, instr.status, instr.status_ok, StatusFlow(flow));
  Range writes = reads;
  if (!instr.one_event) {
    writes = WriteEvents(state, instr, got.access, instr.write_tags, written);
    Addressed(state, writes, got.address);
    // What is written depends on what was read, when it is computed from it; on AArch64 only what comes after it does.
    if (uses_old && !selects_) Cross(state.trace.data, reads, writes);
    if (instr.amo) Cross(state.trace.amo, reads, writes);
  }
  if (!selects_) data.AddEvents(expected);
  Link(state.trace.data, data.deps, writes);
  Cross(state.trace.rmw, reads, writes);
  if (selects_) {
    data.AddEvents(got.address);
    if (uses_old) data.AddEvents(flow);
    if (instr.expect >= 0) {
      Join(data.pick, expected.pick);
      Join(data.pick, flow.pick);
    }
    Remember(state, got.access, writes, data);
  }
  bool scoped = test_.arch == Arch::kPtx || test_.arch == Arch::kVulkan || test_.arch == Arch::kOpenCl;
  if (changed || scoped) ++state.effects;
  ++state.pc;
}

}  // namespace heddle::litmus
