// heddle csp FILE.csp: checks the assertions of a CSP_M script.
#include "csp/csp.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "analysis/target/share_dir.h"
#include "base/file.h"
#include "base/json.h"
#include "base/ranks.h"
#include "cli/csp_page.h"
#include "cli/csp_text.h"
#include "cli/verb.h"
#include "csp/peers.h"

namespace heddle::cli {
namespace {

std::atomic<bool> interrupted{false};

void OnInterrupt(int) {
  interrupted = true;
  signal(SIGINT, SIG_DFL);  // the second Ctrl-C stops at once
}

struct CspSettings {
  std::string file;
  std::string json;
  std::string html;
  std::string graph;
  std::string step;
  std::string format = "dot";
  std::vector<uint32_t> only;
  std::vector<std::string> include;
  CspShow show;
  int jobs = 1;
  double time = 0;
  double memory_mb = 0;
  std::string disk;
  csp::Peers* peers = nullptr;
  bool follows = false;  // another rank reports
  uint64_t states = 0;
};

std::vector<std::string> IncludePaths(const CspSettings& settings) {
  std::vector<std::string> paths = settings.include;
  for (std::string& path : analysis::CspIncludePaths()) paths.push_back(std::move(path));
  return paths;
}

const char* VerdictName(csp::Verdict verdict) {
  switch (verdict) {
    case csp::Verdict::kPassed:
      return "passed";
    case csp::Verdict::kFailed:
      return "failed";
    case csp::Verdict::kUndecided:
      return "undecided";
  }
  return "";
}

void WriteAssertion(JsonWriter& json, const csp::CheckResult& r) {
  json.BeginObject().Key("line").Uint(r.line).Key("file").String(r.file).Key("text").String(r.text);
  json.Key("result").String(VerdictName(r.verdict));
  if (!r.kind.empty()) json.Key("counterexample").String(r.kind);
  json.Key("trace").BeginArray();
  for (const std::string& event : r.trace) json.String(event);
  json.EndArray().Key("internal").BeginArray();
  for (const csp::InternalStep& step : r.steps) {
    json.BeginObject().Key("event").String(step.event).Key("label").String(step.label).Key("components").BeginArray();
    for (const auto& part : step.parts) {
      json.BeginObject().Key("name").String(part.component).Key("event").String(part.event).EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray();
  if (!r.explanation.empty()) json.Key("explanation").String(r.explanation);
  if (!r.reason.empty()) json.Key("reason").String(r.reason);
  if (!r.error.empty()) json.Key("error").String(r.error);
  json.Key("states").Uint(r.states).Key("transitions").Uint(r.transitions).Key("specNodes").Uint(r.spec_nodes);
  json.Key("bytes").Uint(r.bytes).Key("diskBytes").Uint(r.disk_bytes).Key("seconds").Double(r.seconds).EndObject();
}

int ExitFor(const std::vector<csp::Printed>& prints, const std::vector<csp::CheckResult>& results) {
  bool failed = false;
  bool undecided = false;
  for (const csp::Printed& p : prints) {
    if (p.failed) return kExitUsage;
    undecided |= p.stopped;
  }
  for (const csp::CheckResult& r : results) {
    if (!r.error.empty()) return kExitUsage;
    failed |= r.verdict == csp::Verdict::kFailed;
    undecided |= r.verdict == csp::Verdict::kUndecided;
  }
  return failed ? kExitFindings : undecided ? kExitUndecided : kExitClean;
}

Status WriteText(const std::string& path, const std::string& text) {
  if (path != "-") return WriteFileAtomic(path, text);
  std::fputs(text.c_str(), stdout);
  return {};
}

// Of the machine, from /proc/meminfo; a gigabyte when that cannot be read.
uint64_t AvailableMemory() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  uint64_t kilobytes = 0;
  while (file >> word) {
    if (word == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
  }
  return uint64_t{1} << 30;
}

int CheckScript(csp::Script& script, const CspSettings& settings) {
  csp::CheckOptions options;
  options.jobs = settings.jobs;
  options.max_seconds = settings.time;
  options.max_states = settings.states;
  options.max_bytes = static_cast<uint64_t>(settings.memory_mb * 1024 * 1024);
  options.cancel = &interrupted;
  options.disk = settings.disk;
  if (!options.disk.empty() && options.max_bytes == 0) options.max_bytes = AvailableMemory() / 4 * 3;
  options.peers = settings.peers;
  bool text = settings.json != "-" && !settings.follows;
  std::vector<csp::Printed> prints = script.Prints(options);
  if (text) PrintCspValues(prints, settings.show);
  std::vector<csp::CheckResult> results;
  std::vector<csp::AssertionInfo> all = script.Assertions();
  for (size_t i = 0; i < all.size(); ++i) {
    bool wanted = settings.only.empty();
    for (uint32_t line : settings.only) wanted |= line == all[i].line;
    if (!wanted) continue;
    results.push_back(script.Check(i, options));
    if (text) PrintCspResult(results.back(), settings.show);
    if (text) std::fflush(stdout);
  }
  if (results.empty() && !settings.only.empty()) {
    return Fail("csp", MakeError(ErrorCode::kUsage, fmt::format("no assertion begins on line {}", settings.only[0])));
  }
  if (settings.follows) return kExitClean;
  int exit_code = ExitFor(prints, results);
  if (!settings.json.empty()) {
    JsonWriter json;
    json.BeginObject().Key("schema").String("heddle/csp/1").Key("file").String(settings.file);
    json.Key("prints").BeginArray();
    for (const csp::Printed& p : prints) {
      json.BeginObject().Key("text").String(p.text).Key(p.failed || p.stopped ? "error" : "value").String(p.value);
      json.EndObject();
    }
    json.EndArray().Key("assertions").BeginArray();
    for (const csp::CheckResult& r : results) WriteAssertion(json, r);
    json.EndArray().Key("exit").Int(exit_code).EndObject();
    if (Status s = WriteText(settings.json, json.text() + "\n"); !s) return Fail("csp", s.error());
  }
  if (!settings.html.empty()) {
    if (Status s = WriteCspPage(settings.html, settings.file, results); !s) return Fail("csp", s.error());
  }
  size_t passed = 0;
  for (const csp::CheckResult& r : results) passed += r.verdict == csp::Verdict::kPassed;
  if (text) fmt::print("{}: {} passed\n", CspCount(results.size(), "assertion"), passed);
  return exit_code;
}

// Processes that mpirun started find each other through files beside the script, and check it together; the first one
// reports.
int CheckInRanks(csp::Script& script, CspSettings& settings, Rank rank) {
  constexpr double kSecondsToMeet = 60;
  if (settings.jobs != 1 || !settings.disk.empty()) {
    return Fail("csp", MakeError(ErrorCode::kUsage, "several ranks use one thread each, and no disk"));
  }
  std::string job = JobOfProcess();
  std::string prefix = settings.file + (job.empty() ? "" : "." + job) + ".rank";
  Result<std::unique_ptr<csp::Peers>> peers = csp::ConnectPeers(prefix, rank.number, rank.count, kSecondsToMeet);
  if (!peers) {
    Fail("csp", peers.error());
    return kExitUndecided;
  }
  settings.peers = peers->get();
  settings.follows = rank.number > 0;
  return CheckScript(script, settings);
}

std::string DotText(const csp::Graph& graph) {
  std::string out = "digraph lts {\n  node [shape=circle, label=\"\", width=0.2];\n  0 [shape=doublecircle];\n";
  for (size_t i = 0; i < graph.states.size(); ++i)
    out += fmt::format("  {} [tooltip={}];\n", i, JsonQuote(graph.states[i]));
  for (const auto& edge : graph.edges)
    out += fmt::format("  {} -> {} [label={}];\n", edge.from, edge.to, JsonQuote(edge.event));
  return out + "}\n";
}

std::string GraphJson(const csp::Graph& graph) {
  JsonWriter json;
  json.BeginObject().Key("complete").Bool(graph.complete).Key("states").BeginArray();
  for (const std::string& state : graph.states) json.String(state);
  json.EndArray().Key("edges").BeginArray();
  for (const auto& edge : graph.edges) {
    json.BeginObject().Key("from").Uint(edge.from).Key("to").Uint(edge.to).Key("event").String(edge.event).EndObject();
  }
  json.EndArray().EndObject();
  return json.text() + "\n";
}

int WriteGraph(csp::Script& script, const CspSettings& settings) {
  size_t limit = settings.states == 0 ? 10'000 : settings.states;
  Result<csp::Graph> graph = script.Explore(settings.graph, limit);
  if (!graph) return Fail("csp", graph.error());
  std::fputs((settings.format == "json" ? GraphJson(*graph) : DotText(*graph)).c_str(), stdout);
  if (graph->complete) return kExitClean;
  fmt::print(stderr, "heddle csp: only the first {} states are shown; --max-states shows more\n", limit);
  return kExitUndecided;
}

// Reads numbers from standard input until its end; `b` goes back, `q` ends.
int StepThrough(csp::Script& script, const CspSettings& settings) {
  Result<uint32_t> first = script.Begin(settings.step);
  if (!first) return Fail("csp", first.error());
  std::vector<std::pair<uint32_t, std::string>> path{{*first, ""}};
  std::string line;
  while (true) {
    Result<std::vector<csp::Script::Choice>> choices = script.Choices(path.back().first);
    if (!choices) return Fail("csp", choices.error());
    fmt::print("{}\n", script.Describe(path.back().first));
    for (size_t i = 0; i < choices->size(); ++i) {
      const auto& choice = (*choices)[i];
      fmt::print("  {:>3}  {}{}\n", i + 1, choice.event, choice.detail.empty() ? "" : "   (" + choice.detail + ")");
    }
    if (choices->empty()) fmt::print("  (nothing more is possible)\n");
    while (true) {
      fmt::print("{}", isatty(STDIN_FILENO) != 0 ? "number, b(ack), t(race), q(uit)> " : "");
      std::fflush(stdout);
      if (!std::getline(std::cin, line) || line == "q") return kExitClean;
      if (line == "t") {
        for (size_t i = 1; i < path.size(); ++i) fmt::print("  {}\n", path[i].second);
        continue;
      }
      if (line == "b" && path.size() > 1) {
        path.pop_back();
        break;
      }
      size_t choice = std::strtoul(line.c_str(), nullptr, 10);
      if (choice >= 1 && choice <= choices->size()) {
        path.emplace_back((*choices)[choice - 1].next, (*choices)[choice - 1].event);
        break;
      }
      fmt::print("  choose 1 to {}\n", choices->size());
    }
  }
}

int RunCsp(const Arguments& arguments) {
  CspSettings settings;
  CLI::App app(
      "Checks the assertions of a CSP_M script: refinement in the models T, F, FD, V, VD, R and RD,\n"
      "deadlock, divergence, determinism, traces. A failed assertion comes with a shortest counterexample.\n\n"
      "  heddle csp model.csp                     check everything\n"
      "  heddle csp --internal model.csp          show hidden events and who performed them\n"
      "  heddle csp --tree model.csp              show what each component did\n"
      "  heddle csp --html page.html model.csp    the same as a page\n"
      "  heddle csp --graph 'MUTEX(0)' model.csp  the transition system, for Graphviz\n"
      "  heddle csp --step PROGRAM model.csp      walk through a process\n\n"
      "Exit: 0 all passed, 1 some failed, 2 the script is wrong, 3 something not decided.",
      "heddle csp");
  app.add_option("FILE", settings.file, "the script")->required();
  app.add_option("--json", settings.json, "write the results as JSON to this file (- is standard output)");
  app.add_option("--html", settings.html,
                 "write the counterexamples as one HTML page to this file (- is standard output)")
      ->type_name("FILE");
  app.add_option("--only", settings.only, "check only the assertion on this line (may be repeated)");
  app.add_flag("--internal", settings.show.internal, "show counterexamples with hidden events and components");
  app.add_flag("--tree", settings.show.tree, "show counterexamples with what each component did");
  app.add_option("--graph", settings.graph, "print the transition system of this process");
  app.add_option("--graph-format", settings.format, "dot or json")->check(CLI::IsMember({"dot", "json"}));
  app.add_option("--step,--interactive", settings.step, "step through this process");
  app.add_option("--jobs", settings.jobs, "threads for a search")->check(CLI::Range(1, 256));
  app.add_option("--time", settings.time, "seconds for each assertion")->check(CLI::NonNegativeNumber);
  app.add_option("--memory", settings.memory_mb, "megabytes for states")->check(CLI::NonNegativeNumber);
  app.add_option("--disk", settings.disk, "a folder for the states that do not fit into --memory")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
  app.add_option("--max-states", settings.states, "states for each assertion, or for --graph");
  app.add_option("-I,--include", settings.include, "where to look for included files (may be repeated)");
  app.add_flag("--quiet", settings.show.quiet, "do not mention what passed");
  if (int code = Parse(app, arguments); code >= 0) return code;
  csp::LoadOptions load;
  load.include_paths = IncludePaths(settings);
  Result<std::unique_ptr<csp::Script>> script = csp::Script::FromFile(settings.file, load);
  if (!script) {
    // Messages about the script name its file and line themselves.
    if (script.error().code != ErrorCode::kBadInput) return Fail("csp", script.error());
    fmt::print(stderr, "{}\n", script.error().message);
    return kExitUsage;
  }
  signal(SIGINT, OnInterrupt);
  if (!settings.graph.empty()) return WriteGraph(**script, settings);
  if (!settings.step.empty()) return StepThrough(**script, settings);
  Rank rank = RankOfProcess();
  if (rank.count == 1) return CheckScript(**script, settings);
  return CheckInRanks(**script, settings, rank);
}

}  // namespace

extern const Verb kCspVerb;
const Verb kCspVerb{"csp", "check the assertions of a CSP_M script", RunCsp};

}  // namespace heddle::cli
