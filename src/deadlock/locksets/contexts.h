// The fixed point over contexts: may and must locksets, and which threads may run, everywhere in the program.
//
// Run() repeats the analysis until what threads create and leave behind is stable, then walks every context once more
// to collect the acquisitions, the ends of threads and the pairs of threads that may run in parallel.
#pragma once

#include <llvm/ADT/DenseSet.h>

#include <deque>
#include <memory>
#include <string>

#include "deadlock/locksets/context.h"
#include "deadlock/locksets/coroutines.h"
#include "deadlock/locksets/handoffs.h"
#include "deadlock/locksets/join_loops.h"
#include "deadlock/locksets/thread_objects.h"
#include "deadlock/locksets/transfer.h"

namespace heddle::deadlock {

enum class WaitKind : uint8_t {
  kLock,
  kRelock,
  kJoin,
  kOnce,
  kTry,  // does not wait; what it gets may be held all the same
};

// A thread waits for one of `locks`, or tries to get it, while it is in the state `before`.
struct Wait {
  ContextId context = 0;
  const llvm::CallBase* call = nullptr;
  StateId before = kNoState;
  LocSet locks;
  Mode mode = Mode::kWrite;
  WaitKind kind = WaitKind::kLock;
  Symbol symbol;
};

// A thread ends with locks held.
struct ThreadEnd {
  ContextId context = 0;
  const llvm::Instruction* at = nullptr;
  StateId state = kNoState;
};

// A lock that `holder` held when it created a thread, and does not release before that thread has ended.
struct Inherited {
  LocId lock = kNoLoc;
  Mode mode = Mode::kWrite;
  OriginId holder = 0;
  auto operator<=>(const Inherited&) const = default;
};

// Gets every instruction that may access memory, once for each context that it is reached in, with the state there.
// Called after the fixed point; of several rounds the last one counts.
class AccessSink {
 public:
  virtual void NewRound() = 0;
  virtual void Note(ContextId context, const llvm::Instruction& at, StateId state, Evaluator& evaluator) = 0;

 protected:
  ~AccessSink() = default;
};

struct Budget {
  size_t contexts_per_function = 64;
  size_t contexts = 15000;
  uint64_t work = 16'000'000;  // blocks, calls and locks looked at in one round, on each of the levels below
};

// How coarse the answer is; the next level is taken when the work of one is used up.
enum class Detail : uint8_t {
  kContexts,    // states for each context
  kOneContext,  // one context for each function; all locks that it may hold are one
  kOneState,    // one state: everything may be held and run everywhere. Each instruction is looked at once.
};

class Locksets {
 public:
  Locksets(const Facts& facts, bool is_library, Budget budget);

  void Run();
  // Before Run; null: nobody wants to know.
  void UseSink(AccessSink* sink) { sink_ = sink; }
  // Before Run, with a sink. It must outlive this.
  void UseHandoffs(const Handoffs* handoffs) { handoffs_ = handoffs; }

  const Facts& facts() const { return facts_; }
  const Transfer& transfer() const { return transfer_; }
  const JoinLoops& join_loops() const { return join_loops_; }
  const StateTable& states() const { return states_; }
  const std::deque<Context>& contexts() const { return contexts_; }
  const std::vector<Origin>& origins() const { return origins_; }
  const std::vector<Wait>& waits() const { return waits_; }
  const std::vector<ThreadEnd>& ends() const { return ends_; }
  // Origins whose threads may be in the context.
  const std::set<OriginId>& OriginsOf(ContextId context) const { return context_origins_[context]; }
  // Threads that may run beside the one in this state, because it or its children started them.
  std::set<OriginId> Running(const State& state) const;
  // Whether two threads may run in parallel other than by one having created the other.
  bool Parallel(OriginId a, OriginId b) const;
  // Locks under which such threads live as a whole. Known after Run, with a sink.
  const std::set<Inherited>& InheritedBy(OriginId id) const { return inherited_[id]; }
  // Locks of the program's own, made of atomic variables, that not only their holder releases. After Run, with a sink.
  bool IsBroken(LocId lock) const { return broken_.count(lock) != 0; }
  // Whether the lock stands for something that is handed over (handoffs.h), not for a lock.
  bool IsHandoff(LocId loc) const;
  // Whether threads of these origins, who have such a lock, have it in truth. After Run.
  bool IsBelieved(const MustLock& lock, const std::set<OriginId>& origins) const;
  // Lock operations whose operand nothing is known about.
  const std::set<const llvm::CallBase*>& unresolved() const { return unresolved_; }
  // Functions where the budget was used up.
  const std::set<const llvm::Function*>& coarse() const { return coarse_; }
  // Stands for every lock that is not known well enough to be worth telling from others; kNoLoc if there is none.
  LocId vague() const { return vague_; }
  Detail detail() const { return detail_; }
  uint64_t steps() const { return done_; }  // on that level
  // All locations that some operation locks, with the operation.
  const std::map<LocId, const llvm::CallBase*>& locks() const { return locks_; }

 private:
  friend class ContextRun;

  void Clear();
  void StartAll();
  void Iterate();
  // The level's work is used up; never on the last one, nor while collecting.
  bool Spent() const { return detail_ != Detail::kOneState && !collecting_ && done_ > budget_.work; }
  void Coarser(Detail detail);
  void EnterTop();
  LocSet OperandsOf(const llvm::CallBase& call, const Primitive& primitive);
  LocId Outsider(const std::string& family);
  void Collect();
  bool UpdateOrigins();
  OriginId OriginOf(const llvm::CallBase* create, llvm::Function* start, const std::string& note);
  // The origin for `start`, one of `all`; many of them have one together.
  OriginId OriginAmong(const llvm::CallBase* create, llvm::Function* start, const std::vector<llvm::Function*>& all,
                       const std::string& note);
  void FindReach(std::vector<std::set<OriginId>>* created);
  ContextId Enter(llvm::Function* function, std::vector<Binding> bindings, State entry, Entry from);
  // `creator`: what the thread that creates it has then; null: nobody does.
  void EnterThread(OriginId origin, llvm::Function* start, std::vector<Binding> bindings, Entry from,
                   const State* creator = nullptr);
  void Enqueue(ContextId context);
  LocSet Unknown(const llvm::CallBase& call);
  void FindUniverse();
  // A signal handler may leave by longjmp, with what the interrupted code holds.
  bool HandlerJumps() const;
  void JumpFromAnywhere();
  const std::vector<const llvm::CallBase*>& CallsIn(const llvm::BasicBlock* block);
  // Coroutines that more than one thread resumes are followed no more; true when one was found.
  bool DropSharedCoroutines();
  void FindInherited();
  void FindBrokenLocks();
  bool RunsOnce(const Origin& origin) const;
  void FindReleasers();
  bool UpdateKnowledge();

  struct Birth {
    OriginId child;
    ContextId creator;
    std::vector<MustLock> must;
  };
  struct ReleaseOf {
    ContextId context;
    LocSet locks;
    std::set<OriginId> running;
  };

  const Facts& facts_;
  Transfer transfer_;
  JoinLoops join_loops_;
  ThreadObjects thread_objects_;
  Coroutines coroutines_;
  std::set<const llvm::Function*> shared_coroutines_;  // by their resume functions
  std::vector<Birth> births_;
  std::vector<ReleaseOf> releases_;
  std::vector<std::set<Inherited>> inherited_;
  std::set<LocId> broken_;
  std::set<std::pair<const llvm::CallBase*, StateId>> spin_releases_;
  std::set<std::pair<LocId, ContextId>> handoff_releases_;
  std::set<LocId> given_by_others_;                // locks that are semaphores: somebody who has it not gives it back
  std::map<LocId, std::set<OriginId>> releasers_;  // of what may be believed
  bool is_library_;
  Budget budget_;
  StateTable states_;
  std::deque<Context> contexts_;  // references stay valid while contexts are added
  std::map<std::pair<const llvm::Function*, StateId>, std::vector<ContextId>> by_entry_;
  std::map<const llvm::Function*, size_t> per_function_;
  std::map<const llvm::Function*, ContextId> merged_;
  std::set<ContextId> work_;  // the youngest first: callees before those who wait for their result
  std::vector<Origin> origins_;
  std::map<std::pair<const llvm::CallBase*, const llvm::Function*>, OriginId> origin_index_;
  std::set<OriginId> joined_under_lock_;  // whose end is worth a virtual lock
  std::vector<std::set<OriginId>> context_origins_;
  std::set<std::pair<OriginId, OriginId>> parallel_;
  std::vector<Wait> waits_;
  std::vector<ThreadEnd> ends_;
  std::map<ContextId, std::set<OriginId>> creates_;
  StateId jumped_ = kNoState;  // what may be held at a longjmp
  std::map<std::string, LocSet> universe_;
  LocId vague_ = kNoLoc;
  std::set<const llvm::CallBase*> unresolved_;
  std::set<const llvm::Function*> coarse_;
  std::map<LocId, const llvm::CallBase*> locks_;
  std::unordered_map<const llvm::BasicBlock*, std::vector<const llvm::CallBase*>> calls_;  // that matter, in order
  std::unordered_map<const llvm::CallBase*, std::pair<LocSet, LocSet>> large_operands_;    // as given, and filtered
  llvm::DenseSet<std::pair<ContextId, const llvm::Function*>> entered_;  // on the last level: who called whom
  uint64_t done_ = 0;                                                    // on this level
  Detail detail_ = Detail::kContexts;
  bool collecting_ = false;
  bool handler_jumps_ = false;
  AccessSink* sink_ = nullptr;
  const Handoffs* handoffs_ = nullptr;
};

}  // namespace heddle::deadlock
