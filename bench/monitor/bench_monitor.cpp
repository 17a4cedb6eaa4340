// Speed of the monitor's parts on the lockset specification of "Stream-based dynamic data race detection", figure 3.
//
// A row gives the rate in million events (or lines) a second, the bar it should pass, and the growth of memory while it
// ran. Events are those of the trace; a step of the lockset has four or five.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>

#include "monitor/trace_streams.h"
#include "stream/elaborate/elaborate.h"
#include "stream/elaborate/templates.h"
#include "stream/run/compiled.h"
#include "stream/run/runner.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace heddle::stream {
namespace {

// Processor time of this thread: the bars are for one core, whatever else the machine does meanwhile.
double Now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Resident memory in MiB.
double Resident() {
  std::ifstream file("/proc/self/statm");
  long total = 0;
  long resident = 0;
  file >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// Two threads that lock, read, write and unlock in turn; one access in a hundred thousand without the lock.
std::string LocksetTrace(int64_t rounds) {
  std::string out;
  int64_t time = 1000;
  auto step = [&](int thread, const char* what, int line, const char* function) {
    out += fmt::format("{0}: threadid = {1}\n{0}: {2}\n{0}: line = {3}\n{0}: function = \"{4}\"\n", time,
                       140217848600320 + thread * 8192, what, line, function);
    time += 1337;
  };
  step(0, "mutexlockaddr = 6308000", 30, "main");
  step(0, "mutexunlockaddr = 6308000", 31, "main");
  for (int64_t i = 0; i < rounds; ++i) {
    int thread = 1 + static_cast<int>(i % 2);
    bool locked = i % 100000 != 99999;
    if (locked) step(thread, "mutexlockaddr = 6308096", 8, "f");
    step(thread, "readvar = \"x\"", 9, "f");
    step(thread, "writevar = \"x\"", 9, "f");
    if (locked) step(thread, "mutexunlockaddr = 6308096", 10, "f");
  }
  return out;
}

// The same run as a heddle trace. Variables and lines are named by the trace itself, as in imported ones; looking names
// up in debug information happens once for each place and is not measured.
class BinaryTrace {
 public:
  explicit BinaryTrace(const std::string& path) : path_(path) {
    info_.modules.push_back(trace::LocationModule("bench.c"));
    info_.symbols[0x5000] = "x";
  }
  ~BinaryTrace() { unlink(path_.c_str()); }

  bool Write(int64_t rounds) {
    auto writer = trace::TraceWriter::Create(path_, &info_, &stacks_);
    if (!writer) return false;
    Add(**writer, trace::Kind::Lock, 0, 0x6000, 30);
    Add(**writer, trace::Kind::Unlock, 0, 0x6000, 31);
    for (int64_t i = 0; i < rounds; ++i) {
      auto thread = 1 + static_cast<uint32_t>(i % 2);
      bool locked = i % 100000 != 99999;
      if (locked) Add(**writer, trace::Kind::Lock, thread, 0x6060, 8);
      Add(**writer, trace::Kind::OrderedRead, thread, 0x5000, 9);
      Add(**writer, trace::Kind::OrderedWrite, thread, 0x5000, 9);
      if (locked) Add(**writer, trace::Kind::Unlock, thread, 0x6060, 10);
    }
    return (*writer)->Finish().ok();
  }
  const std::string& path() const { return path_; }

 private:
  void Add(trace::TraceWriter& writer, trace::Kind kind, uint32_t thread, uint64_t address, int32_t line) {
    trace::Event event;
    event.kind = kind;
    event.detail = kind == trace::Kind::Lock || kind == trace::Kind::Unlock ? 0 : 4;
    event.thread = thread;
    event.address = address;
    event.pc = trace::PcOfLocation(line);
    event.sequence = ++sequence_;
    (void)writer.Add(event);
  }

  std::string path_;
  trace::TraceInfo info_;
  trace::StackTable stacks_;
  uint64_t sequence_ = 0;
};

struct Recorded {
  std::vector<int64_t> times;
  std::vector<uint32_t> ends;  // of each step, in events
  std::vector<InputEvent> events;
};

class Bench {
 public:
  int Main(int64_t rounds) {
    TemplateOptions options;
    options.variables = {"x"};
    options.threads = 3;
    sources_.Add("lockset", *WriteTemplate("lockset", options));
    std::vector<Diagnostic> diagnostics;
    program_ = BuildProgram(sources_, 0, {}, diagnostics);
    if (!program_) return 1;
    trace_ = LocksetTrace(rounds);
    fmt::print("lockset, 1 variable, 3 threads; {} MB of trace\n\n", trace_.size() >> 20);
    fmt::print("{:<44} {:>9} {:>6} {:>10}\n", "", "million/s", "bar", "MiB grown");
    Record();
    Row("text parsing (lines)", 10, [&] { return Parse(); });
    auto interpreter = [&] { return MakeInterpreter(*program_); };
    Row("interpreter, from memory", 3, [&] { return Steps(*interpreter()); });
    Row("interpreter, from text", 3, [&] { return Text(*interpreter()); });
    if (!binary_.Write(rounds)) {
      fmt::print("{}: cannot write the trace\n", binary_.path());
      return 1;
    }
    Row("heddle trace, reading only", 5, [&] { return ReadTrace(); });
    Row("interpreter, from a heddle trace", 3, [&] { return Binary(*interpreter()); });
    Row("compiled, from memory", 10, [&] { return Steps(*Compiled()); });
    Row("compiled, from text", 10, [&] { return Text(*Compiled()); });
    Row("compiled, from a heddle trace (aim 20)", 10, [&] { return Binary(*Compiled()); });
    fmt::print(
        "\nothers, events a second (stored figures): TeSSLa interpreter 2.6 thousand (best 6.2), compiled Scala 8.5\n"
        "thousand (best 20.8), an Elixir one 5 thousand; all per event through a pipe\n");
    return 0;
  }

 private:
  template <typename F>
  void Row(const char* name, double bar, const F& run) {
    double memory = Resident();
    double begin = Now();
    uint64_t count = run();
    double rate = static_cast<double>(count) / (Now() - begin) / 1e6;
    fmt::print("{:<44} {:>9.2f} {:>6} {:>10.1f}{}\n", name, rate, bar, Resident() - memory,
               rate < bar ? "   BELOW" : "");
  }

  // The compiler is another process: its time does not count.
  std::unique_ptr<Machine> Compiled() {
    const Program* programs[] = {&*program_};
    auto machines = CompileMachines(programs);
    if (!machines) {
      fmt::print("compiled: {}\n", machines.error().message);
      std::exit(1);
    }
    return std::move((*machines)[0]);
  }

  // Runs `use` with the heddle trace as a source; how many stream events it gave.
  template <typename F>
  uint64_t WithTrace(const F& use) {
    auto reader = trace::TraceReader::Open(binary_.path());
    symbolize::TraceNames names(reader->get());
    auto streams = monitor::TraceStreams::Make(**reader, names, program_->graph);
    use(**streams);
    return (*streams)->EventCount();
  }

  uint64_t ReadTrace() {
    return WithTrace([](EventSource& source) {
      int64_t time = 0;
      std::vector<InputEvent> events;
      while (*source.NextStep(&time, &events)) {
      }
    });
  }

  uint64_t Binary(Machine& machine) {
    return WithTrace([&](EventSource& source) {
      (void)RunSteps(*program_, machine, source, [](int64_t, std::span<const OutputEvent>) { return true; });
    });
  }

  std::unique_ptr<EventSource> Source() { return TextTraceFromMemory(trace_, program_->graph, {"trace", false}); }

  void Record() {
    auto source = Source();
    int64_t time = 0;
    std::vector<InputEvent> events;
    while (*source->NextStep(&time, &events)) {
      recorded_.times.push_back(time);
      for (InputEvent& event : events) recorded_.events.push_back(std::move(event));
      recorded_.ends.push_back(static_cast<uint32_t>(recorded_.events.size()));
    }
  }

  uint64_t Parse() {
    auto source = Source();
    int64_t time = 0;
    std::vector<InputEvent> events;
    while (*source->NextStep(&time, &events)) {
    }
    return source->EventCount();
  }

  uint64_t Steps(Machine& machine) {
    std::vector<InputEvent> events;
    std::vector<OutputEvent> outputs;
    machine.Step(0, {}, outputs);
    uint32_t at = 0;
    for (size_t i = 0; i < recorded_.times.size(); ++i) {
      events.clear();
      outputs.clear();
      for (; at < recorded_.ends[i]; ++at) events.push_back(recorded_.events[at]);
      machine.Step(recorded_.times[i], events, outputs);
    }
    return recorded_.events.size();
  }

  uint64_t Text(Machine& machine) {
    auto source = Source();
    (void)RunSteps(*program_, machine, *source, [](int64_t, std::span<const OutputEvent>) { return true; });
    return source->EventCount();
  }

  SourceMap sources_;
  std::optional<Program> program_;
  std::string trace_;
  BinaryTrace binary_{fmt::format("/tmp/heddle-bench-{}.trace", getpid())};
  Recorded recorded_;
};

}  // namespace
}  // namespace heddle::stream

int main(int argc, char** argv) { return heddle::stream::Bench().Main(argc > 1 ? std::atoll(argv[1]) : 300'000); }
