// What libstdc++ does when a thread ends (at_thread_exit.cpp).
#pragma once

namespace heddle::rt {

using KeyDestructor = void (*)(void*);

// The destructor to give to libc for a key that `pc` makes: the same, or ours before libstdc++'s.
KeyDestructor AtThreadExit(KeyDestructor destroy, const void* pc);

}  // namespace heddle::rt
