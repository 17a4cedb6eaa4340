// Signals come from outside while threads work: where each handler ran shows in the output. Ends with SIGTERM.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::atomic<int> shared;
static std::atomic<bool> over;
static std::atomic<int> count;
static int places[4096];

static void Note(int) {
  int at = count.fetch_add(1);
  if (at < 4096) places[at] = shared;
}
static void Stop(int) { over = true; }

static void Work() {
  while (!over) {
    std::lock_guard hold(mutex);
    ++shared;
  }
}

int main() {
  struct sigaction note{};
  note.sa_handler = Note;
  struct sigaction stop{};
  stop.sa_handler = Stop;
  sigaction(SIGUSR1, &note, nullptr);
  sigaction(SIGTERM, &stop, nullptr);
  std::printf("ready %d\n", getpid());
  std::fflush(stdout);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(Work);
  unsigned interrupted = 0;
  while (!over) {
    if (sleep(1) != 0) ++interrupted;
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%d signals, %d turns, %u sleeps interrupted\n", count.load(), shared.load(), interrupted);
  for (int i = 0; i < count && i < 4096; ++i) std::printf("%d\n", places[i]);
  return 0;
}
