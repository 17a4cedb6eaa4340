// heddle litmus run: a test on this machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <sstream>

#include "analysis/target/process.h"
#include "base/duration.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/litmus.h"
#include "litmus/model/model.h"
#include "litmus/run/gpu_harness.h"
#include "litmus/sim/condition.h"
#include "litmus/sim/report.h"

namespace heddle::cli {
namespace {

struct LitmusRunSettings {
  std::vector<std::string> files;
  std::vector<std::string> include;
  std::string model;
  std::string json;
  std::string time = "0";
  std::string keep;
  long iterations = 100000;
  uint64_t seed = 1;
  LitmusBuild build;
  bool no_affinity = false;
};

struct Outcome {
  std::map<std::vector<int64_t>, uint64_t> counts;
  uint64_t positive = 0;
  uint64_t negative = 0;
};

class RunSession {
 public:
  RunSession(const LitmusRunSettings& settings, double seconds)
      : settings_(settings), seconds_(seconds), folder_(settings.keep), search_(LitmusSearch(settings.include, {})) {}

  int Run(const std::vector<std::string>& files) {
    if (folder_.path().empty()) return Fail("litmus run", MakeError(ErrorCode::kIo, "no folder for temporary files"));
    json_.BeginObject().Key("schema").String("heddle/litmus-run/1").Key("tests").BeginArray();
    for (const std::string& file : files) Note(One(file));
    json_.EndArray().EndObject();
    std::fflush(stdout);
    if (settings_.json == "-") fmt::print("{}\n", json_.text());
    if (!settings_.json.empty() && settings_.json != "-") {
      if (Status status = WriteFileAtomic(settings_.json, json_.text() + "\n"); !status)
        return Fail("litmus run", status.error());
    }
    return code_;
  }

 private:
  void Note(int code) {
    // The worst of all tests: a finding first, then what could not be done.
    static constexpr int kRank[] = {kExitClean, kExitEnvironment, kExitUndecided, kExitUsage, kExitFindings};
    auto rank = [](int c) { return std::find(std::begin(kRank), std::end(kRank), c) - std::begin(kRank); };
    if (rank(code) > rank(code_)) code_ = code;
  }

  int One(const std::string& file) {
    Result<litmus::Test> test = ReadLitmus(file);
    if (!test) return LitmusFail(test.error());
    std::string base = folder_.path() + "/test" + std::to_string(number_++);
    Result<LitmusProgram> program = BuildLitmus(*test, file, base, settings_.build);
    if (!program) {
      fmt::print(stderr, "heddle litmus run: {}: {}\n", file, program.error().message);
      return program.error().code == ErrorCode::kUnsupported ? kExitEnvironment : kExitUndecided;
    }
    if (!program->link.empty()) {
      Result<analysis::ChildEnd> linked = analysis::RunChild(program->link);
      if (!linked) return Fail("litmus run", linked.error());
      if (linked->code != 0) {
        fmt::print(stderr, "heddle litmus run: {}: the harness does not link\n", file);
        return kExitUndecided;
      }
    }
    if (program->emulated && !told_) {
      told_ = true;
      fmt::print(stderr, "heddle litmus run: {} runs under emulation ({}), which shows few weak outcomes\n", file,
                 program->runner[0]);
    }
    auto start = std::chrono::steady_clock::now();
    std::string command =
        fmt::format("exec {} '{}' {} {} {} > '{}.out'", program->runner.empty() ? "" : program->runner[0], base,
                    settings_.iterations, seconds_, settings_.seed, base);
    Result<analysis::ChildEnd> ran = analysis::RunChild({"/bin/sh", "-c", command});
    if (!ran) return Fail("litmus run", ran.error());
    if (ran->code == litmus::kNoDevice && !program->gpu.empty()) {
      fmt::print(stderr, "heddle litmus run: {}: the harness was compiled, but there is no device: it needs {}\n", file,
                 program->gpu);
      return kExitEnvironment;
    }
    if (ran->code != 0) {
      fmt::print(stderr, "heddle litmus run: {}: the harness ended with code {}\n", file, ran->code);
      return kExitUndecided;
    }
    double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    Result<std::string> output = ReadFile(base + ".out");
    if (!output) return Fail("litmus run", output.error());
    return Report(*test, Count(*test, *output), took);
  }

  static Outcome Count(const litmus::Test& test, const std::string& text) {
    Outcome outcome;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      uint64_t count = 0;
      words >> count;
      std::vector<int64_t> values;
      for (int64_t value = 0; words >> value;) values.push_back(value);
      values.resize(std::max(values.size(), test.observed.size()));
      outcome.counts[values] += count;
      bool holds = test.condition < 0 || litmus::EvaluateProp(test, test.condition, values);
      (holds ? outcome.positive : outcome.negative) += count;
    }
    return outcome;
  }

  int Report(const litmus::Test& test, const Outcome& outcome, double seconds) {
    bool ok = test.quantifier == litmus::Quantifier::kExists   ? outcome.positive > 0
              : test.quantifier == litmus::Quantifier::kForall ? outcome.negative == 0
                                                               : outcome.positive == 0;
    const char* kind = test.quantifier == litmus::Quantifier::kExists   ? "Allowed"
                       : test.quantifier == litmus::Quantifier::kForall ? "Required"
                                                                        : "Forbidden";
    fmt::print("Test {} {}\nHistogram ({} states)\n", test.name, kind, outcome.counts.size());
    litmus::SimState state;
    for (const auto& [values, count] : outcome.counts) {
      state.values = values;
      bool holds = test.condition < 0 || litmus::EvaluateProp(test, test.condition, values);
      fmt::print("{:<8}{}>{}\n", count, holds ? "*" : ":", litmus::ShowState(test, state));
    }
    fmt::print("{}\n\nWitnesses\nPositive: {}, Negative: {}\n", ok ? "Ok" : "No", outcome.positive, outcome.negative);
    if (test.condition >= 0) fmt::print("Condition {} is {}validated\n", test.condition_text, ok ? "" : "NOT ");
    const char* word = outcome.positive == 0 ? "Never" : outcome.negative == 0 ? "Always" : "Sometimes";
    fmt::print("Observation {} {} {} {}\nTime {} {:.2f}\n", test.name, word, outcome.positive, outcome.negative,
               test.name, seconds);
    json_.BeginObject().Key("name").String(test.name).Key("file").String(test.file).Key("states").BeginArray();
    for (const auto& [values, count] : outcome.counts) {
      state.values = values;
      json_.BeginObject().Key("state").String(litmus::ShowState(test, state)).Key("count").Uint(count).EndObject();
    }
    json_.EndArray().Key("positive").Uint(outcome.positive).Key("negative").Uint(outcome.negative);
    json_.Key("seconds").Double(seconds);
    int code = settings_.model.empty() ? kExitClean : Judge(test, outcome);
    json_.EndObject();
    fmt::print("\n");
    return code;
  }

  // A state that was seen and that the model forbids is a finding.
  int Judge(const litmus::Test& test, const Outcome& outcome) {
    if (!model_) {
      Result<std::unique_ptr<litmus::Model>> model = litmus::LoadModel(settings_.model, search_);
      if (!model) return LitmusFail(model.error());
      model_ = std::move(*model);
    }
    Result<litmus::SimResult> allowed = litmus::Simulate(test, model_->sources, model_->program, {});
    if (!allowed) return LitmusFail(allowed.error());
    if (!allowed->undecided.empty()) {
      fmt::print("Model {}: not decided: {}\n", settings_.model, allowed->undecided);
      return kExitUndecided;
    }
    std::set<std::vector<int64_t>> states;
    for (const litmus::SimState& state : allowed->states) states.insert(state.values);
    int code = kExitClean;
    litmus::SimState shown;
    json_.Key("forbidden").BeginArray();
    for (const auto& [values, count] : outcome.counts) {
      if (states.contains(values)) continue;
      shown.values = values;
      std::string text = litmus::ShowState(test, shown);
      fmt::print("error[memory-model]: seen {} times and forbidden by {}: {}\n", count, settings_.model, text);
      json_.String(text);
      code = kExitFindings;
    }
    json_.EndArray();
    size_t seen = 0;
    for (const auto& values : states) seen += outcome.counts.contains(values) ? 1 : 0;
    fmt::print("Model {}: {} of {} allowed states were seen{}\n", settings_.model, seen, states.size(),
               code == kExitClean ? ", and no other" : "");
    return code;
  }

  const LitmusRunSettings& settings_;
  double seconds_;
  WorkFolder folder_;
  litmus::CatSearch search_;
  std::unique_ptr<litmus::Model> model_;
  JsonWriter json_;
  int number_ = 0;
  bool told_ = false;
  int code_ = kExitClean;
};

}  // namespace

int LitmusRun(const Arguments& arguments) {
  LitmusRunSettings settings;
  CLI::App app(
      "Compiles a harness around each test and counts what this machine does. Before it runs, the accesses of the "
      "compiled\n"
      "program are compared with those of the test (see `heddle litmus optcheck`).\n\n"
      "  heddle litmus run SB.litmus                        100000 times\n"
      "  heddle litmus run --time 5s --model x86tso tests/  is anything seen that the model forbids?\n\n"
      "Tests of other processors run with a cross compiler and qemu-user; C tests with --target too. What is not seen "
      "may be\npossible all the same.\n"
      "Exit: 0, 1 a state was seen that the model forbids, 2 a test is wrong, 3 not decided, 5 it cannot run here.",
      "heddle litmus run");
  app.add_option("FILE", settings.files, "tests, folders of tests, or @FILE with their names")->required();
  app.add_option("--iterations", settings.iterations, "times that each test runs")->check(CLI::Range(1L, 10000000000L));
  app.add_option("--time", settings.time, "stop a test after this time");
  app.add_option("--model", settings.model, "say for each state seen whether this model allows it");
  app.add_option("-I,--include", settings.include, "where to look for models (may be repeated)");
  app.add_option("--json", settings.json, "write the results as JSON to this file (- is standard output)");
  app.add_option("--cc", settings.build.cc, "the C compiler");
  app.add_option("--target", settings.build.target, "the machine for C tests")
      ->check(CLI::IsMember({"x86_64", "aarch64", "riscv64", "ppc64le"}));
  app.add_option("--seed", settings.seed, "of the random delays");
  app.add_option("--stress", settings.build.harness.stress, "threads that disturb memory")->check(CLI::Range(0, 64));
  app.add_option("--stride", settings.build.harness.stride, "bytes between locations")->check(CLI::Range(4, 65536));
  app.add_flag("--no-affinity", settings.no_affinity, "let the system place the threads");
  app.add_option("--keep", settings.keep, "keep the harnesses in this folder");
  if (int code = Parse(app, arguments); code >= 0) return code;
  settings.build.harness.affinity = !settings.no_affinity;
  Result<double> seconds = ParseDuration(settings.time);
  if (!seconds) return Fail("litmus run", seconds.error());
  Result<std::vector<std::string>> files = LitmusFiles(settings.files);
  if (!files) return Fail("litmus run", files.error());
  return RunSession(settings, *seconds).Run(*files);
}

}  // namespace heddle::cli
