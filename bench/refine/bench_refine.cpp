// Speed of the refinement check: events a second by length, and against the event-based matcher on traces of random
// threads (figures 3.14 and 3.15).
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>

#include "base/file.h"
#include "refine/campaign/batch.h"
#include "refine/check/check.h"
#include "refine/event_matcher.h"
#include "refine/gen/gen.h"
#include "refine/trace/command.h"

namespace heddle::refine::bench {
namespace {

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Sections of about 50 accesses to 64 variables; the other trace has them in another order, without some reads.
Trace Artificial(size_t events, bool transformed) {
  Trace trace;
  trace.locks = {kThreadLockName, "m"};
  for (int i = 0; i < 64; ++i) {
    Symbol symbol;
    symbol.name = fmt::format("v{}", i);
    symbol.base = NextBase(trace.symbols);
    symbol.initial.assign(8, 0);
    symbol.bytes.resize(8);
    for (uint32_t k = 0; k < 8; ++k) symbol.bytes[k].location = k;
    trace.symbols.push_back(symbol);
  }
  std::mt19937_64 random(1);
  bool locked = false;
  trace.events.push_back(Event::Make(EventKind::kLock, 0, 0, 0, 0));
  while (trace.events.size() < events) {
    trace.events.push_back(Event::Make(locked ? EventKind::kUnlock : EventKind::kLock, 1, 0, 0, 0));
    locked = !locked;
    std::vector<Event> section;
    for (int i = 0; i < 50; ++i) {
      uint64_t r = random();
      uint32_t size = 1U << (r % 4);
      uint32_t place = trace.symbols[r / 4 % 64].base;
      bool write = r / 256 % 3 == 0;
      section.push_back(Event::Make(write ? EventKind::kWrite : EventKind::kRead, place, size, r >> 16, 0));
    }
    if (transformed) {  // reads first
      std::vector<Event> ordered;
      for (EventKind kind : {EventKind::kRead, EventKind::kWrite}) {
        for (const Event& event : section) {
          if (event.kind() == kind) ordered.push_back(event);
        }
      }
      section = ordered;
    }
    trace.events.insert(trace.events.end(), section.begin(), section.end());
  }
  if (locked) trace.events.push_back(Event::Make(EventKind::kUnlock, 1, 0, 0, 0));
  trace.events.push_back(Event::Make(EventKind::kUnlock, 0, 0, 0, 0));
  return trace;
}

// Goals of this suite; each is printed with what was measured.
constexpr double kEventsASecond = 20e6;
constexpr double kTimesFaster = 210;

bool Goal(const char* what, double wanted, double measured) {
  bool met = measured >= wanted;
  fmt::print("goal: {}: at least {:.0f}, measured {:.0f}: {}\n", what, wanted, measured, met ? "met" : "MISSED");
  return met;
}

bool ByLength() {
  fmt::print("check, artificial traces\n{:>12} {:>12} {:>16}\n", "events", "ms", "events a second");
  double slowest = 1e18;
  bool all_match = true;
  for (size_t events : {1'000, 10'000, 100'000, 1'000'000, 10'000'000}) {
    Trace a = Artificial(events, false);
    Trace b = Artificial(events, true);
    size_t rounds = std::max<size_t>(1, 1'000'000 / events);
    double start = CpuSeconds();
    bool matches = true;
    for (size_t i = 0; i < rounds; ++i) matches = matches && CheckTraces(a, b).matches();
    double seconds = (CpuSeconds() - start) / static_cast<double>(rounds);
    double rate = static_cast<double>(a.events.size() + b.events.size()) / seconds;
    fmt::print("{:>12} {:>12.3f} {:>16.0f}{}\n", events, seconds * 1e3, rate, matches ? "" : "  DIFFERS");
    slowest = std::min(slowest, rate);
    all_match = all_match && matches;
  }
  return Goal("events a second, slowest length", kEventsASecond, slowest) && all_match;
}

constexpr uint64_t kComparisons = 100'000'000;
constexpr size_t kMaxLength = 4000;

struct Sample {
  size_t length, locks;
  double check, events;
  EventMatch match;
};

Result<std::vector<Sample>> Samples() {
  Result<ScratchFolder> folder = ScratchFolder::Make();
  if (!folder) return folder.error();
  std::vector<Sample> samples;
  for (uint32_t size : {8U, 20U, 50U, 90U}) {
    std::vector<GeneratedThread> threads;
    std::vector<ThreadCase> cases;
    for (uint32_t i = 0; i < 40; ++i) {
      threads.push_back(GenerateThread(1000 * size + i, i, {size, 2}));
      cases.push_back({threads.back().function, threads.back().prefix, 0});
    }
    std::string source = folder->path() + "/bench.c";
    if (Status written = WriteFileAtomic(source, ProgramText(threads)); !written) return written.error();
    Result<std::vector<BuildSpec>> specs = MakeSpecs("gcc", "O0,O3", "x86_64", {});
    BatchOptions options;
    options.specs = *specs;
    options.environments = 4;
    options.outcome = [&](const ThreadCase&, const BuildSpec&, const BuildSpec&, uint64_t, const PairResult& result) {
      if (result.outcome != Outcome::kMatches || result.original.events.size() > 6000) return;
      size_t length = 0;
      size_t locks = 0;
      for (const Event& event : result.original.events) {
        length += event.kind() != EventKind::kEnvironment ? 1 : 0;
        locks += event.is_sync() ? 1 : 0;
      }
      if (length > kMaxLength) return;
      double start = CpuSeconds();
      for (int i = 0; i < 20; ++i) (void)CheckTraces(result.original, result.transformed, {.reads = false});
      double check = (CpuSeconds() - start) / 20;
      start = CpuSeconds();
      EventMatch match = MatchEvents(result.original, result.transformed, kComparisons);
      samples.push_back({length, locks, check, CpuSeconds() - start, match});
    };
    Result<BatchResult> result = TestBatch(source, cases, folder->path(), options);
    if (!result) return result.error();
  }
  return samples;
}

double Percentile(std::vector<double> values, size_t percent) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[std::min(values.size() - 1, values.size() * percent / 100)];
}

void Table(const std::vector<Sample>& samples, const char* what, size_t width, size_t Sample::* key) {
  fmt::print("\n{:>16} {:>6} {:>24} {:>30} {:>8} {:>9} {:>9}\n", what, "pairs", "check, us (20%, 80%)",
             "event-based, us (20%, 80%)", "ratio", "gave up", "no match");
  std::map<size_t, std::vector<Sample>> bins;
  for (const Sample& sample : samples) bins[sample.*key / width].push_back(sample);
  for (const auto& [bin, all] : bins) {
    std::vector<double> check;
    std::vector<double> events;
    size_t gave_up = 0;
    size_t no_match = 0;
    for (const Sample& sample : all) {
      check.push_back(sample.check);
      events.push_back(sample.events);
      gave_up += sample.match == EventMatch::kGaveUp ? 1 : 0;
      no_match += sample.match == EventMatch::kDiffers ? 1 : 0;
    }
    auto spread = [](const std::vector<double>& times) {
      return fmt::format("{:.1f} ({:.1f}, {:.1f})", Percentile(times, 50) * 1e6, Percentile(times, 20) * 1e6,
                         Percentile(times, 80) * 1e6);
    };
    fmt::print("{:>7} to {:>5} {:>6} {:>24} {:>30} {:>8.1f} {:>9} {:>9}\n", bin * width, (bin + 1) * width, all.size(),
               spread(check), spread(events), Percentile(events, 50) / Percentile(check, 50), gave_up, no_match);
  }
}

bool AgainstMatcher(const std::vector<Sample>& samples) {
  fmt::print(
      "\nagainst an event-based matcher, random threads, gcc -O0 and -O3: medians, 20th and 80th percentiles; it "
      "gives\n"
      "up after {} comparisons of events; \"no match\" is a false alarm of its own",
      kComparisons);
  Table(samples, "events", 250, &Sample::length);  // figure 3.14
  // Figure 3.15: traces of about the same length.
  std::vector<Sample> alike;
  for (const Sample& sample : samples) {
    if (sample.length >= 500 && sample.length < 1500) alike.push_back(sample);
  }
  fmt::print("\nthe same for the pairs of 500 to 1,500 events, by lock operations");
  Table(alike, "lock operations", 10, &Sample::locks);
  double check = 0;
  double events = 0;
  double sum = 0;
  std::vector<double> ratios;
  for (const Sample& sample : samples) {
    check += sample.check;
    events += sample.events;
    ratios.push_back(sample.events / sample.check);
    sum += ratios.back();
  }
  double average = sum / static_cast<double>(std::max<size_t>(1, samples.size()));
  fmt::print(
      "\nall: {} pairs, {:.0f} times faster on average, {:.0f} times by total time, {:.1f} times at the median (where "
      "it "
      "gave up, at least)\n",
      samples.size(), average, events / check, Percentile(ratios, 50));
  return Goal("times faster, on average", kTimesFaster, average);
}

int Run() {
  bool met = ByLength();
  std::fflush(stdout);
  Result<std::vector<Sample>> samples = Samples();
  if (!samples) {
    fmt::print(stderr, "{}\n", samples.error().message);
    return 1;
  }
  return AgainstMatcher(*samples) && met ? 0 : 1;
}

}  // namespace
}  // namespace heddle::refine::bench

int main() { return heddle::refine::bench::Run(); }
