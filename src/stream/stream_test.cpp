// Figures and sessions of the paper, templates, explanations, trace reading, output formats, and what is kept in
// memory.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "stream/elaborate/templates.h"
#include "stream/golden.h"
#include "stream/run/explain.h"
#include "stream/test_support.h"
#include "stream/text/format.h"
#include "stream/text/timeline.h"

namespace heddle::stream {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAreArray;

std::string Paper(const std::string& name) { return *ReadFile(HEDDLE_SOURCE_DIR "/tests/stream/paper/" + name); }

std::vector<std::string> Lines(const std::string& text, const std::string& trace) {
  BuiltSpec built = Build(text);
  EXPECT_TRUE(built.program) << built.errors;
  if (!built.program) return {};
  std::unique_ptr<Machine> machine = MakeInterpreter(*built.program);
  std::vector<std::string> lines = RunLines(*built.program, *machine, trace);
  EXPECT_EQ(lines, ReferenceLines(built.compiled->graph, trace));
  return lines;
}

std::string Template(const std::string& name, const TemplateOptions& options = {}) {
  Result<std::string> text = WriteTemplate(name, options);
  EXPECT_TRUE(text) << text.error().message;
  return text ? *text : "";
}

TEST(Paper, Figure2) {
  EXPECT_THAT(Lines(Paper("figure2.tessla"), Paper("figure2.trace")),
              UnorderedElementsAreArray(SplitLines(Paper("figure2.expected"))));
}

TEST(Paper, Figure3AndTheSessionWithSets) {
  TemplateOptions options;
  options.variables = {"x"};
  options.threads = 3;
  EXPECT_THAT(Lines(Template("lockset", options), Paper("session.trace")),
              UnorderedElementsAreArray(SplitLines(Paper("session_sets.expected"))));
}

TEST(Paper, TheSessionWithoutSets) {
  TemplateOptions options;
  options.variables = {"x"};
  options.threads = 3;
  options.no_sets = true;
  EXPECT_THAT(Lines(Template("lockset", options), Paper("session.trace")),
              UnorderedElementsAreArray(SplitLines(Paper("session_nosets.expected"))));
}

// One step of a made-up program: thread, event, line, function.
class Story {
 public:
  Story& Do(int thread, const std::string& event, int line = 1) {
    text_ += fmt::format("{0}: threadid = {1}\n{0}: {2}\n{0}: line = {3}\n{0}: function = \"f{1}\"\n", time_, thread,
                         event, line);
    time_ += 10;
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  int64_t time_ = 10;
  std::string text_;
};

TEST(Templates, LocksetOfAllAddresses) {
  std::string spec = Template("lockset");
  Story bad;
  bad.Do(1, "mutexlockaddr = 5").Do(1, "writeaddr = 100", 7).Do(1, "mutexunlockaddr = 5").Do(2, "writeaddr = 100", 8);
  EXPECT_THAT(Lines(spec, bad.text()), Contains("40: error_at_address = 100"));
  EXPECT_THAT(Lines(spec, bad.text()), Contains("40: error_in_line = 8"));
  Story good;
  good.Do(1, "mutexlockaddr = 5").Do(1, "writeaddr = 100").Do(1, "mutexunlockaddr = 5");
  good.Do(2, "mutexlockaddr = 5")
      .Do(2, "writeaddr = 100")
      .Do(2, "mutexunlockaddr = 5")
      .Do(2, "readaddr = 200")
      .Do(1, "readaddr = 200");
  EXPECT_THAT(Lines(spec, good.text()), IsEmpty());
}

TEST(Templates, LockOrder) {
  Story bad;
  bad.Do(1, "mutexlockaddr = 5").Do(1, "mutexlockaddr = 6").Do(1, "mutexunlockaddr = 6").Do(1, "mutexunlockaddr = 5");
  bad.Do(2, "mutexlockaddr = 6").Do(2, "mutexlockaddr = 5", 9);
  EXPECT_THAT(Lines(Template("lock-order"), bad.text()), Contains("60: error_lock_order = Set((6, 5))"));
  Story good;
  good.Do(1, "mutexlockaddr = 5").Do(1, "mutexlockaddr = 6").Do(1, "mutexunlockaddr = 6").Do(1, "mutexunlockaddr = 5");
  good.Do(2, "mutexlockaddr = 5").Do(2, "mutexlockaddr = 6");
  EXPECT_THAT(Lines(Template("lock-order"), good.text()), IsEmpty());
}

TEST(Templates, OneWriter) {
  TemplateOptions options;
  options.variables = {"x"};
  Story story;
  story.Do(1, "writevar = \"x\"").Do(2, "writevar = \"y\"").Do(1, "writevar = \"x\"");
  EXPECT_THAT(Lines(Template("one-writer", options), story.text()), IsEmpty());
  story.Do(2, "writevar = \"x\"", 5);
  EXPECT_THAT(Lines(Template("one-writer", options), story.text()), Contains("40: error_x_in_line = 5"));
}

TEST(Templates, Handover) {
  TemplateOptions options;
  options.variables = {"x"};
  Story good;
  good.Do(1, "writevar = \"x\"")
      .Do(1, "mutexlockaddr = 5")
      .Do(1, "mutexunlockaddr = 5")
      .Do(2, "mutexlockaddr = 5")
      .Do(2, "readvar = \"x\"");
  EXPECT_THAT(Lines(Template("handover", options), good.text()), IsEmpty());
  Story bad;
  bad.Do(1, "writevar = \"x\"").Do(2, "mutexlockaddr = 5").Do(2, "readvar = \"x\"", 7);
  EXPECT_THAT(Lines(Template("handover", options), bad.text()), Contains("30: error_x_in_line = 7"));
}

TEST(Templates, Typestate) {
  TemplateOptions options;
  options.init = "open";
  options.uses = {"read", "write"};
  options.end = "close";
  std::string spec = Template("typestate", options);
  auto calls = [](std::vector<std::string> names) {
    std::string trace;
    int64_t time = 1;
    for (const std::string& name : names) {
      trace += fmt::format("{0}: call = \"{1}\"\n{0}: object = 3\n{0}: line = {0}\n", time, name);
      ++time;
    }
    return trace;
  };
  EXPECT_THAT(Lines(spec, calls({"open", "read", "write", "close", "open", "close"})), IsEmpty());
  EXPECT_THAT(Lines(spec, calls({"open", "close", "read"})), Contains("3: error_call = \"read\""));
  EXPECT_THAT(Lines(spec, calls({"write"})), Contains("1: error_call = \"write\""));
  EXPECT_THAT(Lines(spec, calls({"open", "close", "close"})), Contains("3: error_object = 3"));
}

TEST(Templates, Response) {
  TemplateOptions options;
  options.request = "ask";
  options.response = "answer";
  options.within = 100;
  std::string spec = Template("response", options);
  EXPECT_THAT(Lines(spec, "10: call = \"ask\"\n50: call = \"answer\"\n500: call = \"other\"\n"), IsEmpty());
  std::vector<std::string> late = Lines(spec, "10: call = \"ask\"\n10: line = 4\n400: call = \"answer\"\n");
  EXPECT_THAT(late, Contains("110: error_late = ()"));
  EXPECT_THAT(late, Contains("110: error_in_line = 4"));
  EXPECT_THAT(late, Contains("110: request_time = 10"));
}

TEST(Templates, SayWhatIsMissing) {
  EXPECT_THAT(WriteTemplate("one-writer", {}).error().message, HasSubstr("needs --vars"));
  EXPECT_THAT(WriteTemplate("typestate", {}).error().message, HasSubstr("--init"));
  EXPECT_THAT(WriteTemplate("response", {}).error().message, HasSubstr("--request"));
  EXPECT_THAT(WriteTemplate("locksett", {}).error().message, HasSubstr("did you mean `lockset`"));
  TemplateOptions bad;
  bad.variables = {"a b"};
  EXPECT_THAT(WriteTemplate("lockset", bad).error().message, HasSubstr("is not the name of a variable"));
  bad.variables = {"x"};
  bad.threads = 0;
  EXPECT_THAT(WriteTemplate("lockset", bad).error().message, HasSubstr("--threads"));
}

TEST(Library, ChecksWithoutACaller) {
  CompileOptions options;
  options.check_library = true;
  BuiltSpec built = Build("out 1 as x\n", options);
  EXPECT_EQ(built.errors, "");
}

TEST(Errors, ShowThePlaceAndTheChainOfCalls) {
  BuiltSpec built = Build(
      "in b: Events[Bool]\ndef outer(s: Events[Bool]) = inner(s)\ndef inner(s: Events[Bool]) = s + 1\nout outer(b) as "
      "o\n");
  EXPECT_THAT(built.errors, HasSubstr("spec:3:30: error: argument 1 of `s + 1` should be Int, but is Bool"));
  EXPECT_THAT(built.errors, HasSubstr("spec:2:30: note: in the call of `inner`"));
  EXPECT_THAT(built.errors, HasSubstr("spec:4:5: note: in the call of `outer`"));
}

TEST(Errors, SuggestTheNearestName) {
  EXPECT_THAT(Build("in x: Events[Int]\nout coutn(x) as c\n").errors, HasSubstr("did you mean `count`"));
  EXPECT_THAT(Build("in x: Events[Int]\nout Set.ad(Set.empty[Int], x) as c\n").errors, HasSubstr("did you mean `add`"));
}

TEST(Sharing, EqualStreamsBecomeOneNode) {
  BuiltSpec once = Build("in x: Events[Int]\nout count(x) as a\n");
  BuiltSpec twice = Build("in x: Events[Int]\nout count(x) as a\nout count(x) as b\n");
  EXPECT_EQ(once.program->graph.nodes.size(), twice.program->graph.nodes.size());
}

TEST(Sharing, UnusedDefinitionsCostNothing) {
  BuiltSpec built = Build("in x: Events[Int]\ndef unused = sum(x) * 2\nout x + 1 as y\n");
  EXPECT_EQ(built.program->graph.nodes.size(), 2U);
}

TEST(InPlace, CollectedSetsAreGivenAway) {
  for (const char* text : {"in x: Events[Int]\nout Set.size(Set.collect(x)) as n\n",
                           "in x: Events[Int]\nin y: Events[Int]\nout Set.size(Set.collectWithRemove(x, y)) as n\n",
                           "in x: Events[Int]\nout Map.size(Map.collectCount(x)) as n\n"}) {
    BuiltSpec built = Build(text);
    size_t given = 0;
    for (const NodeFacts& facts : built.program->facts) given += facts.give_away ? 1U : 0U;
    EXPECT_EQ(given, 1U) << text;
  }
}

TEST(InPlace, NothingIsGivenAwayWhenSomebodyElseLooks) {
  BuiltSpec built = Build("in x: Events[Int]\ndef s = Set.collect(x)\nout last(s, x) as old\nout s\n");
  for (const NodeFacts& facts : built.program->facts) EXPECT_FALSE(facts.give_away);
}

TEST(TextTrace, ReadsPiecesFromAPipeWithoutNewlineAtTheEnd) {
  BuiltSpec built = Build("in x: Events[Int]\nin s: Events[String]\nout x\nout s\n");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  for (std::string_view piece : {"1: x", " = 12\r\n# comment\n\n2: s = \"a b\" -- note\n3: x = -", "7"}) {
    ASSERT_EQ(write(ends[1], piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
  }
  close(ends[1]);
  auto source = OpenTextTrace(ends[0], built.program->graph, {"pipe", false});
  std::unique_ptr<Machine> machine = MakeInterpreter(*built.program);
  std::vector<std::string> lines;
  auto result = RunMonitor(*built.program, *machine, *source, [&](int64_t time, const OutputEvent& event) {
    lines.push_back(std::to_string(time) + " " + LiteralText(event.value));
    return true;
  });
  close(ends[0]);
  EXPECT_TRUE(result);
  EXPECT_THAT(lines, ElementsAre("1 12", "2 \"a b\"", "3 -7"));
}

Error TraceError(const std::string& trace, bool strict = false) {
  BuiltSpec built = Build("in x: Events[Int]\nin flag: Events[Bool]\nout x\n");
  auto source = TextTraceFromMemory(trace, built.program->graph, {"t.log", strict});
  std::unique_ptr<Machine> machine = MakeInterpreter(*built.program);
  auto result = RunMonitor(*built.program, *machine, *source, [](int64_t, const OutputEvent&) { return true; });
  EXPECT_FALSE(result);
  return result ? Error{} : result.error();
}

TEST(TextTrace, ErrorsHaveLineColumnAndCaret) {
  Error error = TraceError("1: x = 1\n2: x = yes\n");
  EXPECT_EQ(error.code, ErrorCode::kBadInput);
  EXPECT_THAT(error.message, HasSubstr("t.log:2:8: error: expected an integer as the value of `x`, which is Int"));
  EXPECT_THAT(error.message, HasSubstr("    2 | 2: x = yes\n      |        ^"));
}

TEST(TextTrace, ATraceThatEndsInTheMiddleOfALine) {
  EXPECT_THAT(TraceError("1: x = 1\n2: x = ").message, HasSubstr("the trace ends in the middle of a line"));
  EXPECT_THAT(TraceError("1: x = 1\n23").message, HasSubstr("the trace ends in the middle of a line"));
}

TEST(TextTrace, StrictNamesTheUnknownStream) {
  EXPECT_THAT(TraceError("1: flga = true\n", true).message, HasSubstr("no input `flga`"));
  EXPECT_THAT(TraceError("1: flga = true\n", true).message, HasSubstr("did you mean `flag`"));
}

TEST(TextTrace, CountsUnknownStreams) {
  BuiltSpec built = Build("in x: Events[Int]\nout x\n");
  auto source = TextTraceFromMemory("1: y = 1\n2: y = 2\n2: x = 1\n3: z\n", built.program->graph, {"t", false});
  std::unique_ptr<Machine> machine = MakeInterpreter(*built.program);
  EXPECT_TRUE(RunMonitor(*built.program, *machine, *source, [](int64_t, const OutputEvent&) { return true; }));
  EXPECT_THAT(source->UnknownStreams(),
              ElementsAre(std::pair<std::string, uint64_t>("y", 2), std::pair<std::string, uint64_t>("z", 1)));
  EXPECT_EQ(source->EventCount(), 1U);
}

std::string Formatted(OutputFormat format) {
  BuiltSpec built =
      Build("in x: Events[Int]\ndef s = Set.collect(x)\nout s\nout \"a,$x\" as t\nout Some(x > 1) as o\n");
  std::unique_ptr<OutputFormatter> formatter = MakeFormatter(format, *built.program);
  std::unique_ptr<Machine> machine = MakeInterpreter(*built.program);
  auto source = TextTraceFromMemory("1: x = 1\n2: x = 2\n", built.program->graph, {"t", false});
  std::string text;
  EXPECT_TRUE(RunMonitor(*built.program, *machine, *source, [&](int64_t time, const OutputEvent& event) {
    formatter->Event(time, event, text);
    return true;
  }));
  formatter->Finish(text);
  return text;
}

TEST(Format, Text) {
  EXPECT_THAT(Formatted(OutputFormat::kText), HasSubstr("2: s = Set(1, 2)\n2: t = a,2\n2: o = Some(true)\n"));
}
TEST(Format, Csv) {
  EXPECT_EQ(Formatted(OutputFormat::kCsv),
            "time,s,t,o\n0,Set(),,\n1,Set(1),\"a,1\",Some(false)\n2,\"Set(1, 2)\",\"a,2\",Some(true)\n");
}
TEST(Format, JsonLines) {
  EXPECT_THAT(Formatted(OutputFormat::kJsonLines), HasSubstr("{\"time\":2,\"stream\":\"s\",\"value\":[1,2]}\n"));
}

TEST(Timeline, DrawsEveryOutput) {
  BuiltSpec built = Build("in x: Events[Int]\nout x\nout x > 1\nout \"<v$x>\" as s\n");
  Timeline timeline(*built.program);
  std::unique_ptr<Machine> machine = MakeInterpreter(*built.program);
  auto source = TextTraceFromMemory("1: x = 1\n2: x = 2\n", built.program->graph, {"t", false});
  EXPECT_TRUE(RunMonitor(*built.program, *machine, *source, [&](int64_t time, const OutputEvent& event) {
    timeline.Event(time, event);
    return true;
  }));
  std::string html = timeline.Html("spec & title");
  EXPECT_THAT(html, HasSubstr("<title>spec &amp; title</title>"));
  EXPECT_THAT(html, HasSubstr("x &gt; 1"));
  EXPECT_THAT(html, HasSubstr("&lt;v2&gt;"));
  EXPECT_THAT(html, HasSubstr("<polyline"));
  EXPECT_THAT(html, Not(HasSubstr("http")));
}

TEST(Explain, FollowsLastSignalsAndDelays) {
  BuiltSpec built = Build(
      "in a: Events[Int]\nin b: Events[Int]\nin c: Events[Int]\ndef late = delay(const(5, a), a)\nout last(b, late) as "
      "r\n");
  auto source =
      TextTraceFromMemory("1: b = 7\n2: a = 1\n3: c = 9\n4: b = 8\n9: c = 1\n", built.program->graph, {"t", false});
  ExplainOptions options;
  options.stream = "r";
  Result<Explanation> explanation = Explain(*built.program, *source, options);
  ASSERT_TRUE(explanation) << explanation.error().message;
  EXPECT_EQ(explanation->time, 7);
  EXPECT_EQ(explanation->value, "8");
  std::vector<std::string> causes;
  for (const Cause& cause : explanation->causes)
    causes.push_back(fmt::format("{}:{}={}", cause.time, cause.input, cause.value));
  EXPECT_THAT(causes, ElementsAre("4:b=8", "2:a=1"));
}

TEST(Explain, SaysWhereTheNearestEventIs) {
  BuiltSpec built = Build("in a: Events[Int]\nout a\n");
  auto source = TextTraceFromMemory("5: a = 1\n", built.program->graph, {"t", false});
  ExplainOptions options;
  options.stream = "a";
  options.time = 3;
  EXPECT_THAT(Explain(*built.program, *source, options).error().message, HasSubstr("there is one at 5"));
}

}  // namespace
}  // namespace heddle::stream
