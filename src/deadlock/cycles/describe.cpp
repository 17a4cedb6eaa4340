#include "deadlock/cycles/describe.h"

#include <fmt/format.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "deadlock/cycles/names.h"

namespace heddle::deadlock {
namespace {

using findings::Finding;
using findings::Step;

constexpr size_t kMaxChain = 40;

class Describer {
 public:
  Describer(const Locksets& locksets, const Cycle& cycle) : all_(locksets), cycle_(cycle) {}

  Finding Make() {
    finding_.kind = findings::Kind::kDeadlock;
    finding_.status = findings::FindingStatus::kPossible;
    finding_.status_note = Note();
    finding_.count = cycle_.others + 1;
    switch (cycle_.kind) {
      case CycleKind::kLeak:
        Leak();
        break;
      case CycleKind::kSelf:
      case CycleKind::kSameClass:
      case CycleKind::kSignal:
        Single();
        break;
      default:
        Ring();
    }
    return std::move(finding_);
  }

 private:
  std::string Name(LocId loc) const {
    const Locations& locations = all_.facts().points().locations();
    if (!all_.transfer().IsThread(loc)) return LockName(locations, loc);
    const llvm::Value* create = locations.object_of(loc).site;
    for (const Origin& origin : all_.origins()) {
      if (origin.create == create) return fmt::format("end of {}", ThreadName(origin));
    }
    return "end of a thread";
  }

  std::string Note() const {
    if (cycle_.kind == CycleKind::kGroup) return "static, a group of locks that was not taken apart";
    if (cycle_.kind == CycleKind::kSameClass) return "static, two locks of one class";
    if (cycle_.rank == 0) return "static, every lock is one object";
    return fmt::format("static, rank {}", cycle_.rank);
  }

  std::string AddThread(OriginId id) {
    const Origin& origin = all_.origins()[id];
    findings::ThreadInfo thread;
    thread.id = origin.create == nullptr && !origin.anytime && !main_used_ ? "T0" : fmt::format("T{}", ++threads_);
    if (thread.id == "T0") main_used_ = true;
    thread.name = ThreadName(origin);
    if (origin.create != nullptr) thread.creation_stack = PlaceOf(*origin.create);
    finding_.threads.push_back(thread);
    return thread.id;
  }

  void AddStep(const std::string& thread, const char* what, const std::string& operand, Stack stack, uint32_t row,
               std::vector<std::string> locks) {
    Step step;
    step.site = ++sites_;
    step.row = row;
    step.thread = thread;
    step.what = what;
    step.operand = operand;
    step.stack = std::move(stack);
    step.locks = std::move(locks);
    finding_.steps.push_back(std::move(step));
  }

  // Where the lock of the edge was acquired: in this context, or in the one that called it, and so on.
  Stack Acquired(const Edge& edge) const {
    if (edge.holder != kNoContext) return ChainOf(all_, edge.holder, *edge.held_site);
    return AcquiredIn(edge.wait->context, edge.held, edge.held_site);
  }

  Stack AcquiredIn(ContextId context, LocId loc, const llvm::CallBase* site) const {
    for (size_t i = 0; i < kMaxChain; ++i) {
      if (site != nullptr) return ChainOf(all_, context, *site);
      const Context& in = all_.contexts()[context];
      auto since = in.held_since.find(loc);
      if (since == in.held_since.end()) break;
      site = in.held_site.at(loc);
      context = since->second.caller;
    }
    return StartOf(context);
  }

  Stack StartOf(ContextId context) const {
    // The virtual lock of a thread is held from its start.
    return PlaceOf(all_.contexts()[context].function->getEntryBlock().front());
  }

  std::vector<std::string> HeldNames(const Wait& wait) const {
    std::set<std::string> names;
    for (const MayLock& held : all_.states()[wait.before].held) {
      if (!all_.transfer().IsThread(held.loc))
        names.insert(Name(held.loc) + (held.mode == Mode::kRead ? " (shared)" : ""));
    }
    return {names.begin(), names.end()};
  }

  static const char* WaitWord(const Wait& wait) {
    switch (wait.kind) {
      case WaitKind::kJoin:
        return "join";
      case WaitKind::kRelock:
        return "relock";
      case WaitKind::kOnce:
        return "once";
      case WaitKind::kLock:
      case WaitKind::kTry:
        break;
    }
    return "lock";
  }

  void EdgeSteps(const Edge& edge, const std::string& thread, uint32_t held_row, uint32_t want_row) {
    const char* held_word = all_.transfer().IsThread(edge.held) ? "start" : "lock";
    AddStep(thread, held_word, Name(edge.held), Acquired(edge), held_row, {});
    AddStep(thread, WaitWord(*edge.wait), Name(edge.want), ChainOf(all_, edge.wait->context, *edge.wait->call),
            want_row, HeldNames(*edge.wait));
  }

  void Ring() {
    std::string locks;
    auto count = static_cast<uint32_t>(cycle_.edges.size());
    for (uint32_t i = 0; i < count; ++i) {
      const Edge& edge = *cycle_.edges[i];
      locks += fmt::format("`{}`, ", Name(edge.held));
      EdgeSteps(edge, AddThread(cycle_.threads[i]), cycle_.kind == CycleKind::kGroup ? 0 : i + 1,
                cycle_.kind == CycleKind::kGroup ? 0 : count + 1);
    }
    locks.resize(locks.size() - 2);
    if (cycle_.kind == CycleKind::kGroup) {
      finding_.message = fmt::format("locks that are taken in cyclic orders: {}", locks);
      finding_.why = "the component has too many cycles to list; each of the orders above is part of some cycle";
    } else {
      finding_.message = fmt::format("{} threads can wait for each other: {}", count, locks);
      finding_.why =
          fmt::format("each thread holds its first lock and waits for the other's; no common lock keeps them apart");
    }
    finding_.help = "take the locks in one order everywhere";
  }

  void Single() {
    const Edge& edge = *cycle_.edges[0];
    std::string thread = AddThread(cycle_.threads[0]);
    EdgeSteps(edge, thread, 1, 2);
    std::string name = Name(edge.want);
    if (cycle_.kind == CycleKind::kSelf) {
      finding_.message = fmt::format("a thread waits for `{}`, which it holds", name);
      finding_.why = "the mutex is not recursive";
      finding_.help = "unlock it first, or give a variant of the function to callers that hold it";
    } else if (cycle_.kind == CycleKind::kSignal) {
      finding_.message = fmt::format("a signal handler waits for `{}`, which the interrupted thread may hold", name);
      finding_.help = "do not lock in a signal handler";
    } else {
      finding_.message = fmt::format("two locks like `{}` are taken in an order that nothing fixes", name);
      finding_.why =
          "both are locks of one class (elements of an array, or of objects from one place): two threads can take two "
          "of them in opposite orders, or one thread the same twice";
      finding_.help = "compare the two addresses and lock the smaller one first";
    }
  }

  void Leak() {
    std::string dead = AddThread(cycle_.threads[0]), waits = AddThread(cycle_.threads[1]);
    std::string name = Name(cycle_.leaked.loc);
    AddStep(dead, "lock", name, AcquiredIn(cycle_.end->context, cycle_.leaked.loc, cycle_.leaked.site), 1, {});
    AddStep(dead, "end", "", ChainOf(all_, cycle_.end->context, *cycle_.end->at), 2, {name});
    AddStep(waits, "lock", name, ChainOf(all_, cycle_.wait->context, *cycle_.wait->call), 3, HeldNames(*cycle_.wait));
    finding_.message = fmt::format("a thread can end with `{}` held, and others wait for it", name);
    finding_.help = "unlock it on every way out";
  }

  const Locksets& all_;
  const Cycle& cycle_;
  Finding finding_;
  uint32_t sites_ = 0;
  int threads_ = 0;
  bool main_used_ = false;
};

}  // namespace

findings::Finding Describe(const Locksets& locksets, const Cycle& cycle) { return Describer(locksets, cycle).Make(); }

std::string ThreadName(const Origin& origin) {
  std::string start = origin.start == nullptr ? "" : FunctionName(*origin.start);
  if (start.find("std::thread::_State_impl") != std::string::npos) {
    Stack place = PlaceOf(*origin.create);
    const Frame* frame = UserFrame(place);
    return frame == nullptr ? "std::thread" : fmt::format("std::thread of {}", ShortPlace(*frame));
  }
  if (origin.others > 0) start += fmt::format(" or one of {} others", origin.others);
  if (origin.create != nullptr || origin.note == "main") return start;
  return origin.note + " " + start;
}

Stack ChainOf(const Locksets& locksets, ContextId context, const llvm::Instruction& at) {
  Stack chain;
  const llvm::Instruction* place = &at;
  // The acquisition may be in a callee that has returned: then its own place is all there is to say.
  bool here = place->getFunction() == locksets.contexts()[context].function;
  if (!here) chain = PlaceOf(*place);
  for (size_t i = 0; i < kMaxChain && context != kNoContext; ++i) {
    const Context& in = locksets.contexts()[context];
    if (here) {
      Stack more = PlaceOf(*place);
      chain.insert(chain.end(), more.begin(), more.end());
    }
    here = true;
    if (in.starts || in.first.call == nullptr) break;
    place = in.first.call;
    context = in.first.caller;
  }
  return chain;
}

}  // namespace heddle::deadlock
