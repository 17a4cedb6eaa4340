// How an interceptor performs a visible operation. Four shapes cover them all:
//
//   Acquire   may have to wait for an object; takes effect when it returns (lock, join, sem_wait, ...)
//   Release   takes effect when it starts: others may go on before it returns (unlock, post, signal, fork, ...)
//   Observe   takes effect when it returns and waits for nobody (init, alloc, ...)
//   (atomics have their own shape in abi/atomics.cpp)
//
// The real call is never made inside a RuntimeScope: it may block, be cancelled, or run a signal handler. Under control
// (control/turn/control.h) it is, in the thread's turn, and the calls are such that none of this can happen.
#pragma once

#include "runtime/control/turn/in_turn.h"
#include "runtime/mode.h"
#include "runtime/op.h"
#include "runtime/threads/thread.h"

namespace heddle::rt {

inline void Commit(const Op& op) {
  RuntimeScope scope;
  g_hooks.commit(op);
}

// `try_now` returns an error number, EBUSY or EAGAIN when it would have to wait; `wait` returns one too. Both are real
// calls. Returns the error number of the call that counted. Under control: AcquireInTurn.
template <typename Try, typename Wait>
int Acquire(Op op, Try try_now, Wait wait) {
  int error = try_now();
  if (OutcomeOf(error) == Outcome::Busy) {
    {
      RuntimeScope scope;
      g_hooks.blocked(op);
    }
    error = wait();
  }
  op.result = static_cast<uint8_t>(OutcomeOf(error));
  Commit(op);
  return error;
}

// `call` returns an error number.
template <typename Call>
int Release(const Op& op, Call call) {
  if (control::On()) return control::ReleaseInTurn(op, call);
  Commit(op);
  int error = call();
  if (error != 0) {
    RuntimeScope scope;
    g_hooks.amend(OutcomeOf(error));
  }
  return error;
}

template <typename Call>
int Observe(Op op, Call call) {
  if (control::On() && control::IsPoint(op.kind)) return control::ObserveInTurn(op, call);
  int error = call();
  op.result = static_cast<uint8_t>(OutcomeOf(error));
  Commit(op);
  return error;
}

}  // namespace heddle::rt
