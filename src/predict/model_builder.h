// Makes the model of a trace from its events, in the trace's order. Both heddle's own traces and imported ones (which
// may lack begins, inits and values) are understood: what is not said is taken as the run shows it was possible.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "predict/model.h"
#include "trace/event.h"

namespace heddle::predict {

// Whether the event is an operation of the model (and not an access, an allocation or the making of an object).
bool IsOperation(const trace::Event& event);

class ModelBuilder {
 public:
  // Before anything else is done with the event: imported traces may not say that a thread begins.
  void Prepare(const trace::Event& event);

  // Takes the next event; accesses only give segments.
  void Add(const trace::Event& event);

  // The segment that the thread is in.
  uint32_t Segment(uint32_t thread) const {
    return thread < model_.threads.size() ? static_cast<uint32_t>(model_.threads[thread].size()) : 0;
  }

  // The thread has read what `writer` wrote in `segment`.
  void ReadFrom(uint32_t thread, uint32_t writer, uint32_t segment);

  // What was added so far is done before anything else. Returns how many operations of each thread that is.
  std::vector<uint32_t> EndPrefix();

  // The model so far; Add may be called no more.
  TraceModel Finish();

 private:
  struct Holding {
    uint32_t lock;
    uint32_t position;  // where it was taken
    uint32_t depth;
    bool shared;
  };
  struct ThreadState {
    std::vector<Holding> holding;
    std::map<uint32_t, uint32_t> data;  // writer to segment, since the last operation
    Need fork;                          // of a thread that has not begun
    bool forked = false;
    bool in_prefix = true;  // nothing of it comes after EndPrefix yet
    uint64_t load_pc = 0;   // the last atomic load
    uint32_t load_position = 0;
    uint32_t custom = kNone;  // the last event of its own
  };
  struct PendingNeed {
    uint32_t order;
    NeedKind kind;
    Need need;
  };

  ThreadState& State(uint32_t thread);
  uint32_t Object(std::map<uint64_t, uint32_t>& table, uint64_t address, uint32_t next);
  uint32_t LockOf(uint64_t address);
  uint32_t SemaphoreOf(uint64_t address);
  uint32_t BarrierOf(uint64_t address);
  SyncEvent& Append(const trace::Event& event);
  void NeedOf(uint32_t order, NeedKind kind, Need need);
  Need Now(uint32_t thread) const { return {thread, Segment(thread)}; }
  void MakeObject(const trace::Event& event);
  void TakeLock(SyncEvent& event, uint32_t thread, uint64_t address, bool shared);
  void DropLock(SyncEvent& event, uint32_t thread, uint64_t address);
  void Threads(const trace::Event& event, SyncEvent& made);
  void Waits(const trace::Event& event, SyncEvent& made);
  void Counts(const trace::Event& event, SyncEvent& made);
  void Ordered(const trace::Event& event, SyncEvent& made);
  void Atomic(const trace::Event& event, SyncEvent& made);
  void Custom(const trace::Event& event, uint32_t order);
  void FinishBarriers();
  void FinishSemaphores();
  void PlaceNeeds();

  TraceModel model_;
  std::vector<ThreadState> states_;
  std::vector<PendingNeed> pending_;
  std::vector<Need> prefix_;  // what the first operation of each thread needs
  std::map<uint64_t, uint32_t> lock_numbers_;
  std::map<uint64_t, uint32_t> semaphore_numbers_;
  std::map<uint64_t, uint32_t> barrier_numbers_;
  std::unordered_map<uint64_t, Place> signals_;                      // by sequence number
  std::unordered_map<uint64_t, std::map<uint32_t, uint32_t>> past_;  // object to the last releases by thread
  std::unordered_map<uint64_t, Need> stores_;                        // atomic variable to its last store
  std::vector<int64_t> sem_low_;                                     // lowest balance of posts and waits
  std::vector<int64_t> sem_now_;
};

}  // namespace heddle::predict
