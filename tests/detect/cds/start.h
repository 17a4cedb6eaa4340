// How the threads of these programs start. Without an argument they begin together, each after a short random while, so
// that many schedules come. With the argument `ordered` they pass the marks Await and Reached in the order of the
// marks' numbers, so that one schedule comes always. Neither is seen by the detector (steps.h).
#pragma once

#include <pthread.h>

#include <cstring>

#include "../programs/steps.h"

inline bool g_ordered = false;

// Returns when so many marks were reached.
inline void Await(int marks) {
  if (g_ordered) WaitStep(marks);
}
inline void Reached() {
  if (g_ordered) NextStep();
}

inline void BeginTogether(int threads) {
  NextStep();
  WaitStep(threads);
  unsigned pauses = static_cast<unsigned>(__builtin_ia32_rdtsc() * 0x9e3779b97f4a7c15U >> 54U);  // fewer than 1024
  for (unsigned i = 0; i < pauses; ++i) __builtin_ia32_pause();
}

// Runs each of the functions in a thread of its own.
template <class... Bodies>
void RunThreads(int argc, char** argv, Bodies... bodies) {
  constexpr int kThreads = sizeof...(Bodies);
  g_ordered = argc > 1 && std::strcmp(argv[1], "ordered") == 0;
  void (*all[])() = {bodies...};
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    auto begin = [](void* body) -> void* {
      if (!g_ordered) BeginTogether(kThreads);
      (*static_cast<void (**)()>(body))();
      return nullptr;
    };
    pthread_create(&threads[i], nullptr, begin, &all[i]);
  }
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
}
