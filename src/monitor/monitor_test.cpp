// Traces as input streams, and findings of streams.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "findings/report_json.h"
#include "monitor/findings.h"
#include "stream/elaborate/elaborate.h"
#include "stream/run/runner.h"
#include "stream/text/format.h"
#include "trace/convert/formats.h"
#include "trace/convert/tessla.h"
#include "trace/test_events.h"

namespace heddle::monitor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Spec {
 public:
  explicit Spec(const std::string& text) {
    std::vector<Diagnostic> diagnostics;
    program_ = stream::BuildProgram(sources_, sources_.Add("spec", text), {}, diagnostics);
    for (const Diagnostic& diagnostic : diagnostics) ADD_FAILURE() << Render(sources_, diagnostic);
  }
  const stream::Program& program() const { return *program_; }

 private:
  SourceMap sources_;
  std::optional<stream::Program> program_;
};

// Everything that a trace can say, one input for each stream.
const char* const kEverything = R"(
in threadid: Events[Int]
in threadname: Events[String]
in readaddr: Events[Int]
in writeaddr: Events[Int]
in size: Events[Int]
in mutexlockaddr: Events[Int]
in mutexunlockaddr: Events[Int]
in condwaitaddr: Events[Int]
in condwakeaddr: Events[Int]
in condsignaladdr: Events[Int]
in wokenby: Events[Int]
in threadcreate: Events[Int]
in threadjoin: Events[Int]
in threadbegin: Events[Unit]
in threadend: Events[Unit]
in atomicloadaddr: Events[Int]
in atomiccasaddr: Events[Int]
in value: Events[Int]
in order: Events[String]
in stored: Events[Bool]
in oldvalue: Events[Int]
in desired: Events[Int]
in expected: Events[Int]
in user: Events[String]
in uservalue: Events[Int]
in line: Events[Int]
in function: Events[String]
in pc: Events[Int]
out *
)";

std::vector<std::string> Lines(const stream::Program& program, stream::EventSource& source) {
  std::vector<std::string> lines;
  auto machine = stream::MakeInterpreter(program);
  auto result = stream::RunMonitor(program, *machine, source, [&](int64_t time, const stream::OutputEvent& event) {
    lines.push_back(std::to_string(time) + ": " + program.graph.outputs[event.output].name + " = " +
                    stream::LiteralText(event.value));
    return true;
  });
  EXPECT_TRUE(result) << result.error().message;
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> BinaryLines(const stream::Program& program, const std::string& path) {
  auto reader = trace::TraceReader::Open(path);
  EXPECT_TRUE(reader);
  symbolize::TraceNames names(reader->get());
  auto streams = TraceStreams::Make(**reader, names, program.graph);
  EXPECT_TRUE(streams);
  return Lines(program, **streams);
}

// The slow way: the trace as text, read back by the text reader.
std::vector<std::string> TextLines(const stream::Program& program, const std::string& path) {
  auto reader = trace::TraceReader::Open(path);
  EXPECT_TRUE(reader);
  std::string text_path = path + ".text";
  auto out = OutputFile::Create(text_path);
  EXPECT_TRUE(out);
  trace::TesslaSink sink(out->get(), reader->get(), trace::ModuleLocator(&(*reader)->info()));
  EXPECT_TRUE(trace::Pump(reader->get(), &sink));
  std::string text = *ReadFile(text_path);
  auto source = stream::TextTraceFromMemory(text, program.graph, {"text", false});
  return Lines(program, *source);
}

TEST(TraceStreams, SayTheSameAsTheText) {
  Spec spec(kEverything);
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    std::string path = trace::TempPath("monitor.trace");
    std::mt19937_64 random(seed);
    trace::WriteTrace(path, trace::RandomEvents(random, 400, 5));
    EXPECT_EQ(BinaryLines(spec.program(), path), TextLines(spec.program(), path)) << "seed " << seed;
  }
}

TEST(TraceStreams, WrongTypesAndUnknownNamesAreTold) {
  std::string path = trace::TempPath("monitor.trace");
  trace::WriteTrace(path, {});
  auto reader = trace::TraceReader::Open(path);
  symbolize::TraceNames names(reader->get());
  Spec wrong("in line: Events[String]\nout line\n");
  auto streams = TraceStreams::Make(**reader, names, wrong.program().graph);
  ASSERT_FALSE(streams);
  EXPECT_THAT(streams.error().message, HasSubstr("`line` is Events[String], but in a heddle trace"));
  Spec near("in mutexlockadr: Events[Int]\nout mutexlockadr\n");
  streams = TraceStreams::Make(**reader, names, near.program().graph);
  ASSERT_TRUE(streams);
  EXPECT_THAT((*streams)->MissingInputs(),
              ElementsAre(std::pair(std::string("mutexlockadr"), std::string("did you mean `mutexlockaddr`?"))));
}

findings::Report Collect(const stream::Program& program, const std::string& trace) {
  FindingCollector collector(program);
  auto machine = stream::MakeInterpreter(program);
  auto source = stream::TextTraceFromMemory(trace, program.graph, {"t", false});
  EXPECT_TRUE(stream::RunSteps(program, *machine, *source, [&](int64_t time, std::span<const stream::OutputEvent> all) {
    collector.AddStep(time, all);
    return true;
  }));
  findings::Report report;
  collector.Finish(report);
  return report;
}

TEST(Findings, AreGroupedByPlaceAndCounted) {
  Spec spec(
      "in x: Events[Int]\n@finding(\"property\", \"x is wrong\")\nout x as error\nout x / 10 as line\n"
      "out \"f\" as function\nout Set.singleton(x) as holding\nout 7 as thread\n");
  findings::Report report = Collect(spec.program(), "1: x = 31\n2: x = 35\n3: x = 41\n");
  ASSERT_EQ(report.findings.size(), 2U);
  const findings::Finding& first = report.findings[0];
  EXPECT_EQ(first.kind, findings::Kind::kProperty);
  EXPECT_EQ(first.message, "x is wrong");
  EXPECT_EQ(first.count, 2U);
  ASSERT_EQ(first.steps.size(), 1U);
  EXPECT_EQ(first.steps[0].stack[0].line, 3U);
  EXPECT_EQ(first.steps[0].locks, std::vector<std::string>{"31"});
  EXPECT_NE(first.fingerprint, report.findings[1].fingerprint);
}

TEST(Findings, UnknownKindIsAnError) {
  Spec spec("in x: Events[Int]\n@finding(\"data-rase\")\nout x\n");
  Status status = CheckFindingKinds(spec.program());
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("did you mean `data-race`?"));
}

}  // namespace
}  // namespace heddle::monitor
