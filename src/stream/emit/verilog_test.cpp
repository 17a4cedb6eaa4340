// Hardware against software. Needs Icarus Verilog, Verilator and Yosys for the parts that simulate; without them those
// parts are skipped and say so.
#include "stream/emit/verilog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/file.h"
#include "stream/core/random_spec.h"
#include "stream/elaborate/templates.h"
#include "stream/golden.h"
#include "stream/test_support.h"

namespace heddle::stream {
namespace {

using ::testing::HasSubstr;

bool Installed(const std::string& tool) {
  return std::system(("command -v " + tool + " >/dev/null 2>&1").c_str()) == 0;
}

// A folder for one test, empty at the start.
std::string Folder(const std::string& name) {
  std::string path = ::testing::TempDir() + "heddle-verilog-" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

std::string RunTool(const std::string& command, const std::string& output) {
  int code = std::system((command + " > " + output + " 2>&1").c_str());
  Result<std::string> text = ReadFile(output);
  EXPECT_EQ(code, 0) << command << "\n" << (text ? text->substr(0, 3000) : "");
  return text ? *text : "";
}

struct Emitted {
  std::string text;
  std::vector<std::string> expected;
};

// Module and bench for one specification, its lines prefixed with its name.
Emitted Emit(const std::string& text, const std::string& trace, const std::string& name, int bound = 0) {
  BuiltSpec built = Build(text);
  EXPECT_TRUE(built.program) << built.errors;
  Symbols symbols;
  VerilogOptions options;
  options.module = name;
  options.bound = bound;
  std::vector<Diagnostic> diagnostics;
  auto module = EmitVerilog(*built.program, options, symbols, diagnostics);
  EXPECT_TRUE(module) << text << (diagnostics.empty() ? "" : Render(*built.sources, diagnostics[0]));
  if (!module) return {};
  auto source = TextTraceFromMemory(trace, built.program->graph, {"trace", false});
  auto bench = EmitTestBench(*built.program, *module, options, symbols, *source, name + "|");
  EXPECT_TRUE(bench) << bench.error().message;
  Emitted emitted;
  emitted.text = module->text + *bench;
  std::unique_ptr<Machine> machine = MakeInterpreter(*built.program);
  for (const std::string& line : RunLines(*built.program, *machine, trace)) {
    emitted.expected.push_back(name + "|" + line);
  }
  return emitted;
}

// Lines of one monitor out of the mixed output of all.
std::vector<std::string> LinesOf(const std::string& text, const std::string& name) {
  std::vector<std::string> lines;
  for (const std::string& line : SplitLines(text)) {
    if (line.starts_with(name + "|")) lines.push_back(line);
  }
  return lines;
}

std::string LocksetTrace() {
  std::string trace;
  int64_t time = 100;
  auto step = [&](int thread, const std::string& what, int line, const char* function) {
    trace += fmt::format("{0}: threadid = {1}\n{0}: {2}\n{0}: line = {3}\n{0}: function = \"{4}\"\n", time, thread,
                         what, line, function);
    time += 7;
  };
  step(1, "mutexlockaddr = 11", 1, "main");
  step(1, "mutexunlockaddr = 11", 2, "main");
  for (int i = 0; i < 40; ++i) {
    int thread = 2 + i % 2;
    step(thread, "mutexlockaddr = 10", 8, "f");
    if (i % 3 == 0) step(thread, "mutexlockaddr = 11", 9, "f");
    step(thread, i % 2 == 0 ? "readvar = \"x\"" : "writevar = \"y\"", 10, "f");
    if (i > 30) step(thread, "writevar = \"x\"", 19, "g");
    if (i % 3 == 0) step(thread, "mutexunlockaddr = 11", 11, "f");
    step(thread, "mutexunlockaddr = 10", 12, "f");
    if (i > 35) step(thread, "readvar = \"x\"", 19, "g");
  }
  return trace;
}

std::string LocksetText() {
  TemplateOptions options;
  options.variables = {"x", "y"};
  options.threads = 3;
  options.locks = 2;
  options.no_sets = true;
  return *WriteTemplate("lockset", options);
}

TEST(Verilog, IcarusAgreesOnRandomSpecificationsAndLockset) {
  if (!Installed("iverilog")) GTEST_SKIP() << "iverilog is not installed";
  std::string folder = Folder("icarus");
  std::vector<Emitted> all;
  std::ofstream file(folder + "/all.v");
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    RandomSpec random(seed, true);
    std::string text = random.Specification();
    all.push_back(Emit(text, random.Trace(40), fmt::format("m{}", seed)));
    file << all.back().text;
  }
  all.push_back(Emit(LocksetText(), LocksetTrace(), "m201"));
  file << all.back().text;
  file.close();
  EXPECT_THAT(all.back().expected, ::testing::Contains(HasSubstr("error_x_in_line")));
  RunTool("iverilog -g2005 -o " + folder + "/sim " + folder + "/all.v", folder + "/log");
  std::string output = RunTool("vvp -n " + folder + "/sim", folder + "/out");
  for (size_t i = 0; i < all.size(); ++i) {
    std::string name = fmt::format("m{}", i + 1);
    EXPECT_EQ(LinesOf(output, name), all[i].expected) << name;
  }
}

// Sets and maps below a bound, since, and a counter with a delay; the second one runs over its bound and fails.
TEST(Verilog, IcarusAgreesOnBoundedCollections) {
  if (!Installed("iverilog")) GTEST_SKIP() << "iverilog is not installed";
  std::string folder = Folder("bounded");
  std::string text =
      "in x: Events[Int]\nin y: Events[Int]\nin a: Events[Bool]\n"
      "def seen = Set.collectWithRemove(x, y)\nout seen\nout Set.size(seen) as n\nout Set.contains(seen, y) as has\n"
      "out Set.minus(Set.union(seen, Set.singleton(y)), Set.singleton(3)) as u\n"
      "out Set.intersection(seen, Set.add(Set.singleton(1), 2)) as i\nout seen == Set.singleton(2) as same\n"
      "def counts = Map.collectCount(x)\nout counts\nout Map.getOrElse(counts, y, -7) as c\n"
      "out Map.size(Map.remove(counts, 2)) as left\nout Map.add(Map.empty[Int, Bool], x, a) as flags\n"
      "out LTL.since(a, x > 2) as s\nout MITL.once0(4, a) as o\n"
      "def ticks: Events[Int] = default(last(ticks, tick) + 1, 0)\ndef tick = period(5)\nout ticks\n";
  std::string trace;
  for (int i = 0; i < 60; ++i) {
    int time = 3 * i + i % 2;
    if (i % 3 != 1) trace += fmt::format("{}: x = {}\n", time, i * 7 % 8);
    if (i % 4 != 2) trace += fmt::format("{}: y = {}\n", time, i * 5 % 8);
    if (i % 5 == 0) trace += fmt::format("{}: a = {}\n", time, i % 2 == 0 ? "true" : "false");
  }
  Emitted good = Emit(text, trace, "good", 8);
  Emitted beyond = Emit("in x: Events[Int]\nout Set.collect(x) as s\n", "1: x = 3\n2: x = 4\n", "beyond", 4);
  std::ofstream(folder + "/all.v") << good.text << beyond.text;
  RunTool("iverilog -g2005 -o " + folder + "/sim " + folder + "/all.v", folder + "/log");
  std::string output = RunTool("vvp -n " + folder + "/sim", folder + "/out");
  EXPECT_GT(good.expected.size(), 200U);
  EXPECT_EQ(LinesOf(output, "good"), good.expected);
  EXPECT_THAT(LinesOf(output, "beyond"),
              ::testing::ElementsAre("beyond|0: s = Set()", "beyond|1: s = Set(3)", "beyond|error"));
}

TEST(Verilog, VerilatorAgreesOnLockset) {
  if (!Installed("verilator")) GTEST_SKIP() << "verilator is not installed";
  std::string folder = Folder("verilator");
  Emitted lockset = Emit(LocksetText(), LocksetTrace(), "lockset");
  std::ofstream(folder + "/top.v") << lockset.text;
  RunTool(
      "cd " + folder +
          " && verilator --binary -j 2 --timing -Wno-fatal -Wno-WIDTH -CFLAGS -O0 --top-module tb_lockset -o sim top.v",
      folder + "/log");
  std::string output = RunTool(folder + "/obj_dir/sim", folder + "/out");
  EXPECT_EQ(LinesOf(output, "lockset"), lockset.expected);
}

TEST(Verilog, YosysSynthesisesLockset) {
  if (!Installed("yosys")) GTEST_SKIP() << "yosys is not installed";
  std::string folder = Folder("yosys");
  BuiltSpec built = Build(LocksetText());
  Symbols symbols;
  VerilogOptions options;
  options.int_width = 16;
  std::vector<Diagnostic> diagnostics;
  auto module = EmitVerilog(*built.program, options, symbols, diagnostics);
  ASSERT_TRUE(module);
  std::ofstream(folder + "/top.v") << module->text;
  std::string output =
      RunTool("yosys -p 'read_verilog " + folder + "/top.v; synth_ice40 -top monitor; stat'", folder + "/log");
  EXPECT_THAT(output, HasSubstr("SB_LUT4"));
  EXPECT_THAT(output, HasSubstr("SB_DFF"));
}

void ExpectOutside(const std::string& text, const std::string& what) {
  BuiltSpec built = Build(text);
  ASSERT_TRUE(built.program) << built.errors;
  Symbols symbols;
  std::vector<Diagnostic> diagnostics;
  EXPECT_FALSE(EmitVerilog(*built.program, {}, symbols, diagnostics)) << text;
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_THAT(Render(*built.sources, diagnostics[0]), HasSubstr(what));
}

TEST(Verilog, NamesWhatIsOutsideTheFragment) {
  std::string x = "in x: Events[Int]\n";
  ExpectOutside(x + "def seen = Set.collect(x)\nout Set.size(seen) as n\n",
                "spec:2:12: error: `seen` cannot become hardware");
  ExpectOutside(x + "out intToFloat(x) as f\n", "carry Float");
  ExpectOutside(x + "out (x, x) as t\nout zip2(x, x) as z\n", "carry (Option[Int], Option[Int])");
  ExpectOutside(x + "in y: Events[Int]\nout x / y as q\n", "division or modulo");
  ExpectOutside(x + "out String.length(\"a$x\") as n\n", "cannot become hardware");
  ExpectOutside(x + "liftable def f(n: Int): Int = if n == 0 then 0 else f(n - 1)\nout f(x) as r\n",
                "a recursive function");
}

TEST(Verilog, NarrowIntegersRejectConstantsThatDoNotFit) {
  BuiltSpec built = Build("in x: Events[Int]\nout x + 1000 as y\n");
  Symbols symbols;
  VerilogOptions options;
  options.int_width = 8;
  std::vector<Diagnostic> diagnostics;
  EXPECT_FALSE(EmitVerilog(*built.program, options, symbols, diagnostics));
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_THAT(diagnostics[0].message, HasSubstr("1000 does not fit in 8 bits"));
}

}  // namespace
}  // namespace heddle::stream
