// heddle litmus lock: the stale-value and future-value tests of a lock, and the fence that it misses.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/duration.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/litmus.h"
#include "litmus/lock/check.h"
#include "litmus/sim/report.h"

namespace heddle::cli {
namespace {

using litmus::LockAnswer;

struct LitmusLockSettings {
  std::vector<std::string> files;
  std::vector<std::string> include;
  std::string model;
  std::string json;
  std::string out;
  std::string time = "10s";
  litmus::LockNames names;
  litmus::LockOptions options;
};

const char* Word(LockAnswer answer) {
  switch (answer) {
    case LockAnswer::kHolds:
      return "never";
    case LockAnswer::kBroken:
      return "possible";
    case LockAnswer::kUndecided:
      return "not decided";
  }
  return "";
}

class LockSession {
 public:
  explicit LockSession(const LitmusLockSettings& settings)
      : settings_(settings), search_(LitmusSearch(settings.include, {})) {}

  int Run() {
    json_.BeginObject().Key("schema").String("heddle/litmus-lock/1").Key("locks").BeginArray();
    for (const std::string& file : settings_.files) Note(One(file));
    json_.EndArray().EndObject();
    std::fflush(stdout);
    if (settings_.json == "-") fmt::print("{}\n", json_.text());
    if (!settings_.json.empty() && settings_.json != "-") {
      if (Status status = WriteFileAtomic(settings_.json, json_.text() + "\n"); !status) {
        return Fail("litmus lock", status.error());
      }
    }
    return code_;
  }

 private:
  void Note(int code) {
    static constexpr int kRank[] = {kExitClean, kExitUndecided, kExitUsage, kExitFindings};
    auto rank = [](int c) { return std::find(std::begin(kRank), std::end(kRank), c) - std::begin(kRank); };
    if (rank(code) > rank(code_)) code_ = code;
  }

  int One(const std::string& file) {
    Result<std::string> text = ReadFile(file);
    if (!text) return Fail("litmus lock", text.error());
    Result<litmus::LockPair> pair = litmus::ReadLockPair(file, *text, settings_.names);
    if (!pair) return LitmusFail(pair.error());
    std::string name = settings_.model.empty() ? std::string(litmus::DefaultModel(pair->arch)) : settings_.model;
    Result<std::unique_ptr<litmus::Model>> model = litmus::LoadModel(name, search_);
    if (!model) return LitmusFail(model.error());
    Result<std::unique_ptr<litmus::Model>> sequential = litmus::LoadModel("sc", search_);
    if (!sequential) return LitmusFail(sequential.error());
    Result<litmus::LockReport> report = litmus::CheckLock(file, *pair, **model, **sequential, settings_.options);
    if (!report) {
      if (report.error().code != ErrorCode::kLimit) return LitmusFail(report.error());
      fmt::print(stderr, "heddle litmus lock: {}: not decided: {}\n", file, report.error().message);
      return kExitUndecided;
    }
    if (int code = WriteTests(*pair, *report); code != kExitClean) return code;
    return Print(*pair, name, *report);
  }

  int WriteTests(const litmus::LockPair& pair, const litmus::LockReport& report) {
    if (settings_.out.empty()) return kExitClean;
    std::error_code error;
    std::filesystem::create_directories(settings_.out, error);
    for (int which = 0; which < 2; ++which) {
      std::string path = fmt::format("{}/{}-{}.litmus", settings_.out, pair.name, litmus::LockTestName(which));
      if (Status status = WriteFileAtomic(path, report.cases[static_cast<size_t>(which)].text); !status) {
        return Fail("litmus lock", status.error());
      }
    }
    return kExitClean;
  }

  static std::string Why(const litmus::LockCase& found, bool sequence, int which) {
    if (found.answer == LockAnswer::kUndecided) return found.result.undecided;
    if (found.answer == LockAnswer::kHolds) return "";
    if (found.result.positive == 0) return "the critical sections race, so that C gives the program no meaning";
    if (sequence)
      return which == 0 ? "the reader keeps an old value after a new one"
                        : "the reader keeps a new value after an old one";
    return which == 0 ? "thread 1 has the lock and does not see what thread 0 wrote before it unlocked"
                      : "thread 0 sees what thread 1 writes after it got the lock";
  }

  int Print(const litmus::LockPair& pair, const std::string& model, const litmus::LockReport& report) {
    json_.BeginObject().Key("name").String(pair.name).Key("model").String(model).Key("tests").BeginArray();
    fmt::print("{}: lock under {}\n", pair.name, model);
    for (int which = 0; which < 2; ++which) {
      const litmus::LockCase& found = report.cases[static_cast<size_t>(which)];
      std::string why = Why(found, pair.sequence, which);
      fmt::print("  {} value: {}{}{}\n", litmus::LockTestName(which), Word(found.answer), why.empty() ? "" : ": ", why);
      json_.BeginObject().Key("test").String(litmus::LockTestName(which)).Key("answer").String(Word(found.answer));
      json_.Key("observation").String(litmus::ObservationWord(found.result));
      json_.Key("text").String(found.text).EndObject();
    }
    json_.EndArray().Key("fences").BeginArray();
    for (const std::string& fence : report.fences) json_.String(fence);
    json_.EndArray().Key("orders").BeginArray();
    for (const std::string& order : report.orders) json_.String(order);
    json_.EndArray().EndObject();
    if (report.answer == LockAnswer::kUndecided) {
      fmt::print("{}: not decided\n", pair.name);
      return kExitUndecided;
    }
    if (report.answer == LockAnswer::kHolds) {
      fmt::print("{}: no stale and no future value: all executions of the two tests under {}\n", pair.name, model);
      return kExitClean;
    }
    PrintMissing(pair, report);
    return kExitFindings;
  }

  static void PrintMissing(const litmus::LockPair& pair, const litmus::LockReport& report) {
    auto list = [](const std::vector<std::string>& words) {
      std::string text;
      for (const std::string& word : words) text += (text.empty() ? "" : ", and ") + word;
      return text;
    };
    if (report.fences.empty() && report.orders.empty()) {
      fmt::print("error[memory-model]: {}: the lock is broken, and no fence or order of its own mends it\n", pair.name);
      return;
    }
    fmt::print("error[memory-model]: {}: missing: {}\n", pair.name,
               list(report.fences.empty() ? report.orders : report.fences));
    if (!report.fences.empty() && !report.orders.empty()) fmt::print("  or: {}\n", list(report.orders));
  }

  const LitmusLockSettings& settings_;
  litmus::CatSearch search_;
  JsonWriter json_;
  int code_ = kExitClean;
};

}  // namespace

int LitmusLock(const Arguments& arguments) {
  LitmusLockSettings settings;
  CLI::App app(
      "Distils a lock and its unlock into two litmus tests: can a critical section read a stale value, which the one\n"
      "before it has overwritten, or a future value, which the next one writes? Simulates them and names the fence "
      "that\n"
      "is missing.\n\n"
      "  heddle litmus lock ticket.c                        functions with lock and unlock in their names\n"
      "  heddle litmus lock --lock enter --unlock leave m.c\n"
      "  heddle litmus lock --model aarch64 spin.pair       a pair in an assembly language, see docs/litmus.md\n\n"
      "Exit: 0 no stale and no future value, 1 a fence is missing, 2 the file is wrong, 3 not decided.",
      "heddle litmus lock");
  app.add_option("FILE", settings.files, "C sources or pairs")->required();
  app.add_option("--model", settings.model, "the model: a name or a .cat file");
  app.add_option("-I,--include", settings.include, "where to look for models (may be repeated)");
  app.add_option("--lock", settings.names.lock, "the function that takes the lock");
  app.add_option("--unlock", settings.names.unlock, "the function that releases it");
  app.add_flag("--same-cta", settings.options.same_group, "GPU: both threads in one CTA");
  app.add_option("-o,--output", settings.out, "write the tests to this folder");
  app.add_option("--json", settings.json, "write the results as JSON to this file (- is standard output)");
  app.add_option("--time", settings.time, "for each simulation; 0 is no limit");
  app.add_option("--unroll", settings.options.unroll, "rounds of a loop that are followed")->check(CLI::Range(1, 100));
  if (int code = Parse(app, arguments); code >= 0) return code;
  Result<double> seconds = ParseDuration(settings.time);
  if (!seconds) return Fail("litmus lock", seconds.error());
  settings.options.seconds = *seconds;
  return LockSession(settings).Run();
}

}  // namespace heddle::cli
