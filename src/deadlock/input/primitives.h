// What the analysis knows about functions it does not see: which ones lock, create threads, allocate, call back.
//
// One line of a table for each function:
//   NAME ACTION KEY=VALUE ...
// with the keys lock, handle, start, arg, param, mode=read|write, success=nonzero, kind=recursive, deref=N
// (builtin_table.cpp uses them all). Lines of a user's table come before the built-in ones. `#` starts a comment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"

namespace heddle::deadlock {

enum class Action : uint8_t {
  kLock,         // waits until it has the lock
  kTryLock,      // has it only if the return value says so
  kTimedLock,    // gives up after a time: never part of a deadlock as a wait
  kUnlock,       //
  kCondWait,     // releases the lock and waits for it again
  kLockAll,      // std::lock: all arguments, in an order that cannot deadlock among them
  kSemWait,      // semaphores: locks only when asked for
  kSemTry,       //
  kSemPost,      //
  kOnce,         // runs `start` under a lock of its own
  kCreate,       // starts a thread
  kJoin,         //
  kStdStart,     // std::thread::_M_start_thread: the routine is in the vtable of the state
  kThreadExit,   // ends the thread
  kProcessExit,  // ends everything
  kExit,         // the same, after it has called what kAtExit was given
  kAtExit,       //
  kExitOnly,     // the same, for what nobody else calls: destructors of global objects
  kLockInit,     // sets the kind of a mutex from an attribute object
  kAttrKind,     // sets the kind in an attribute object
  kAlloc,        // returns new memory (or stores it through `handle`)
  kRealloc,      // the same, with the content of the old
  kCopy,         // memcpy and its like: arg 0 gets the content of arg 1
  kReturnsArg,   // returns its argument
  kSubobject,    // returns the address of another part of the object that its argument points into
  kCallNow,      // calls the function arguments it gets, before it returns
  kCallLater,    // keeps them; they run in some thread, at some time
  kSignal,       // installs a handler: `start` is the handler, or points to it (deref=1)
  kDispatch,     // runs what was kept by kCallLater
  kSetSpecific,  // thread-specific values flow from set to get
  kGetSpecific,  //
  kSetjmp,       //
  kLongjmp,      //
  kKeep,         // keeps what it is given, may hand it out again or call it, from any thread
  kLink,         // links nodes of a library's tree or list
  kPlain,        // returns an argument or memory of its own, keeps nothing, calls nothing
  kSymbol,       // dlsym: a function of the program by name, or anything from outside
  kSend,         // the memory at `arg` goes out through a descriptor
  kReceive,      // and comes in
  kThreadGone,   // the std::thread object at its argument is not joinable any more
  kThreadsGone,  // nor is any element of the vector of them
  kKeyCreate,    // `start` runs at the end of each thread with its thread-specific value
  kThrow,        // its argument is what landing pads get
  kNothing,      // no effect on locks, threads or pointers
};

enum class Mode : uint8_t { kWrite, kRead };

struct Primitive {
  static constexpr int kReturn = -1;  // as `handle`: the return value
  static constexpr int kNone = -2;

  Action action = Action::kNothing;
  Mode mode = Mode::kWrite;
  int lock = 0;                  // which argument
  int handle = kNone;            // where a thread's or an object's handle goes
  int start = kNone;             // the function that is called
  int arg = kNone;               // what it gets
  int param = 0;                 // as which parameter
  int deref = 0;                 // how often to load before it is the thing itself
  bool success_nonzero = false;  // of try: the return value on success
  bool recursive = false;        // the lock may be taken again by its holder, whatever its memory says
  bool blocking() const { return action == Action::kLock || action == Action::kCondWait || action == Action::kLockAll; }
};

class Primitives {
 public:
  // The built-in table; with `semaphores`, sem_wait and sem_post are locks.
  explicit Primitives(bool semaphores);

  // Adds a user's table; `name` is for messages. Its lines win.
  Status Add(std::string_view name, std::string_view text);

  // By the name of a function; nullptr for one that is not known.
  const Primitive* Find(std::string_view function) const;

 private:
  Status AddLine(std::string_view line, bool replace);
  std::unordered_map<std::string, Primitive> table_;
  bool semaphores_;
};

extern const char* const kBuiltinTable;

// Functions of libc, libm and the C++ library that keep nothing of what they are given and call nothing back
// (library_names.cpp). For functions without a body that the table does not know.
bool IsPlainLibraryFunction(std::string_view name);
// A name in the namespaces of the C++ library.
bool IsCxxLibraryName(std::string_view name);

}  // namespace heddle::deadlock
