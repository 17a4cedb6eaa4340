// How fast the engines of `heddle predict` are: the search over cuts, and traces from STD text through the
// sync-preserving engine.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>

#include "base/file.h"
#include "predict/cut_search.h"
#include "predict/model_builder.h"
#include "predict/prediction.h"
#include "trace/convert/formats.h"

namespace {

using heddle::predict::ModelBuilder;
using heddle::predict::TraceModel;
using heddle::trace::Event;
using heddle::trace::Kind;
// Processor time: other programs on the machine do not count.
struct Clock {
  using time_point = std::clock_t;
  static time_point now() { return std::clock(); }
};
double Since(Clock::time_point start) { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

// Threads that each take two semaphores again and again: nothing to reduce, no stuck cut, a cut for every combination.
TraceModel Combinations(uint32_t threads, uint32_t rounds) {
  ModelBuilder builder;
  uint64_t sequence = 0;
  auto add = [&](uint32_t thread, Kind kind, uint64_t address, uint64_t arg) {
    Event event;
    event.thread = thread;
    event.kind = kind;
    event.address = address;
    event.arg = arg;
    event.sequence = ++sequence;
    builder.Add(event);
  };
  add(0, Kind::SemInit, 8, threads);
  for (uint32_t round = 0; round < rounds; ++round) {
    for (uint32_t thread = 0; thread < threads; ++thread) {
      add(thread, Kind::SemWait, 8, 0);
      add(thread, Kind::SemPost, 8, 0);
    }
  }
  return builder.Finish();
}

// The same with one slot for fewer than all threads, and a lock around every second wait: most cuts are out of reach.
TraceModel Crowded(uint32_t threads, uint32_t rounds) {
  ModelBuilder builder;
  uint64_t sequence = 0;
  auto add = [&](uint32_t thread, Kind kind, uint64_t address, uint64_t arg) {
    Event event;
    event.thread = thread;
    event.kind = kind;
    event.address = address;
    event.arg = arg;
    event.sequence = ++sequence;
    builder.Add(event);
  };
  add(0, Kind::SemInit, 8, threads - 1);
  add(0, Kind::SemInit, 16, 1);
  for (uint32_t round = 0; round < rounds; ++round) {
    for (uint32_t thread = 0; thread < threads; ++thread) {
      add(thread, Kind::SemWait, 8, 0);
      add(thread, Kind::Lock, 24, 0);
      add(thread, Kind::SemWait, 16, 0);
      add(thread, Kind::SemPost, 16, 0);
      add(thread, Kind::Unlock, 24, 0);
      add(thread, Kind::SemPost, 8, 0);
    }
  }
  return builder.Finish();
}

void CutSearch(const char* shape, const TraceModel& model, uint32_t threads, uint32_t rounds) {
  Clock::time_point start = Clock::now();
  auto result = heddle::predict::SearchStuck(model, {}, {.states = 40'000'000});
  double seconds = Since(start);
  fmt::print("{:<34}{:>12}{:>10.2f}{:>12.2f}{:>10.1f}\n", fmt::format("{} threads, {} {} each", threads, rounds, shape),
             result.states, seconds, static_cast<double>(result.states) / seconds / 1e6,
             static_cast<double>(result.bytes) / static_cast<double>(result.states));
}

// Ten threads: sections of a few locks over shared variables, private work between, now and then a slip.
std::string StdText(uint32_t threads, uint64_t events) {
  std::mt19937_64 random(1);
  std::string text;
  auto line = [&](uint64_t thread, const char* what, uint64_t object, uint64_t place) {
    fmt::format_to(std::back_inserter(text), "T{}|{}{})|{}\n", thread, what, object, place);
  };
  for (uint32_t thread = 1; thread < threads; ++thread) line(0, "fork(T", thread, 1);
  for (uint64_t done = 0; done < events; done += 8) {
    uint64_t thread = random() % threads;
    uint64_t lock = random() % 16;
    line(thread, "r(P", thread * 64 + random() % 64, 2);
    line(thread, "w(P", thread * 64 + random() % 64, 3);
    line(thread, "acq(L", lock, 4);
    line(thread, "r(V", lock * 64 + random() % 64, 5);
    line(thread, "w(V", lock * 64 + random() % 64, 6);
    line(thread, "rel(L", lock, 7);
    line(thread, "r(P", thread * 64 + random() % 64, 8);
    if (random() % 1000 == 0) line(thread, "w(V", lock * 64 + random() % 64, 9 + random() % 20);
  }
  return text;
}

bool StdTrace(uint32_t threads, uint64_t events) {
  std::string path = std::filesystem::temp_directory_path() / fmt::format("heddle_bench_{}.std", events);
  if (!heddle::WriteFileAtomic(path, StdText(threads, events))) return false;
  Clock::time_point start = Clock::now();
  auto source = heddle::trace::OpenSource(path, heddle::trace::Format::kStd);
  if (!source) return false;
  heddle::predict::ModelledTrace trace = heddle::predict::ModelTrace(source->get());
  double read = Since(start);
  auto outcome = heddle::predict::RaceSearch(&trace.model, &trace.log, &trace.locksets, {.all_states = 0}).Run();
  double seconds = Since(start);
  std::filesystem::remove(path);
  fmt::print("{:<34}{:>12}{:>10.2f}{:>12.2f}{:>10}\n", fmt::format("{} threads, reading {:.2f} s", threads, read),
             trace.events, seconds, static_cast<double>(trace.events) / seconds / 1e6, outcome.races.size());
  return true;
}

}  // namespace

int main() {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  fmt::print("{:<34}{:>12}{:>10}{:>12}{:>10}\n", "search over cuts", "cuts", "seconds", "million/s", "B/cut");
  CutSearch("waits", Combinations(2, 1500), 2, 1500);
  CutSearch("waits", Combinations(3, 120), 3, 120);
  CutSearch("waits", Combinations(4, 36), 4, 36);
  CutSearch("crowded sections", Crowded(3, 60), 3, 60);
  CutSearch("crowded sections", Crowded(4, 16), 4, 16);
  fmt::print("{:<34}{:>12}{:>10}{:>12}{:>10}\n", "STD traces, sync-preserving races", "events", "seconds", "million/s",
             "found");
  for (uint64_t events : {120'000UL, 1'000'000UL}) {
    if (!StdTrace(10, events)) return 1;
  }
  return 0;
}
