// System calls straight to the kernel: the function `syscall` is intercepted, and the target may replace any wrapper.
#pragma once

#include <cerrno>
#include <type_traits>

namespace heddle::rt {

inline long RawSyscall(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

template <typename T>
long AsLong(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<long>(value);
  } else if constexpr (std::is_null_pointer_v<T>) {
    return 0;
  } else {
    return static_cast<long>(value);
  }
}

// Like syscall(2): -1 with errno set on failure.
template <typename... Args>
long Sys(long number, Args... args) {
  static_assert(sizeof...(args) <= 6);
  long values[6] = {AsLong(args)...};
  long result = RawSyscall(number, values[0], values[1], values[2], values[3], values[4], values[5]);
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}

// What the runtime does by itself is not to be seen in the program's errno.
class KeepErrno {
 public:
  KeepErrno() : error_(errno) {}
  ~KeepErrno() { errno = error_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int error_;
};

}  // namespace heddle::rt
