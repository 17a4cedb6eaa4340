// Logical threads: what the runtime knows about each thread of the target, and the few words that the hot path reads.
//
// A thread's number is dense and in order of creation; its stable id is its place in the creation tree (T0 is main,
// T2 main's second child, T2.1 its first child), which does not depend on timing.
//
// t_hot is the only thread-local variable. Everything else hangs off Thread, which is mapped when the thread is created
// and given back when it ends. Only the thread itself touches its Thread, except where a comment says otherwise.
#pragma once

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <cstdint>

#include "trace/format.h"

namespace heddle::rt {

class Recorder;
struct Hot;
namespace detect {
struct DetectThread;
}
namespace control {
struct ControlThread;
}

// A call on the shadow stack; `node` is its number in the trace, 0 while it has none. `stack` is the low half of the
// machine's stack pointer at the call: frames that longjmp or a thread switch left behind are known by it.
struct Frame {
  uint64_t call_pc;
  uint32_t node;
  uint32_t stack;
};
inline constexpr uint32_t kMaxFrames = 1U << 14U;

// Calls already numbered in this thread's trace: (parent, call_pc) to node.
struct FrameNode {
  uint64_t call_pc;
  uint32_t parent;
  uint32_t node;
};
inline constexpr uint32_t kFrameNodes = 1U << 13U;

struct PendingSignal {
  int number;
  siginfo_t info;
};
inline constexpr int kMaxPending = 32;

// A wait on a condition variable that has not ended; see record/cond_match.h.
struct CondWaiter {
  uint64_t cond;
  uint64_t wait_sequence;
  uint64_t signal_sequence;  // 0: not yet signalled
  CondWaiter* next;
};

// What a signal handler interrupted, to go on with when it ends.
struct Interrupted {
  Recorder* recorder;
  trace::Slot* run_start;
  Frame* top;
  Frame* bottom;
  uint32_t ignore;
  int number;
  bool directed;  // the signal was sent to this thread, not to the process
};
inline constexpr int kMaxHandlers = 16;  // nested on one thread; deeper ones run unwatched

struct Thread {
  uint32_t number = 0;
  uint32_t stream = 0;  // of its recorder; signal handlers get streams of their own
  uint64_t start_pc = 0;
  char id[64] = {};                   // the stable id
  std::atomic<uint32_t> children{0};  // threads it has created so far
  void* (*start)(void*) = nullptr;    // what pthread_create was given
  void* start_argument = nullptr;
  bool has_start_mask = false;  // the thread begins with all signals blocked and sets start_mask
  sigset_t start_mask{};
  bool ended = false;     // nothing more is recorded
  bool detached = false;  // made so: nobody will join it
  int destructor_rounds = 0;
  int handlers = 0;                       // signal handlers of the program under way on it
  Interrupted interrupted[kMaxHandlers];  // what they interrupted
  uint32_t node_count = 0;                // numbered calls
  uint64_t stack_node = 0;                // what the last Stack record said
  uint64_t ignore_pc = 0;                 // where it asked last to ignore its accesses
  CondWaiter waiter{};
  detect::DetectThread* detect = nullptr;     // in detect mode
  control::ControlThread* control = nullptr;  // under controlled scheduling
  bool fresh_stack = false;                   // nobody had its stack before, nor will in this execution
  bool given_stack = false;                   // the program provided it
  uint64_t stack_low = 0;                     // of its stack, where detection knows it
  size_t stack_bytes = 0;
  Hot* parked = nullptr;  // of a fiber that is not running
  int pending_count = 0;
  PendingSignal pending[kMaxPending];
  Frame frames[kMaxFrames];
  FrameNode nodes[kFrameNodes];
};

// What the hot path needs, in one cache line of thread-local storage.
struct Hot {
  Recorder* recorder;
  trace::Slot* run_start;  // in the buffer: records before it are not extended
  Frame* top;              // next free frame of the shadow stack; null while unknown
  Frame* bottom;           // frames below belong to what a signal handler interrupted
  Frame* limit;
  Thread* thread;
  uint32_t in_runtime;  // > 0: calls into the runtime are the runtime's own; signals are deferred
  uint32_t ignore;      // > 0: the program asked to ignore plain accesses
  uint32_t pending;     // signals wait for the end of in_runtime
  uint32_t filter_generation;
  uint32_t gone;       // the thread has ended; what libc still does is not the program
  void* caller;        // of an interceptor that calls another one; null: none does
  uint32_t looks;      // atomic operations in a row that changed nothing
  uint32_t attempted;  // a compare-and-swap since the look began (abi/await.cpp)
};

// constinit: every use is a plain load from the thread's block, without a test whether it was initialised.
extern constinit thread_local Hot t_hot __attribute__((tls_model("initial-exec")));

// The code address of an operation: that of the program's call, also where one interceptor is made of others.
inline void* CallerPc(void* return_address) { return t_hot.caller == nullptr ? return_address : t_hot.caller; }
class OnBehalfOf {
 public:
  explicit OnBehalfOf(void* caller) : before_(t_hot.caller) { t_hot.caller = caller; }
  ~OnBehalfOf() { t_hot.caller = before_; }
  OnBehalfOf(const OnBehalfOf&) = delete;
  OnBehalfOf& operator=(const OnBehalfOf&) = delete;

 private:
  void* before_;
};

// Trace: the number of the thread's segment in the bits where filter entries have it; 0: accesses are not filtered (or
// not recorded). Detect: slot and epoch in the bits where cells have them. By itself and exported: code that the pass
// plugin compiled reads it.
extern "C" constinit thread_local uint64_t __heddle_segment __attribute__((tls_model("initial-exec")));

// Marks that this thread is inside the runtime. Not held while the target's own blocking call is under way.
class RuntimeScope {
 public:
  RuntimeScope() { Enter(); }
  ~RuntimeScope() { Leave(); }
  // For scopes that begin and end in different functions.
  static void Enter() { ++t_hot.in_runtime; }
  static void Leave() {
    if (--t_hot.in_runtime == 0 && t_hot.pending != 0) DeliverPending();
  }
  RuntimeScope(const RuntimeScope&) = delete;
  RuntimeScope& operator=(const RuntimeScope&) = delete;

 private:
  static void DeliverPending();
};

// A new Thread, child of the calling thread (null parent: the main thread or one that heddle did not see created).
// Null when out of memory.
Thread* NewThread(Thread* parent, void* (*start)(void*), void* argument);
void FreeThread(Thread* thread);

// Makes `thread` the calling thread's. The mode decides what it records.
void BindThread(Thread* thread);

// The main thread and the key whose destructor ends the others; once, at the start.
void StartThreads();
// Ends the calling thread for the program's purposes.
void EndThread(Thread* thread);

// The calling thread's Thread; threads made behind our back are given one. Null after the thread's end.
Thread* CurrentThread();

// The thread of a pthread_t, as long as nobody joins it; UINT32_MAX when none is known.
uint32_t NumberOf(pthread_t handle);
// The same, and forgotten before a join or detach begins: from then on libc may give the handle to another thread.
uint32_t TakeHandle(pthread_t handle);
// The join failed: the thread is known again.
void PutHandleBack(pthread_t handle, uint32_t number);
// By the thread itself, and by its creator, which may come late: the thread may be over and its handle another's.
void RememberHandle(pthread_t handle, uint32_t number);
void RememberCreated(pthread_t handle, uint32_t number);
// A detached thread ends.
void ForgetHandle(pthread_t handle, uint32_t number);
// In a child of fork: the other threads are gone.
void ForgetOtherHandles(pthread_t self);
void LockHandles();  // around fork
void UnlockHandles();

}  // namespace heddle::rt
