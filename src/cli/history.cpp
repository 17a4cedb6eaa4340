// heddle history: when each finding came, when it was last seen, and whether it is gone.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "analysis/history/story.h"
#include "analysis/target/results_dir.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/keep_results.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "findings/width.h"

namespace heddle::cli {
namespace {

using analysis::FindingState;
using analysis::FindingStory;
using analysis::HistoryRun;

constexpr const char* kHistoryExamples =
    "Examples:\n"
    "  heddle history                 every finding: open, gone, fixed\n"
    "  heddle history F1              one of the last run\n"
    "  heddle history --runs          the runs, as heddle diff takes them\n"
    "open: the last run that could show it does. gone: later runs did not see it. fixed: a later run went through\n"
    "every execution of what showed it. Exit code 0, also when findings are open.";

std::string RunText(const HistoryRun& run) {
  std::string text = fmt::format("{}, {}", run.name, run.time.substr(0, 16));
  return run.revision.empty() ? text : text + ", " + run.revision;
}

std::string Runs(uint64_t count) { return fmt::format("{} run{}", count, count == 1 ? "" : "s"); }

std::string EndText(const FindingStory& story) {
  switch (story.state) {
    case FindingState::kFixed:
      return fmt::format("fixed since {}", RunText(*story.absent));
    case FindingState::kGone:
      return fmt::format("not seen in {} since, which did not go through every execution", Runs(story.looked));
    case FindingState::kOpen:
      break;
  }
  if (story.looked == 0) return {};
  return fmt::format("{} since did not see it, but not all that showed it was looked at", Runs(story.looked));
}

void PrintStory(const FindingStory& story, size_t width) {
  const analysis::HistorySighting& sighting = *story.sighting;
  std::string head = fmt::format("{:<6} {}[{}]: {}{}{}", analysis::StateName(story.state), sighting.id,
                                 findings::KindName(sighting.kind), sighting.message,
                                 sighting.places.empty() ? "" : "  ", sighting.places);
  std::vector<std::string> lines = {head + (sighting.active ? "" : "  (hidden)")};
  lines.push_back(fmt::format("       first {}", RunText(*story.first)));
  if (story.seen > 1) lines.push_back(fmt::format("       last  {}, in {}", RunText(*story.last), Runs(story.seen)));
  if (story.back != nullptr) lines.push_back(fmt::format("       came back in {}", story.back->name));
  if (std::string end = EndText(story); !end.empty()) lines.push_back("       " + end);
  for (const std::string& line : lines) fmt::print("{}\n", findings::CutTo(findings::Printable(line), width));
}

void PrintRun(const HistoryRun& run, size_t width) {
  std::string undecided = run.undecided.empty() ? "" : " · not decided: " + run.undecided;
  auto active = std::count_if(run.sightings.begin(), run.sightings.end(), [](const auto& s) { return s.active; });
  std::string line = fmt::format("{:<12} {}  {} · {} finding{}{}{}", run.name, run.time, run.program, active,
                                 active == 1 ? "" : "s", run.revision.empty() ? "" : " · " + run.revision, undecided);
  fmt::print("{}\n", findings::CutTo(findings::Printable(line), width));
}

void WriteRun(JsonWriter& json, std::string_view key, const HistoryRun& run) {
  json.Key(key).BeginObject().Key("name").String(run.name).Key("time").String(run.time);
  json.Key("revision").String(run.revision).Key("program").String(run.program).EndObject();
}

std::string HistoryJson(const std::vector<HistoryRun>& runs, const std::vector<FindingStory>& stories) {
  JsonWriter json;
  json.BeginObject().Key("schema").String("heddle/history/1").Key("runs").BeginArray();
  for (const HistoryRun& run : runs) {
    json.BeginObject().Key("name").String(run.name).Key("time").String(run.time).Key("revision").String(run.revision);
    json.Key("program").String(run.program).Key("undecided").String(run.undecided);
    json.Key("findings").Uint(run.sightings.size()).EndObject();
  }
  json.EndArray().Key("findings").BeginArray();
  for (const FindingStory& story : stories) {
    const analysis::HistorySighting& sighting = *story.sighting;
    json.BeginObject().Key("fingerprint").String(sighting.fingerprint).Key("id").String(sighting.id);
    json.Key("kind").String(findings::KindName(sighting.kind));
    json.Key("message").String(sighting.message).Key("places").String(sighting.places);
    json.Key("state").String(analysis::StateName(story.state)).Key("active").Bool(sighting.active);
    WriteRun(json, "first", *story.first);
    WriteRun(json, "last", *story.last);
    json.Key("seen").Uint(story.seen).Key("looked").Uint(story.looked);
    if (story.absent != nullptr) WriteRun(json, "absent", *story.absent);
    json.Key("shown").BeginArray();
    for (const std::string& subject : sighting.subjects) json.String(subject);
    json.EndArray().EndObject();
  }
  json.EndArray().EndObject();
  return json.Take();
}

// By fingerprint, or by the id that the last run gave it.
bool IsWanted(const FindingStory& story, const std::string& wanted, const HistoryRun& newest) {
  if (wanted.empty() || story.sighting->fingerprint.starts_with(wanted)) return true;
  return story.last == &newest && story.sighting->id == wanted;
}

int RunHistory(const Arguments& arguments) {
  CLI::App app("Says when each finding came, when it was last seen, and whether it is gone", "heddle history");
  std::string wanted;
  std::string root;
  std::string json_file;
  bool only_runs = false;
  app.add_option("FINDING", wanted, "a finding of the last run (F1), or the beginning of a fingerprint");
  app.add_option("-o", root, "results folder (default HEDDLE_DIR, else .heddle)")->type_name("DIR");
  app.add_flag("--runs", only_runs, "list the runs instead");
  app.add_option("--json", json_file, "write the history as JSON (schema heddle/history/1) to FILE, - for stdout")
      ->type_name("FILE");
  app.footer(kHistoryExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  root = analysis::ResultsRoot(root);
  Result<std::vector<HistoryRun>> runs = LoadHistory(root);
  if (!runs) return Fail("history", runs.error());
  std::vector<FindingStory> stories = analysis::Stories(*runs);
  std::erase_if(stories, [&](const FindingStory& story) { return !IsWanted(story, wanted, runs->back()); });
  if (stories.empty() && !wanted.empty()) {
    return Fail("history", MakeError(ErrorCode::kUsage, fmt::format("{}: no such finding in the history", wanted)));
  }
  if (json_file == "-") {
    fmt::print("{}", HistoryJson(*runs, stories));
    return kExitClean;
  }
  if (!json_file.empty()) {
    if (Status written = WriteFileAtomic(json_file, HistoryJson(*runs, stories)); !written) {
      return Fail("history", written.error());
    }
  }
  size_t width = ScreenWidth(stdout);
  if (only_runs) {
    for (const HistoryRun& run : *runs) PrintRun(run, width);
    return kExitClean;
  }
  size_t counts[3] = {};
  for (const FindingStory& story : stories) {
    ++counts[static_cast<size_t>(story.state)];
    PrintStory(story, width);
  }
  fmt::print("{} open, {} gone, {} fixed · {} in {}\n", counts[0], counts[1], counts[2], Runs(runs->size()), root);
  return kExitClean;
}

}  // namespace

extern const Verb kHistoryVerb;
const Verb kHistoryVerb{"history", "when each finding came, was last seen, and whether it is gone", RunHistory};

}  // namespace heddle::cli
