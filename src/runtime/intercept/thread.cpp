// Threads: creation, end, join, names. POSIX and C11.
#include "runtime/threads/thread.h"

#include "runtime/control/search/explore.h"
#include "runtime/control/search/gaps.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/control/turn/start.h"
#include "runtime/control/turn/watchdog.h"
#include "runtime/detect/waits.h"
#include "runtime/intercept/kept_stack.h"
#include "runtime/libc/real.h"
#include "runtime/spin.h"
#include "runtime/visible.h"

namespace heddle::rt {
namespace {

pthread_key_t g_key;

// Runs when a thread's own clean-up is done: destructors of thread_local objects come first, and this key puts itself
// off until the last round of the others.
void AtThreadExit(void* value) {
  auto* thread = static_cast<Thread*>(value);
  if (++thread->destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(g_key, value);
    return;
  }
  EndThread(thread);
}

void* ThreadMain(void* value) {
  auto* thread = static_cast<Thread*>(value);
  {
    RuntimeScope scope;
    BindThread(thread);
    pthread_setspecific(g_key, thread);
    RememberHandle(pthread_self(), thread->number);
    if (thread->control == nullptr) g_hooks.thread_begin(thread, nullptr);
  }
  if (thread->control != nullptr) {
    control::BeginThread(thread);
    g_hooks.thread_begin(thread, nullptr);
    control::Done();
  }
  // Fibers share the mask of the OS thread that carries them.
  if (thread->has_start_mask && !(control::On() && control::g_carrier->is_fiber()))
    pthread_sigmask(SIG_SETMASK, &thread->start_mask, nullptr);
  void* result = thread->start(thread->start_argument);
  if (thread->control != nullptr) thread->control->result = result;
  return result;
}

// The new thread takes no signal before it is known to the runtime: it starts with all of them blocked and then sets
// the mask it would have had, its creator's. A mask in the attributes is left to libc.
int CreateBlocked(pthread_t* handle, const pthread_attr_t* attributes, Thread* thread) {
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &detached);
  thread->detached = detached == PTHREAD_CREATE_DETACHED;
  sigset_t mask;
  bool own_mask = attributes != nullptr && pthread_attr_getsigmask_np(attributes, &mask) != PTHREAD_ATTR_NO_SIGMASK_NP;
  if (own_mask) return REAL(pthread_create)(handle, attributes, ThreadMain, thread);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  thread->start_mask = mask;
  thread->has_start_mask = true;
  int error = REAL(pthread_create)(handle, attributes, ThreadMain, thread);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  return error;
}

// With the turn: registers the thread, makes it, and takes it back when that fails.
int CreateControlled(pthread_t* handle, const pthread_attr_t* attributes, Thread* thread) {
  control::ControlThread* added = control::AddThread(thread);
  if (added == nullptr) return EAGAIN;
  if (control::Exploring()) return control::StartPooled(added, handle, attributes, ThreadMain);
  control::StartWatchdog();
  pthread_attr_t room;
  int error = CreateBlocked(handle, WithKeptStack(attributes, &room, thread), thread);
  if (error != 0) {
    control::ForgetThread(added);
  } else {
    control::g_carrier->Created(added);
  }
  return error;
}

int CreateInTurn(pthread_t* handle, const pthread_attr_t* attributes, void* (*start)(void*), void* argument,
                 const void* pc) {
  control::Take(control::PointOf(MakeOp(Kind::ThreadFork, nullptr, pc)));
  Thread* thread = NewThread(t_hot.thread, start, argument);
  int error = thread == nullptr ? EAGAIN : 0;
  if (thread != nullptr) {
    uint32_t number = thread->number;
    g_hooks.commit(MakeOp(Kind::ThreadFork, nullptr, pc, number));
    error = CreateControlled(handle, attributes, thread);
    if (error == 0) {
      RememberCreated(*handle, number);
    } else {
      g_hooks.commit(MakeOp(Kind::ThreadForkFailed, nullptr, pc, number));
      FreeThread(thread);
    }
  }
  control::Done(OutcomeOf(error));
  return error;
}

int Create(pthread_t* handle, const pthread_attr_t* attributes, void* (*start)(void*), void* argument, const void* pc) {
  if (control::Controlled()) return CreateInTurn(handle, attributes, start, argument, pc);
  Thread* thread = nullptr;
  {
    RuntimeScope scope;
    thread = NewThread(CurrentThread(), start, argument);
    if (thread == nullptr) return EAGAIN;
    g_hooks.commit(MakeOp(Kind::ThreadFork, nullptr, pc, thread->number));
  }
  uint32_t number = thread->number;  // the thread may be over before the next line
  int error = CreateBlocked(handle, attributes, thread);
  RuntimeScope scope;
  if (error != 0) {
    g_hooks.commit(MakeOp(Kind::ThreadForkFailed, nullptr, pc, number));
    FreeThread(thread);
  } else {
    RememberCreated(*handle, number);
  }
  return error;
}

bool HasEnded(const void* number) {
  const control::ControlThread* thread = control::ThreadOfNumber(*static_cast<const uint32_t*>(number));
  return thread == nullptr || thread->ended;
}

// Under control the thread waits for the turn in which the other ends; what is left of it then ends at once.
template <typename Call>
int JoinInTurn(pthread_t handle, Manner manner, const void* pc, void** result, Call call, clockid_t clock,
               const timespec* until) {
  uint32_t number = NumberOf(handle);
  Op op = MakeOp(Kind::ThreadJoin, nullptr, pc, number);
  control::WaitHow how{HasEnded, &number, nullptr, until, clock, false, true};
  control::Point point = control::PointOf(op);
  point.address = control::JoinKey(number);
  bool self = pthread_equal(handle, pthread_self()) != 0;
  point.ready = manner == Manner::Block && !self ? HasEnded : nullptr;
  point.context = &number;
  bool told = false;
  int error = 0;
  control::Take(point);
  while (error == 0 && !self && !HasEnded(&number)) {
    if (manner == Manner::Block && !told) g_hooks.blocked(op);
    told = true;
    if (manner == Manner::Try) error = EBUSY;
    if (error == 0 && control::BlockFor(control::JoinKey(number), how) == control::Waited::TimedOut) error = ETIMEDOUT;
  }
  // The OS thread of main carries the fibers and ends last.
  bool carries = number == 0 && !self && control::g_carrier->is_fiber();
  const control::ControlThread* joined = control::ThreadOfNumber(number);
  if (joined != nullptr && joined->pooled) {
    if (error == 0 && result != nullptr) *result = joined->result;
  } else if (error == 0 && !carries) {
    error = call();
  }
  if (error == 0) TakeHandle(handle);
  op.result = static_cast<uint8_t>(OutcomeOf(error));
  g_hooks.commit(op);
  control::Done(OutcomeOf(error), error != 0);
  return error;
}

template <typename Call>
int Join(pthread_t handle, Manner manner, const void* pc, void** result, Call call, clockid_t clock = CLOCK_REALTIME,
         const timespec* until = nullptr) {
  if (control::Controlled()) {
    // However it was asked for, the real call is the plain one: the thread has ended.
    return JoinInTurn(handle, manner, pc, result, call, clock, until);
  }
  uint32_t number = 0;
  {
    RuntimeScope scope;
    number = TakeHandle(handle);
    if (manner == Manner::Block) g_hooks.blocked(MakeOp(Kind::ThreadJoin, nullptr, pc, number));
  }
  int error = call();
  RuntimeScope scope;
  if (error != 0 && number != UINT32_MAX) PutHandleBack(handle, number);
  Op op = MakeOp(Kind::ThreadJoin, nullptr, pc, number);
  op.result = static_cast<uint8_t>(OutcomeOf(error));
  g_hooks.commit(op);
  return error;
}

struct C11Start {
  thrd_start_t start;
  void* argument;
};

// A C11 thread's result is an int, which travels as the pointer.
void* C11Main(void* value) {
  auto* given = static_cast<C11Start*>(value);
  C11Start copy = *given;
  free(given);
  return reinterpret_cast<void*>(static_cast<intptr_t>(copy.start(copy.argument)));
}

int C11Error(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

}  // namespace

void StartThreads() {
  pthread_key_create(&g_key, AtThreadExit);
  Thread* thread = CurrentThread();
  if (thread == nullptr) return;
  pthread_setspecific(g_key, thread);
  RememberHandle(pthread_self(), thread->number);  // others may join the main thread
  if (control::On()) control::AdoptMainThread();
}

void EndThread(Thread* thread) {
  RuntimeScope scope;
  bool controlled = thread->control != nullptr;
  if (controlled) control::EndBegins();
  g_hooks.thread_end(thread);
  if (thread->detached) ForgetHandle(pthread_self(), thread->number);
  if (controlled && control::EndThreadTurn()) {
    RuntimeScope::Leave();  // handlers of the program run
    exit(0);
  }
  t_hot.gone = 1;
  t_hot.thread = nullptr;
  t_hot.top = t_hot.bottom = nullptr;
  FreeThread(thread);
}

}  // namespace heddle::rt

using namespace heddle::rt;  // NOLINT: the rest of the file is the C interface

HEDDLE_INTERCEPT int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*start)(void*),
                                    void* argument) noexcept {
  if (Passive()) return REAL(pthread_create)(handle, attributes, start, argument);
  return Create(handle, attributes, start, argument, HEDDLE_PC);
}
HEDDLE_INTERCEPT int pthread_join(pthread_t handle, void** result) {
  if (Passive()) return REAL(pthread_join)(handle, result);
  return Join(handle, Manner::Block, HEDDLE_PC, result, [&] { return REAL(pthread_join)(handle, result); });
}
HEDDLE_INTERCEPT int pthread_tryjoin_np(pthread_t handle, void** result) noexcept {
  if (Passive()) return REAL(pthread_tryjoin_np)(handle, result);
  return Join(handle, Manner::Try, HEDDLE_PC, result, [&] {
    return control::Controlled() ? REAL(pthread_join)(handle, result) : REAL(pthread_tryjoin_np)(handle, result);
  });
}
HEDDLE_INTERCEPT int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* until) {
  if (Passive()) return REAL(pthread_timedjoin_np)(handle, result, until);
  return Join(
      handle, Manner::Timed, HEDDLE_PC, result,
      [&] {
        return control::Controlled() ? REAL(pthread_join)(handle, result)
                                     : REAL(pthread_timedjoin_np)(handle, result, until);
      },
      CLOCK_REALTIME, until);
}
HEDDLE_INTERCEPT int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock, const timespec* until) {
  if (Passive()) return REAL(pthread_clockjoin_np)(handle, result, clock, until);
  return Join(
      handle, Manner::Timed, HEDDLE_PC, result,
      [&] {
        return control::Controlled() ? REAL(pthread_join)(handle, result)
                                     : REAL(pthread_clockjoin_np)(handle, result, clock, until);
      },
      clock, until);
}
HEDDLE_INTERCEPT void pthread_exit(void* result) {
  if (!Passive() && control::Controlled()) control::Self()->result = result;
  REAL(pthread_exit)(result);
  __builtin_unreachable();
}
HEDDLE_INTERCEPT int pthread_detach(pthread_t handle) noexcept {
  if (Passive()) return REAL(pthread_detach)(handle);
  uint32_t number = 0;
  {
    RuntimeScope scope;
    number = TakeHandle(handle);
  }
  return Release(MakeOp(Kind::ThreadDetach, nullptr, HEDDLE_PC, number), [&] { return REAL(pthread_detach)(handle); });
}
HEDDLE_INTERCEPT int pthread_cancel(pthread_t handle) {
  if (Passive()) return REAL(pthread_cancel)(handle);
  if (g_mode == Mode::Detect) {
    RuntimeScope scope;
    detect::ThreadCancelled(NumberOf(handle));
  }
  if (!control::Controlled()) return REAL(pthread_cancel)(handle);
  control::NoteGap("a thread is cancelled (pthread_cancel)");
  control::Take(control::PointOf(heddle::sched::kCancel, 0, HEDDLE_PC));
  int error = REAL(pthread_cancel)(handle);
  control::ControlThread* thread = control::ThreadOfNumber(NumberOf(handle));
  if (thread != nullptr) {
    SpinHolder hold(control::g_lock);
    thread->cancel_asked = true;
    if (thread->blocked) control::Enable(thread);
  }
  control::Done(OutcomeOf(error));
  return error;
}
HEDDLE_INTERCEPT int pthread_setname_np(pthread_t handle, const char* name) noexcept {
  int error = REAL(pthread_setname_np)(handle, name);
  if (error == 0 && !Passive()) {
    RuntimeScope scope;
    uint32_t number =
        pthread_equal(handle, pthread_self()) != 0 && t_hot.thread != nullptr ? t_hot.thread->number : NumberOf(handle);
    if (number != UINT32_MAX) g_hooks.thread_name(number, name);
  }
  return error;
}

HEDDLE_INTERCEPT int thrd_create(thrd_t* handle, thrd_start_t start, void* argument) {
  if (Passive()) return REAL(thrd_create)(handle, start, argument);
  auto* given = static_cast<C11Start*>(malloc(sizeof(C11Start)));
  if (given == nullptr) return thrd_nomem;
  *given = {start, argument};
  int error = Create(handle, nullptr, C11Main, given, HEDDLE_PC);
  if (error != 0) free(given);
  return C11Error(error);
}
HEDDLE_INTERCEPT int thrd_join(thrd_t handle, int* result) {
  if (Passive()) return REAL(thrd_join)(handle, result);
  void* value = nullptr;
  int error = Join(handle, Manner::Block, HEDDLE_PC, &value, [&] { return REAL(pthread_join)(handle, &value); });
  if (error == 0 && result != nullptr) *result = static_cast<int>(reinterpret_cast<intptr_t>(value));
  return C11Error(error);
}
HEDDLE_INTERCEPT int thrd_detach(thrd_t handle) {
  OnBehalfOf caller(HEDDLE_PC);
  return C11Error(pthread_detach(handle));
}

// C11 mutexes and condition variables are the POSIX ones under another name in glibc; so are their events.
static pthread_mutex_t* Posix(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
static pthread_cond_t* Posix(cnd_t* cond) { return reinterpret_cast<pthread_cond_t*>(cond); }

HEDDLE_INTERCEPT int mtx_init(mtx_t* mutex, int type) {
  int result = REAL(mtx_init)(mutex, type);
  if (!Passive()) {
    Commit(MakeOp(Kind::LockInit, mutex, HEDDLE_PC, (type & mtx_recursive) != 0 ? PTHREAD_MUTEX_RECURSIVE : 0));
  }
  return result;
}
HEDDLE_INTERCEPT void mtx_destroy(mtx_t* mutex) {
  OnBehalfOf caller(HEDDLE_PC);
  pthread_mutex_destroy(Posix(mutex));
}
HEDDLE_INTERCEPT int mtx_lock(mtx_t* mutex) {
  OnBehalfOf caller(HEDDLE_PC);
  return C11Error(pthread_mutex_lock(Posix(mutex)));
}
HEDDLE_INTERCEPT int mtx_trylock(mtx_t* mutex) {
  OnBehalfOf caller(HEDDLE_PC);
  return C11Error(pthread_mutex_trylock(Posix(mutex)));
}
HEDDLE_INTERCEPT int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  OnBehalfOf caller(HEDDLE_PC);
  return C11Error(pthread_mutex_timedlock(Posix(mutex), until));
}
HEDDLE_INTERCEPT int mtx_unlock(mtx_t* mutex) {
  OnBehalfOf caller(HEDDLE_PC);
  return C11Error(pthread_mutex_unlock(Posix(mutex)));
}
HEDDLE_INTERCEPT int cnd_init(cnd_t* cond) {
  OnBehalfOf caller(HEDDLE_PC);
  return C11Error(pthread_cond_init(Posix(cond), nullptr));
}
HEDDLE_INTERCEPT void cnd_destroy(cnd_t* cond) {
  OnBehalfOf caller(HEDDLE_PC);
  pthread_cond_destroy(Posix(cond));
}
HEDDLE_INTERCEPT int cnd_signal(cnd_t* cond) {
  OnBehalfOf caller(HEDDLE_PC);
  return C11Error(pthread_cond_signal(Posix(cond)));
}
HEDDLE_INTERCEPT int cnd_broadcast(cnd_t* cond) {
  OnBehalfOf caller(HEDDLE_PC);
  return C11Error(pthread_cond_broadcast(Posix(cond)));
}
HEDDLE_INTERCEPT int cnd_wait(cnd_t* cond, mtx_t* mutex) {
  OnBehalfOf caller(HEDDLE_PC);
  return C11Error(pthread_cond_wait(Posix(cond), Posix(mutex)));
}
HEDDLE_INTERCEPT int cnd_timedwait(cnd_t* cond, mtx_t* mutex, const timespec* until) {
  OnBehalfOf caller(HEDDLE_PC);
  return C11Error(pthread_cond_timedwait(Posix(cond), Posix(mutex), until));
}
HEDDLE_INTERCEPT void call_once(once_flag* flag, void (*routine)()) {
  OnBehalfOf caller(HEDDLE_PC);
  pthread_once(reinterpret_cast<pthread_once_t*>(flag), routine);
}
