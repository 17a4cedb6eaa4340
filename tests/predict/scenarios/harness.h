// The scenarios of tests/predict: each is a few lines with one bug, and right when built with FIXED. One program holds
// them all; its argument says which one runs.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#ifdef FIXED
inline constexpr bool kFixed = true;
#else
inline constexpr bool kFixed = false;
#endif

using Body = void (*)();

struct Scenario {
  Scenario(const char* kind, const char* name, Body body);
  const char* kind;
  const char* name;
  Body body;
  Scenario* next;
};

#define RACE(name)         \
  static void Run_##name(); \
  static Scenario scenario_##name("race", #name, Run_##name); \
  static void Run_##name()
#define DEADLOCK(name)     \
  static void Run_##name(); \
  static Scenario scenario_##name("deadlock", #name, Run_##name); \
  static void Run_##name()
#define ATOMICITY(name)    \
  static void Run_##name(); \
  static Scenario scenario_##name("atomicity", #name, Run_##name); \
  static void Run_##name()
#define STALE(name)        \
  static void Run_##name(); \
  static Scenario scenario_##name("stale", #name, Run_##name); \
  static void Run_##name()
#define ORDER(name)        \
  static void Run_##name(); \
  static Scenario scenario_##name("order", #name, Run_##name); \
  static void Run_##name()

// Runs the bodies as threads and waits for all of them.
template <typename... Bodies>
void Together(Bodies... bodies) {
  std::thread threads[] = {std::thread(bodies)...};
  for (std::thread& thread : threads) thread.join();
}

struct Guard {
  explicit Guard(pthread_mutex_t& mutex, bool really = true) : mutex_(mutex), really_(really) {
    if (really_) pthread_mutex_lock(&mutex_);
  }
  ~Guard() {
    if (really_) pthread_mutex_unlock(&mutex_);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  pthread_mutex_t& mutex_;
  bool really_;
};

struct Sem {
  explicit Sem(unsigned value) { sem_init(&sem, 0, value); }
  void Wait() { sem_wait(&sem); }
  void Post() { sem_post(&sem); }
  sem_t sem{};
};

struct Bar {
  explicit Bar(unsigned count) { pthread_barrier_init(&barrier, nullptr, count); }
  void Wait() { pthread_barrier_wait(&barrier); }
  pthread_barrier_t barrier{};
};

// So that another thread usually gets there first.
inline void Later() { usleep(2000); }
