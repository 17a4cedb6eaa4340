// How fast traces are read: events a second from binary, lines a second from STD, both from a file on one core.
//
// The binary trace is what a recorder makes of a program that works under locks: of 100 events, 90 are plain accesses
// from a few dozen places in the code, walking arrays, the rest locks, atomics and allocation; four threads.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <random>
#include <string>

#include "base/file.h"
#include "trace/convert/std_text.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace {

using namespace heddle;         // NOLINT: a short program
using namespace heddle::trace;  // NOLINT

constexpr uint64_t kEvents = 4'000'000;
constexpr uint64_t kLines = 2'000'000;

std::string TempFile(const char* name) { return fmt::format("/tmp/heddle_bench_{}_{}", getpid(), name); }

Event OrderedEvent(std::mt19937_64& random, uint64_t* sequence) {
  Event event;
  static constexpr Kind kSome[] = {Kind::Lock,      Kind::Unlock, Kind::AtomicLoad,
                                   Kind::AtomicRmw, Kind::Alloc,  Kind::Free};
  event.kind = kSome[random() % 6];
  event.address = 0x555500010000 + random() % 64 * 40;
  event.pc = 0x555500001000 + random() % 32 * 5;
  event.arg = random() % 1000;
  event.sequence = ++*sequence;
  return event;
}

void WriteSample(const std::string& path) {
  std::mt19937_64 random(1);
  TraceInfo info;
  info.flags = kFlagFinished;
  StackTable stacks;
  uint32_t nodes[16] = {};
  for (int i = 1; i < 16; ++i)
    nodes[i] = stacks.Add(nodes[random() % static_cast<uint64_t>(i)], 0x555500002000 + random() % 999);
  auto writer = TraceWriter::Create(path, &info, &stacks);
  uint64_t sequence = 0;
  uint64_t walk[64] = {};
  uint32_t thread = 0;
  uint32_t stack = 0;
  for (uint64_t i = 0; i < kEvents; ++i) {
    Event event;
    if (random() % 10 == 0) {
      event = OrderedEvent(random, &sequence);
      thread = static_cast<uint32_t>(random() % 4);
      if (random() % 2 == 0) stack = nodes[random() % 16];
    } else {
      uint64_t site = random() % 48;
      event.kind = site % 3 == 0 ? Kind::Write : Kind::Read;
      event.detail = 8;
      event.pc = 0x555500003000 + site * 7;
      event.address = 0x7fff00000000 + site * 65536 + (walk[site] += site % 4 == 0 ? random() % 512 : 8) % 65536;
    }
    event.thread = thread;
    event.stack = stack;
    (void)(*writer)->Add(event);
  }
  (void)(*writer)->Finish();
}

void ReadBinary(benchmark::State& state) {
  std::string path = TempFile("trace");
  WriteSample(path);
  uint64_t events = 0;
  for (auto _ : state) {
    auto reader = TraceReader::Open(path);
    Event event;
    uint64_t sum = 0;
    while ((*reader)->Next(&event)) {
      ++events;
      sum += event.address;
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(static_cast<int64_t>(events));
  unlink(path.c_str());
}
BENCHMARK(ReadBinary)->Unit(benchmark::kMillisecond);

std::string StdSample() {
  std::mt19937_64 random(2);
  std::string text;
  static constexpr const char* kOps[] = {"r(V", "w(V", "r(V", "w(V", "acq(L", "rel(L"};
  for (uint64_t i = 0; i < kLines; ++i) {
    text += fmt::format("T{}|{}{})|{}\n", random() % 16, kOps[random() % 6], random() % 5000, random() % 2000);
  }
  return text;
}

void ReadStd(benchmark::State& state) {
  std::string path = TempFile("std");
  (void)WriteFileAtomic(path, StdSample());
  uint64_t lines = 0;
  for (auto _ : state) {
    StdSource source(LineInput::Open(path).Take());
    Event event;
    while (source.Next(&event)) ++lines;
    if (!source.status()) state.SkipWithError("the sample is wrong");
  }
  state.SetItemsProcessed(static_cast<int64_t>(lines));
  unlink(path.c_str());
}
BENCHMARK(ReadStd)->Unit(benchmark::kMillisecond);

// To a trace file: what `heddle trace convert --to trace` does.
void ImportStd(benchmark::State& state) {
  std::string path = TempFile("std");
  std::string out = TempFile("imported");
  (void)WriteFileAtomic(path, StdSample());
  for (auto _ : state) {
    StdSource source(LineInput::Open(path).Take());
    auto writer = TraceWriter::Create(out, &source.info(), &source.stacks());
    if (!Pump(&source, writer->get())) state.SkipWithError("conversion failed");
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kLines));
  unlink(path.c_str());
  unlink(out.c_str());
}
BENCHMARK(ImportStd)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
