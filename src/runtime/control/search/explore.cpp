#include "runtime/control/search/explore.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/control/replay/variables.h"
#include "runtime/control/search/c11.h"
#include "runtime/control/search/crash.h"
#include "runtime/control/search/in_place.h"
#include "runtime/control/turn/scheduler_parts.h"
#include "runtime/control/turn/start.h"
#include "runtime/control/turn/waits.h"
#include "runtime/memory/hot_section.h"
#include "runtime/memory/pages.h"
#include "runtime/message.h"
#include "runtime/options.h"
#include "runtime/raw_syscall.h"
#include "sched/random.h"
#include "wire/environment.h"

namespace heddle::rt::control {

wire::ExploreLink* g_link = nullptr;

namespace {

using wire::ExploredEvent;
using wire::LinkEnd;
using wire::ThreadBits;

class Explore final : public sched::Strategy {
 public:
  bool Informed() const override { return true; }

  void Begins(uint32_t slot) override {
    begun_ = slot;
    if (sampler_ != nullptr) sampler_->Begins(slot);
  }
  void Ends(uint32_t slot) override {
    if (sampler_ != nullptr) sampler_->Ends(slot);
  }
  void Yields(uint32_t slot) override {
    if (sampler_ != nullptr) sampler_->Yields(slot);
  }

  uint32_t Pick(const sched::View& view) override {
    if (InLastRound()) return view.enabled->First();
    for (uint32_t i = 0; i < ThreadBits::kWords; ++i) enabled_.SetWord(i, view.enabled->word(i));
    if (!copied_ && IsChoice(view.next[view.enabled->First()].operation)) BecomeCopy();
    if (!copied_) return view.enabled->First();
    // In place, an execution that ends without a word is performed again in a copy.
    if (!g_in_place) NotePending();
    if (sampler_ != nullptr) return sampler_->Pick(view);
    LeaveOutTimeouts(view);
    uint32_t slot = 0;
    switch (policy_.Pick(enabled_, &slot, C11() ? Revived() : ThreadBits(), C11() ? AtLoads(view) : ThreadBits())) {
      case sched::Choice::kAsleep:
        EndAsleep();
      case sched::Choice::kDiverged:
        // With C11 atomics: an await that can read nothing here. What was asked for does not exist.
        if (C11() && g_slots[policy_.Planned()] != nullptr && Awaits(g_slots[policy_.Planned()])) EndAsleep();
        EndExecution(LinkEnd::kDiverged);
      default:
        return slot;
    }
  }

  void Performed(uint32_t slot, const sched::NextOp& op) override {
    if (InLastRound()) return LastRoundWent(slot);
    if (slot < wire::kMaxExplored && expiring_.Has(slot)) ++g_slots[slot]->timeouts;
    // In its place: copied at once after it was made of small parts, it would wait for them to leave the store buffer.
    uint64_t at = g_link->events;
    ExploredEvent& event = *new (&g_link->event[at]) ExploredEvent(EventOf(slot, op, true, begun_));
    begun_ = sched::kNoSlot;
    event.enabled = enabled_;
    if (event.role == wire::Role::kChoice) event.value = chosen_;
    if (C11() && !wire::IsC11(event)) SynchroniseC11(event);
    g_slots[slot]->c11.prepared = false;
    g_slots[slot]->await = {};
    __atomic_store_n(&g_link->events, at + 1, __ATOMIC_RELEASE);
    if (sampler_ != nullptr) sampler_->Performed(slot, op);
    if (copied_ && sampler_ == nullptr) policy_.Performed(event);
    if (op.operation == sched::Code(Kind::ProcessExit)) {
      if (g_in_place) NotePending();
      LookForPending();
      g_link->end = stopped_ || SomebodySpins(Spin::kStopped) ? LinkEnd::kBlocked : LinkEnd::kDone;
      if (g_link->crash_signal != 0) EndExecution(g_link->end);
    } else if (at + 1 >= g_link->max_steps) {
      EndExecution(LinkEnd::kDepth);
    }
  }

  // The number for a choice in the step under way.
  uint32_t Value(uint32_t count) {
    ++g_link->choices;
    chosen_ = sampler_ != nullptr ? static_cast<uint32_t>(random_.Below(count)) : policy_.Value();
    if (chosen_ >= count) chosen_ = count - 1;
    return chosen_;
  }

  // The store for a C11 atomic in the step under way; what else it could have been goes into the link.
  uint32_t Store(ControlThread* self, uint64_t present) {
    C11Thread& c11 = self->c11;
    c11.step = g_link->events;
    c11.options = 0;
    if (!copied_ || InLastRound()) return g_c11->Last(c11.access, present);
    uint32_t planned = sampler_ == nullptr ? policy_.StoreValue() : wire::kAnyValue;
    if (planned != wire::kAnyValue) return planned;
    bool sleeps = sampler_ == nullptr && policy_.Sleeping().Has(self->slot);
    uint32_t since = sleeps ? static_cast<uint32_t>(policy_.Asleep(self->slot).second + 1) : 0;
    sched::C11Graph::Option options[sched::C11Graph::kMaxOptions];
    uint32_t count = g_c11->Options(c11.access, present, since, options);
    if (g_c11->Overflowed() || g_link->options + count > wire::kLinkOptions) EndExecution(LinkEnd::kDepth);
    if (count == 0) EndAsleep();
    if (sampler_ != nullptr) return options[random_.Below(count)].id;
    for (uint32_t i = 0; i < count; ++i) g_link->option[g_link->options++] = options[i].id;
    c11.options = count;
    return options[0].id;
  }

  // An execution within a test's own process: the request is in the link.
  void BeginInside() {
    copied_ = true;
    BeginPlanned();
  }

  void NoteStanding() const {
    if (copied_ && !InLastRound()) NotePending();
  }

  void Stops() { stopped_ = true; }
  bool stopped() const { return stopped_; }
  bool searches() const { return copied_ && sampler_ == nullptr; }

  static bool SomebodyAwaits() {
    bool found = false;
    ForEachLive([&](const ControlThread* thread) { found = found || Awaits(thread); });
    return found;
  }

  static bool SomebodySpins(Spin state) {
    bool found = false;
    ForEachLive([&](const ControlThread* thread) { found = found || thread->loop.state == state; });
    return found;
  }

 private:
  // Abandoned. Those that wait may have come too late for something; so may an await that writes and sleeps because of
  // an older store, when another took the newer one.
  [[noreturn]] void EndAsleep() {
    NotePending();
    enabled_.ForEach([](uint32_t slot) {
      const ControlThread* thread = g_slots[slot];
      bool writes =
          C11() && Awaits(thread) && thread->c11.prepared && thread->c11.access.kind != sched::C11Access::kLoad;
      if (!writes) g_link->live[slot / 64] &= ~(uint64_t{1} << slot % 64);
    });
    EndExecution(LinkEnd::kAsleep);
  }

  // With one thread there is nothing to choose before these.
  static bool IsChoice(uint8_t operation) {
    return operation == sched::Code(Kind::ThreadFork) || operation == sched::Code(Kind::ProcessExit) ||
           operation == sched::kChoose;
  }

  // A wait with a limit could run out again and again. While others can go, it does so twice for each thread.
  void LeaveOutTimeouts(const sched::View& view) {
    constexpr uint32_t kTimeouts = 2;
    expiring_ = {};
    ThreadBits out;
    enabled_.ForEach([&](uint32_t slot) {
      if (!view.next[slot].timed) return;
      const ControlThread* thread = g_slots[slot];
      if (thread->waits_at == nullptr || CanStopWaiting(thread)) return;
      expiring_.Add(slot);
      if (thread->timeouts >= kTimeouts) out.Add(slot);
    });
    if (out.empty() || (enabled_ - out).empty()) return;
    enabled_ -= out;
    g_link->timeouts = 1;
  }

  // One that was not stopped goes on, or a stopped one has left its loop.
  void LastRoundWent(uint32_t slot) {
    constexpr uint32_t kLooks = 10000;
    if (g_slots[slot]->loop.state != Spin::kChance) EndExecution(LinkEnd::kBlocked);
    if (++looks_ > kLooks) EndExecution(LinkEnd::kDepth);
  }

  void BecomeCopy() {
    ServeRequests();
    copied_ = true;
    if (g_link->strategy != wire::Strategy::kExplore) {
      g_options.seed = g_link->seed;
      if (g_link->pct_length != 0) g_options.length = g_link->pct_length;
      random_ = sched::Random(g_link->seed);
      sampler_ = MakeSampler(g_link->strategy);
      sampler_->Begins(0);
      return;
    }
    BeginPlanned();
  }

  void BeginPlanned() {
    policy_.BeginAt({g_link->prefix, g_link->prefix_length, g_link->sleeping, g_link->sleepers, g_link->sleep_from},
                    g_link->events, 0);
  }

  static uint64_t PresentOf(const sched::C11Access& access) {
    uint64_t present = 0;
    memcpy(&present, reinterpret_cast<const void*>(access.address), access.bytes);  // NOLINT: the program's atomic
    return present;
  }

  // Threads whose load sleeps, but could read a store that came since.
  ThreadBits Revived() {
    ThreadBits revived;
    (enabled_ & policy_.Sleeping()).ForEach([&](uint32_t slot) {
      const ExploredEvent& asleep = policy_.Asleep(slot);
      const C11Thread& c11 = g_slots[slot]->c11;
      if (!wire::Reads(asleep) || !c11.prepared) return;
      bool any = g_c11->Any(c11.access, PresentOf(c11.access), static_cast<uint32_t>(asleep.second + 1));
      if (any) revived.Add(slot);
    });
    return revived;
  }

  // The more stores there are when a load comes, the fewer executions have to be gone back on for it.
  ThreadBits AtLoads(const sched::View& view) const {
    ThreadBits loads;
    enabled_.ForEach([&](uint32_t slot) {
      if (view.next[slot].operation == sched::Code(Kind::AtomicLoad)) loads.Add(slot);
    });
    return loads;
  }

  // What each thread stands before.
  static void NotePending() {
    for (uint64_t& word : g_link->live) word = 0;
    ForEachLive([&](const ControlThread* thread) {
      if (thread->loop.state != Spin::kNot) return;  // it goes no further
      uint32_t slot = thread->slot;
      g_link->live[slot / 64] |= uint64_t{1} << slot % 64;
      new (&g_link->pending[slot]) ExploredEvent(EventOf(slot, g_next[slot], false, sched::kNoSlot));
    });
  }

  // The process ends: what those find there who stood before an access.
  static void LookForPending() {
    ForEachLive([&](const ControlThread* thread) {
      ExploredEvent& pending = g_link->pending[thread->slot];
      bool live = (g_link->live[thread->slot / 64] >> thread->slot % 64 & 1U) != 0;
      bool there = live && pending.bytes != 0;
      if (!there || pending.condition == wire::Condition::kNone) return;
      auto* word = reinterpret_cast<const uint64_t*>(pending.object & ~uint64_t{7});  // NOLINT: the program's memory
      pending.before = __atomic_load_n(word, __ATOMIC_RELAXED);
    });
  }

  sched::ExplorePolicy policy_;
  sched::Strategy* sampler_ = nullptr;
  sched::Random random_{1};
  ThreadBits enabled_;
  ThreadBits expiring_;  // of these, those whose wait would end by its limit
  uint32_t begun_ = sched::kNoSlot;
  uint32_t chosen_ = 0;
  uint32_t looks_ = 0;
  bool copied_ = false;
  bool stopped_ = false;
};

alignas(64) HEDDLE_HOT_SECTION char g_place[sizeof(Explore)];
Explore* g_explore = nullptr;

bool Never(const void*) { return false; }

// Replays: the numbers of a schedule's header, one after the other.
uint32_t RecordedChoice() {
  static const char* at = Variable(wire::variable::kChoices);
  if (at == nullptr || *at == '\0') return 0;
  char* end = nullptr;
  unsigned long value = strtoul(at, &end, 10);
  at = *end == ',' ? end + 1 : end;
  return static_cast<uint32_t>(value);  // the search may have been asked for more values than this run knows of
}

bool Refuse(const char* path) {
  Message("cannot be explored, the program is not run: ", path == nullptr ? "HEDDLE_EXPLORE is not set" : path);
  return false;
}

}  // namespace

bool StartExplore(const char* path) {
  long fd = path == nullptr ? -1 : Sys(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return Refuse(path);
  constexpr uint64_t kBytes = sizeof(wire::ExploreLink);
  long at = Sys(SYS_mmap, PageHint(kBytes), kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
  Sys(SYS_close, fd);
  if (at == -1) return Refuse(path);
  g_link = reinterpret_cast<wire::ExploreLink*>(at);  // NOLINT: the kernel's number
  return g_link->magic == wire::kLinkMagic || Refuse(path);
}

sched::Strategy* ExploreStrategy() { return g_explore = new (g_place) Explore; }

uint32_t ExploreSlot(const char* id) {
  for (uint32_t i = 0; i < g_link->threads; ++i) {
    if (strcmp(g_link->names[i], id) == 0) return i;
  }
  if (g_link->threads == wire::MostThreads(g_link->strategy, C11())) EndExecution(LinkEnd::kManyThreads);
  uint32_t index = g_link->threads;
  for (uint32_t i = 0; i + 1 < sizeof g_link->names[0] && id[i] != '\0'; ++i) g_link->names[index][i] = id[i];
  g_link->threads = index + 1;
  return index;
}

void NoteStanding() { g_explore->NoteStanding(); }

void LeaveSearch() {
  Sys(SYS_munmap, g_link, sizeof *g_link);
  g_link = nullptr;
  g_in_place = false;
  LeaveAnalysis();
  RuntimeScope::Leave();
}

void EndExecution(LinkEnd end) {
  bool spins = Explore::SomebodySpins(Spin::kStuck) || Explore::SomebodyAwaits();
  if (end == LinkEnd::kDeadlock && spins) end = LinkEnd::kLivelock;
  if ((end == LinkEnd::kDeadlock || end == LinkEnd::kLivelock) && g_explore->stopped()) end = LinkEnd::kBlocked;
  bool explored = end == LinkEnd::kDone || end == LinkEnd::kDeadlock || end == LinkEnd::kLivelock ||
                  end == LinkEnd::kBlocked || end == LinkEnd::kDepth;
  bool crashed = explored && g_link->crash_signal != 0;
  g_link->end = crashed && end != LinkEnd::kDepth ? LinkEnd::kDone : end;
  if (crashed) DieIfCrashed();
  if (g_in_place && (end != LinkEnd::kRunning || InProcess())) EndInPlace(0);
  OpenGate();
  Sys(SYS_exit_group, 0);
  __builtin_unreachable();
}

uint32_t ChooseExplored(ControlThread* self, uint64_t present) { return g_explore->Store(self, present); }
void BeginInside() { g_explore->BeginInside(); }

bool Searching() { return g_explore != nullptr && g_explore->searches(); }

uint32_t Choose(uint32_t count, const void* pc) {
  if (!Controlled() || count < 2) return 0;
  Point point = PointOf(sched::kChoose, 0, pc);
  point.arg = count;
  point.writes = false;
  Take(point);
  uint32_t value = Exploring() ? g_explore->Value(count) : RecordedChoice();
  Done(Outcome::Success, true);
  return value;
}

void StopForGood(const void* pc) {
  if (!Controlled()) return;
  if (Exploring()) g_explore->Stops();
  Point point = PointOf(sched::kYield, 0, pc);
  point.ready = Never;
  Take(point);
  for (;;) Block(kForeverKey);
}

}  // namespace heddle::rt::control
