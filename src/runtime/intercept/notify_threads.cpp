// Functions of the program that libc runs in threads of its own: timers, message queues and asynchronous input and
// output with SIGEV_THREAD. libc makes these threads unseen, so the function that it is given is ours: it takes over
// what the thread knew that asked for it, and calls the program's. While such a function may still come, a wait can
// end although every thread of the program waits.
//
// Each request has a slot with a word that stands for it: asking and arming release to it, each run acquires from it.
// libc looks at an operation's block when it is done, so ours stays in the block, and its slot belongs to that address
// from then on. A request that finds no slot is passed on as it is. Under control nothing changes: these threads are
// not scheduled.
#include <aio.h>
#include <mqueue.h>
#include <netdb.h>
#include <signal.h>
#include <time.h>

#include "runtime/intercept/ranges.h"
#include "runtime/libc/real.h"
#include "runtime/signals/outside.h"
#include "runtime/spin.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

struct Request {
  void (*run)(sigval);
  sigval value;
  timer_t timer;
  const void* block;  // of an operation; null: another request
  bool used;
  bool repeats;   // the slot is not free when it has run
  uint64_t word;  // stands for the request
};

constexpr int kRequests = 1024;
Request g_requests[kRequests];
SpinLock g_requests_lock;

void Mark(Kind kind, Request* request, const void* pc) {
  if (!Passive()) Commit(MakeOp(kind, &request->word, pc));
}

void Run(sigval value) {
  auto* request = static_cast<Request*>(value.sival_ptr);
  Mark(Kind::Acquire, request, reinterpret_cast<const char*>(request->run) + 1);
  Request copy = *request;
  if (!copy.repeats) {
    SpinHolder hold(g_requests_lock);
    request->used = false;
  }
  copy.run(copy.value);
}

// In turn, so that a slot is used again late: a thread of a timer that was deleted may still be on its way to it.
Request* TakeSlot() {
  static int next = 0;
  SpinHolder hold(g_requests_lock);
  for (int tried = 0; tried < kRequests; ++tried) {
    Request& request = g_requests[next];
    next = (next + 1) % kRequests;
    if (request.used) continue;
    request.used = true;
    return &request;
  }
  return nullptr;
}

Request* OfBlock(const void* block) {
  SpinHolder hold(g_requests_lock);
  for (Request& request : g_requests) {
    if (request.used && request.block == block) return &request;
  }
  return nullptr;
}

// The event with our function in the program's place; null: it stays as it is.
Request* Wrap(sigevent* event, bool repeats, const void* pc, const void* block = nullptr) {
  if (event->sigev_notify != SIGEV_THREAD || event->sigev_notify_function == nullptr) return nullptr;
  LibcMayRunThreads();
  if (Passive() || control::Controlled()) return nullptr;
  Request* request = block == nullptr ? nullptr : OfBlock(block);
  if (request == nullptr) request = TakeSlot();
  if (request == nullptr) return nullptr;
  if (event->sigev_notify_function != Run) {
    request->run = event->sigev_notify_function;
    request->value = event->sigev_value;
  }
  request->repeats = repeats || block != nullptr;
  request->timer = nullptr;
  request->block = block;
  event->sigev_notify_function = Run;
  event->sigev_value.sival_ptr = request;
  Mark(Kind::Release, request, pc);
  return request;
}

void GiveBack(Request* request) {
  if (request == nullptr) return;
  SpinHolder hold(g_requests_lock);
  request->used = false;
}

Request* OfTimer(timer_t timer) {
  SpinHolder hold(g_requests_lock);
  for (Request& request : g_requests) {
    if (request.used && request.block == nullptr && request.repeats && request.timer == timer) return &request;
  }
  return nullptr;
}

// Starts one operation.
template <typename Block, typename Call>
int Asynchronous(Block* block, const void* pc, Call call) {
  Wrap(&block->aio_sigevent, false, pc, block);
  return call();
}

}  // namespace

#define HEDDLE_NEXT(name) static auto* const real = reinterpret_cast<decltype(&name)>(FindNext(#name))

HEDDLE_INTERCEPT int timer_create(clockid_t clock, sigevent* event, timer_t* timer) noexcept {
  HEDDLE_NEXT(timer_create);
  if (event == nullptr || event->sigev_notify != SIGEV_THREAD) {
    LibcMayRunThreads();  // a signal of it may end a wait
    return real(clock, event, timer);
  }
  sigevent ours = *event;
  Request* request = Wrap(&ours, true, HEDDLE_PC);
  int result = real(clock, &ours, timer);
  if (request != nullptr && result == 0) {
    SpinHolder hold(g_requests_lock);
    request->timer = *timer;
  } else {
    GiveBack(request);
  }
  return result;
}
HEDDLE_INTERCEPT int timer_settime(timer_t timer, int flags, const itimerspec* value, itimerspec* old) noexcept {
  HEDDLE_NEXT(timer_settime);
  if (Request* request = OfTimer(timer); request != nullptr) Mark(Kind::Release, request, HEDDLE_PC);
  return real(timer, flags, value, old);
}
HEDDLE_INTERCEPT int timer_delete(timer_t timer) noexcept {
  HEDDLE_NEXT(timer_delete);
  GiveBack(OfTimer(timer));
  return real(timer);
}
HEDDLE_INTERCEPT int mq_notify(mqd_t queue, const sigevent* event) noexcept {
  HEDDLE_NEXT(mq_notify);
  if (event == nullptr) return real(queue, event);
  sigevent ours = *event;
  Request* request = Wrap(&ours, false, HEDDLE_PC);
  int result = real(queue, &ours);
  if (result != 0) GiveBack(request);
  return result;
}

#define HEDDLE_AIO(name, block_type, is_write)                                    \
  HEDDLE_INTERCEPT int name(block_type* block) noexcept {                         \
    HEDDLE_NEXT(name);                                                            \
    void* pc = HEDDLE_PC;                                                         \
    auto bytes = static_cast<int64_t>(block->aio_nbytes);                         \
    if (IsWatchedCall(pc) && (is_write)) ReadsRange(pc, block->aio_buf, bytes);   \
    if (IsWatchedCall(pc) && !(is_write)) WritesRange(pc, block->aio_buf, bytes); \
    return Asynchronous(block, pc, [&] { return real(block); });                  \
  }
HEDDLE_AIO(aio_read, aiocb, false)
HEDDLE_AIO(aio_read64, aiocb64, false)
HEDDLE_AIO(aio_write, aiocb, true)
HEDDLE_AIO(aio_write64, aiocb64, true)

HEDDLE_INTERCEPT int aio_fsync(int operation, aiocb* block) noexcept {
  HEDDLE_NEXT(aio_fsync);
  return Asynchronous(block, HEDDLE_PC, [&] { return real(operation, block); });
}
HEDDLE_INTERCEPT int lio_listio(int mode, aiocb* const* list, int count, sigevent* event) noexcept {
  HEDDLE_NEXT(lio_listio);
  if (event == nullptr) return real(mode, list, count, event);
  sigevent ours = *event;
  Request* request = Wrap(&ours, false, HEDDLE_PC);
  int result = real(mode, list, count, &ours);
  if (result != 0) GiveBack(request);
  return result;
}
HEDDLE_INTERCEPT int getaddrinfo_a(int mode, gaicb** list, int count, sigevent* event) {
  HEDDLE_NEXT(getaddrinfo_a);
  if (event == nullptr) return real(mode, list, count, event);
  sigevent ours = *event;
  Request* request = Wrap(&ours, false, HEDDLE_PC);
  int result = real(mode, list, count, &ours);
  if (result != 0) GiveBack(request);
  return result;
}
