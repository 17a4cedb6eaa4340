// heddle litmus sim: which final states does a model allow?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <map>

#include "analysis/target/interrupt.h"
#include "base/duration.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/litmus.h"
#include "cli/report_output.h"
#include "cli/report_page.h"
#include "litmus/model/model.h"
#include "litmus/sim/draw.h"
#include "litmus/sim/report.h"

namespace heddle::cli {
namespace {

struct LitmusSimSettings {
  std::vector<std::string> files;
  std::string model;
  std::vector<std::string> include;
  std::vector<std::string> variants;
  std::string json;
  std::string dot;
  std::string html;
  std::string time = "10s";
  int unroll = 3;
  bool racy = false;
  bool quiet = false;
};

class SimSession {
 public:
  explicit SimSession(const LitmusSimSettings& settings)
      : settings_(settings), search_(LitmusSearch(settings.include, settings.variants)) {}

  int Run(const std::vector<std::string>& files) {
    Result<double> seconds = ParseDuration(settings_.time);
    if (!seconds) return Fail("litmus sim", seconds.error());
    options_.seconds = *seconds;
    options_.limits.unroll = settings_.unroll;
    options_.witnesses = !settings_.dot.empty() || !settings_.html.empty();
    // A model that cannot be read is told once, not for each test.
    if (!settings_.model.empty()) {
      if (Result<litmus::Model*> model = ModelNamed(settings_.model); !model) return LitmusFail(model.error());
    }
    json_.BeginObject().Key("schema").String("heddle/litmus/1").Key("tests").BeginArray();
    for (const std::string& file : files) One(file);
    json_.EndArray().EndObject();
    return Finish();
  }

 private:
  Result<litmus::Model*> ModelFor(const litmus::Test& test) {
    return ModelNamed(settings_.model.empty() ? std::string(litmus::DefaultModel(test.arch)) : settings_.model);
  }

  Result<litmus::Model*> ModelNamed(const std::string& name) {
    auto found = models_.find(name);
    if (found == models_.end()) {
      Result<std::unique_ptr<litmus::Model>> model = litmus::LoadModel(name, search_);
      if (!model) return model.error();
      found = models_.emplace(name, std::move(*model)).first;
    }
    return found->second.get();
  }

  void Note(int code) {
    if (code == kExitUsage || (code == kExitUndecided && code_ != kExitUsage)) code_ = code;
  }

  void One(const std::string& file) {
    auto start = std::chrono::steady_clock::now();
    Result<litmus::Test> test = ReadLitmus(file);
    if (!test) return Note(LitmusFail(test.error()));
    Result<litmus::Model*> model = ModelFor(*test);
    if (!model) return Note(LitmusFail(model.error()));
    Result<litmus::SimResult> result = litmus::Simulate(*test, (*model)->sources, (*model)->program, options_);
    if (!result) {
      if (result.error().code == ErrorCode::kLimit) {
        fmt::print(stderr, "heddle litmus sim: {}: not decided: {}\n", file, result.error().message);
        return Note(kExitUndecided);
      }
      return Note(LitmusFail(result.error()));
    }
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!settings_.quiet) fmt::print("{}", litmus::TextReport(*test, (*model)->name, *result, settings_.racy));
    litmus::JsonReport(json_, *test, (*model)->name, *result, seconds);
    if (options_.witnesses) {
      const litmus::Test& drawn = result->divided ? *result->divided : *test;
      std::vector<litmus::Drawing> drawings = litmus::DrawingsOf(drawn, (*model)->name, *result);
      dot_ += litmus::DotText(drawn, drawings);
      if (ReportPage().empty()) html_ += litmus::HtmlBody(drawn, drawings);
      for (const litmus::Drawing& drawing : drawings) {
        page_.views.findings.push_back(litmus::ViewOf(drawn, drawing));
        page_.labels.push_back({"execution", drawing.note.empty() ? "allowed" : "forbidden"});
      }
      report_.coverage.executions += result->candidates;
      ++tests_;
    }
    if (!result->undecided.empty()) Note(kExitUndecided);
  }

  int Finish() {
    std::fflush(stdout);
    if (settings_.json == "-") {
      fmt::print("{}\n", json_.text());
    } else if (!settings_.json.empty()) {
      if (Status status = WriteFileAtomic(settings_.json, json_.text() + "\n"); !status) {
        return Fail("litmus sim", status.error());
      }
    }
    Write(settings_.dot, dot_);
    WriteHtml();
    return code_;
  }

  // A heddle without the report page draws a plain one.
  void WriteHtml() {
    if (settings_.html.empty()) return;
    if (ReportPage().empty()) return Write(settings_.html, litmus::HtmlPage(html_));
    size_t shown = page_.labels.size();
    page_.heading =
        fmt::format("{} execution{} of {} test{}", shown, shown == 1 ? "" : "s", tests_, tests_ == 1 ? "" : "s");
    report_.tool_version = HEDDLE_VERSION;
    report_.program = fmt::format("litmus {}", settings_.files[0]);
    if (code_ == kExitUndecided) report_.coverage.undecided = "some tests were not decided";
    if (Status status = WritePage(settings_.html, report_, false, page_); !status) {
      code_ = Fail("litmus sim", status.error());
    }
  }

  void Write(const std::string& path, const std::string& text) {
    if (path.empty()) return;
    if (Status status = WriteFileAtomic(path, text); !status) code_ = Fail("litmus sim", status.error());
  }

  const LitmusSimSettings& settings_;
  litmus::CatSearch search_;
  litmus::SimOptions options_;
  std::map<std::string, std::unique_ptr<litmus::Model>> models_;
  JsonWriter json_;
  int code_ = kExitClean;
  std::string dot_;
  std::string html_;
  findings::PageExtras page_;
  findings::Report report_;  // of the page
  size_t tests_ = 0;
};

}  // namespace

int LitmusSim(const Arguments& arguments) {
  LitmusSimSettings settings;
  CLI::App app(
      "Says which final states a memory model allows for litmus tests: a block for each test, in the form of herd.\n\n"
      "  heddle litmus sim SB.litmus                      the model of the test's language\n"
      "  heddle litmus sim --model rc11 tests/            all the tests of a folder\n"
      "  heddle litmus sim --model my.cat -I lib a.litmus a model of your own\n\n"
      "Models: sc, x86tso, aarch64, riscv, power, rc11, rc20, c11, ptx-rmo, ptx6, ptx7.5, vulkan, opencl; or "
      "FILE.cat.\n"
      "Exit: 0 all tests were decided, 2 a test or the model is wrong, 3 something was not decided.",
      "heddle litmus sim");
  app.add_option("FILE", settings.files, "tests, folders of tests, or @FILE with their names")->required();
  app.add_option("--model", settings.model, "the model: a name or a .cat file");
  app.add_option("-I,--include", settings.include, "where to look for models and included files (may be repeated)");
  app.add_option("--variant", settings.variants, "a word for which `if \"word\"` in the model holds");
  app.add_option("--json", settings.json, "write the results as JSON to this file (- is standard output)");
  app.add_option("--dot", settings.dot, "draw an execution for each state, for Graphviz");
  app.add_option("--html", settings.html, "draw an execution for each state, as a page");
  app.add_option("--time", settings.time, "for each test; 0 is no limit");
  app.add_option("--unroll", settings.unroll, "rounds of a loop that are followed")->check(CLI::Range(1, 100));
  app.add_flag("--racy", settings.racy, "judge the condition of an undefined (racy) test all the same");
  app.add_flag("--quiet", settings.quiet, "no text, for use with --json");
  if (int code = Parse(app, arguments); code >= 0) return code;
  Result<std::vector<std::string>> files = LitmusFiles(settings.files);
  if (!files) return Fail("litmus sim", files.error());
  return SimSession(settings).Run(*files);
}

}  // namespace heddle::cli
