// std::promise::set_value_at_thread_exit and its like: the value is there when the thread has ended, which libstdc++
// says by a store of its own, in code that is not instrumented. What the thread did until then comes before whoever
// gets the value: so the states that it will make ready are noted, and released to just before that store.
//
// The store is made by the destructor of a key (pthread_key_create) that libstdc++ has for it; ours stands in its place
// and calls it.
//
// The library then drops its references to the state, also in code that is not instrumented: whoever drops the last one
// must come after the others. So ours are held across the call, and dropped with the order that a reference count
// gives.
#include "runtime/intercept/at_thread_exit.h"

#include <pthread.h>

#include "runtime/libc/real.h"
#include "runtime/mode.h"
#include "runtime/visible.h"

namespace heddle::rt {
namespace {

// As libstdc++ has them since GCC 6: the counts that shared and weak pointers share (std::_Sp_counted_base)...
struct Counts;
struct CountsTable {
  void (*destructors[2])(Counts*);
  void (*dispose)(Counts*);  // of the object
  void (*destroy)(Counts*);  // of the counts themselves
};
struct Counts {
  const CountsTable* table;
  int uses;
  int weak;  // the weak pointers, and one for all the uses
};

// ... std::__at_thread_exit_elt with the weak pointer to the state behind it, and in the state, behind its table and
// its result, the word that tells whether it is ready.
struct Element {
  void* next;
  void (*run)(void*);
  char* state;
  Counts* counts;
};
constexpr size_t kReadyWord = 2 * sizeof(void*);

// A state that becomes ready when this thread ends; weakly held from then on.
struct State {
  void* ready;
  Counts* counts;
  bool used;  // held by us across the library's call
};

constexpr int kStates = 16;  // of one thread; further ones have no edge
thread_local State t_states[kStates] __attribute__((tls_model("initial-exec")));
thread_local int t_count __attribute__((tls_model("initial-exec")));

void (*g_run)(void*) = nullptr;

void Mark(Kind kind, void* at) {
  if (!Passive()) Commit(MakeOp(kind, at, nullptr));
}

// A use of the object, unless it is gone already.
bool AddUse(int* uses) {
  int seen = __atomic_load_n(uses, __ATOMIC_RELAXED);
  while (seen != 0 && !__atomic_compare_exchange_n(uses, &seen, seen + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
  }
  return seen != 0;
}

// Returns whether it was the last one: then what the others did comes before.
bool Drop(int* count) {
  Mark(Kind::Release, count);
  if (__atomic_fetch_sub(count, 1, __ATOMIC_ACQ_REL) != 1) return false;
  Mark(Kind::Acquire, count);
  return true;
}

void DropWeak(Counts* counts) {
  if (Drop(&counts->weak)) counts->table->destroy(counts);
}

void RunAtExit(void* first) {
  int count = t_count;
  t_count = 0;
  for (int i = 0; i < count; ++i) {
    Mark(Kind::Release, t_states[i].ready);
    t_states[i].used = AddUse(&t_states[i].counts->uses);
  }
  g_run(first);
  for (int i = 0; i < count; ++i) {
    Counts* counts = t_states[i].counts;
    if (t_states[i].used && Drop(&counts->uses)) {
      counts->table->dispose(counts);
      DropWeak(counts);
    }
    DropWeak(counts);
  }
}

}  // namespace

KeyDestructor AtThreadExit(KeyDestructor destroy, const void* pc) {
  if (destroy == nullptr || g_mode <= Mode::Off || !IsCxxLibraryCode(pc)) return destroy;
  KeyDestructor none = nullptr;
  bool first = __atomic_compare_exchange_n(&g_run, &none, destroy, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return first ? RunAtExit : destroy;
}

}  // namespace heddle::rt

using namespace heddle::rt;  // NOLINT: the rest of the file is the C interface

// NOLINTNEXTLINE(*-reserved-identifier): std::__future_base::_State_baseV2::_Make_ready::_M_set()
HEDDLE_INTERCEPT void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(Element* element) {
  static auto* const real =
      reinterpret_cast<void (*)(Element*)>(FindCxx("_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv"));
  if (!Passive() && t_count < kStates) {
    __atomic_fetch_add(&element->counts->weak, 1, __ATOMIC_RELAXED);
    t_states[t_count++] = {element->state + kReadyWord, element->counts, false};
  }
  real(element);
}
