#include "predict/predicted_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "predict/event_names.h"
#include "predict/race_findings.h"
#include "predict/witness_order.h"

namespace heddle::predict {
namespace {

using findings::Finding;
using findings::FindingStatus;
using findings::Step;
using symbolize::TraceNames;
using trace::Kind;

constexpr size_t kRows = 40;  // of which the text shows the last

Step StepAt(const TraceModel& model, Place place, TraceNames& names) {
  const SyncEvent& event = model.At(place);
  const Origin& origin = model.origins[event.order];
  Step step;
  step.thread = names.ThreadId(place.thread);
  step.what = std::string(trace::KindName(event.kind));
  bool object = origin.address != 0 && event.kind != Kind::ThreadBegin;
  step.operand = object ? names.LockName(origin.address) : "";
  step.stack = StackAt(origin.pc, origin.stack, names);
  step.code = object ? fmt::format("{}({})", step.what, step.operand) : step.what;
  step.recorded = RecordedAt(model, place, false);
  return step;
}

std::vector<std::string> HeldAt(const TraceModel& model, Place place, TraceNames& names) {
  std::vector<std::string> locks;
  for (uint32_t i = 0; i < place.position; ++i) {
    const SyncEvent& event = model.threads[place.thread][i];
    bool held = Takes(event.act) && event.mate >= place.position;  // or never let go
    if (held) locks.push_back(names.LockName(model.lock_address[event.object]));
  }
  return locks;
}

void AddThread(Finding& finding, uint32_t thread, TraceNames& names) {
  std::string id = names.ThreadId(thread);
  for (const findings::ThreadInfo& known : finding.threads) {
    if (known.id == id) return;
  }
  findings::ThreadInfo info;
  info.id = id;
  info.name = names.ThreadName(thread);
  finding.threads.push_back(std::move(info));
}

struct Rows {
  uint32_t next = 1;          // number of the row behind them
  uint32_t first_step = 0;    // place of the first one in Finding::steps
  std::vector<Place> places;  // of the rows
};

// The last rows before what the witness leads to, with the locks that are held and what is ordered.
Rows AddRows(Finding& finding, const TraceModel& model, const Witness& witness, const std::vector<bool>& threads,
             TraceNames& names) {
  Cut cut(model.threads.size());
  Rows rows;
  rows.first_step = static_cast<uint32_t>(finding.steps.size());
  for (uint32_t thread : witness) {
    if (threads[thread]) rows.places.push_back({thread, cut[thread]});
    ++cut[thread];
  }
  if (rows.places.size() > kRows) rows.places.erase(rows.places.begin(), rows.places.end() - kRows);
  for (const Place& place : rows.places) {
    Step step = StepAt(model, place, names);
    step.row = rows.next++;
    step.locks = HeldAt(model, place, names);
    AddThread(finding, place.thread, names);
    finding.steps.push_back(std::move(step));
  }
  for (PlaceOrder& order : WitnessOrder(model, rows.places)) {
    finding.order.push_back({rows.first_step + order.from, rows.first_step + order.to, std::move(order.why)});
  }
  return rows;
}

// Whether the thread holds the lock when it stands at the place.
bool HoldsAt(const TraceModel& model, Place place, uint32_t lock) {
  for (uint32_t i = 0; i < place.position; ++i) {
    const SyncEvent& event = model.threads[place.thread][i];
    if (Takes(event.act) && event.object == lock && event.mate >= place.position) return true;
  }
  return false;
}

// Each thread that stands before a lock waits for the one that holds it. `first`: the step of the first of them.
void AddWaits(const TraceModel& model, const std::vector<Place>& standing, uint32_t first, Finding& finding) {
  for (uint32_t from = 0; from < standing.size(); ++from) {
    const SyncEvent& wanted = model.At(standing[from]);
    if (!Takes(wanted.act)) continue;
    for (uint32_t to = 0; to < standing.size(); ++to) {
      if (to == from || !HoldsAt(model, standing[to], wanted.object)) continue;
      finding.order.push_back({first + from, first + to, std::string(findings::kWaits)});
    }
  }
}

// Puts each access of a pattern (the last steps of the finding) behind the operation that begins its part, where the
// witness has it; they keep their order. An operation that is not among the rows leaves all of them at the end.
void PlaceAccesses(const std::vector<Part>& parts, const Rows& rows, Finding& finding) {
  std::vector<size_t> behind;  // by part: how many rows come before
  for (const Part& part : parts) {
    auto found = std::find(rows.places.begin(), rows.places.end(), Place{part.place.thread, part.First()});
    if (found == rows.places.end()) return;
    behind.push_back(static_cast<size_t>(found - rows.places.begin()) + 1);
  }
  if (!std::is_sorted(behind.begin(), behind.end())) return;
  size_t first = finding.steps.size() - parts.size();
  for (size_t i = 0; i < rows.places.size(); ++i) {
    auto before = std::upper_bound(behind.begin(), behind.end(), i) - behind.begin();
    finding.steps[rows.first_step + i].row = static_cast<uint32_t>(i + 1 + static_cast<size_t>(before));
  }
  for (size_t i = 0; i < parts.size(); ++i) finding.steps[first + i].row = static_cast<uint32_t>(behind[i] + i + 1);
}

void SetStatus(Finding& finding, Engine engine) {
  if (engine == Engine::kSyncPreserving) {
    finding.status = FindingStatus::kProved;
    finding.status_note = "predicted with a witness";
    return;
  }
  finding.status = FindingStatus::kPossible;
  finding.status_note = "a reordering of the run";
}

// The threads that are stuck when the witness has been performed, with the position that each stands at.
std::vector<Place> Standing(const TraceModel& model, const PredictedDeadlock& deadlock) {
  if (!deadlock.target.empty()) return deadlock.target;
  Cut cut(model.threads.size());
  for (uint32_t thread : deadlock.witness) ++cut[thread];
  std::vector<Place> places;
  for (uint32_t thread = 0; thread < cut.size(); ++thread) {
    bool begun = cut[thread] > 0;
    if (begun && cut[thread] < model.threads[thread].size()) places.push_back({thread, cut[thread]});
  }
  return places;
}

}  // namespace

Finding FindingOf(const PredictedRace& race, const ModelledTrace& trace, TraceNames& names) {
  RacePair pair;
  pair.first = trace.log.sites()[race.site_a].point;
  pair.second = trace.log.sites()[race.site_b].point;
  const LoggedWord& word = trace.log.words()[race.word];
  for (AccessPoint* point : {&pair.first, &pair.second}) {
    if (point->address / 8 != word.address / 8) point->address = word.address;  // the site's first was elsewhere
  }
  if (word.block != kNone) pair.block = trace.log.blocks()[word.block];
  pair.count = 1;
  Finding finding = RaceFinding(pair, trace.locksets, names);
  SetStatus(finding, race.engine);
  std::vector<bool> threads(trace.model.threads.size());
  for (const Place& place : race.target) threads[place.thread] = true;
  Rows rows = AddRows(finding, trace.model, race.witness, threads, names);
  for (Step& step : finding.steps) {
    if (step.site == 0) continue;
    step.row = rows.next;
    for (const Place& place : race.target) {
      if (names.ThreadId(place.thread) == step.thread) step.recorded = RecordedAt(trace.model, place, true);
    }
  }
  return finding;
}

Finding FindingOf(const PredictedDeadlock& deadlock, const ModelledTrace& trace, TraceNames& names) {
  Finding finding;
  finding.kind = findings::Kind::kDeadlock;
  SetStatus(finding, deadlock.engine);
  std::vector<Place> standing = Standing(trace.model, deadlock);
  std::vector<bool> threads(trace.model.threads.size());
  for (const Place& place : standing) threads[place.thread] = true;
  uint32_t row = AddRows(finding, trace.model, deadlock.witness, threads, names).next;
  auto first = static_cast<uint32_t>(finding.steps.size());
  uint32_t site = 0;
  bool signal = false;
  for (const Place& place : standing) {
    Step step = StepAt(trace.model, place, names);
    signal = signal || trace.model.At(place).act == Act::kWake;
    step.site = ++site;
    step.row = row;
    step.locks = HeldAt(trace.model, place, names);
    AddThread(finding, place.thread, names);
    finding.steps.push_back(std::move(step));
  }
  AddWaits(trace.model, standing, first, finding);
  if (!deadlock.target.empty()) {
    finding.message = fmt::format("{} threads wait for each other's locks", standing.size());
    finding.help = "take these locks in the same order everywhere";
  } else if (signal) {
    finding.kind = findings::Kind::kLostSignal;
    finding.message = "a signal can come before the wait, which then never ends";
    finding.help = "wait in a loop that looks at the condition, with the mutex held around the change of it";
  } else {
    finding.message = fmt::format("{} threads can wait for ever", standing.size());
    finding.help = "make sure that every wait has its own post, arrival or end to come";
  }
  return finding;
}

Finding FindingOf(const PredictedPattern& found, const ModelledTrace& trace, TraceNames& names) {
  Finding finding;
  finding.kind = found.pattern == Pattern::kAtomicity ? findings::Kind::kAtomicity : findings::Kind::kOrder;
  SetStatus(finding, found.engine);
  uint64_t word = trace.log.words()[found.word].address;
  std::vector<AccessPoint> points;
  std::vector<bool> threads(trace.model.threads.size());
  for (uint32_t site : found.sites) {
    points.push_back(trace.log.sites()[site].point);
    if (points.back().address / 8 != word / 8) points.back().address = word;
    threads[points.back().thread] = true;
  }
  std::string variable = names.GlobalName(points[0].address, points[0].bytes);
  if (variable.empty()) variable = names.VariableName(points[0].address);
  std::string subject = variable.empty() ? "the same memory" : fmt::format("`{}`", variable);
  Rows rows = AddRows(finding, trace.model, found.witness, threads, names);
  for (uint32_t i = 0; i < points.size(); ++i) {
    Step step = AccessStep(i + 1, points[i], variable, trace.locksets, names);
    step.row = rows.next + i;
    step.recorded = RecordedAt(trace.model, found.parts[i].place, !found.parts[i].operation);
    if (trace.log.sites()[found.sites[i]].frees) step.what = "free";
    AddThread(finding, points[i].thread, names);
    finding.steps.push_back(std::move(step));
  }
  PlaceAccesses(found.parts, rows, finding);
  switch (found.pattern) {
    case Pattern::kAtomicity:
      finding.message = fmt::format("another thread's {} of {} comes into a part that is meant to be atomic",
                                    points[1].write ? "write" : "read", subject);
      finding.help = "hold one lock from the first access to the last, or use one atomic operation";
      break;
    case Pattern::kUseAfterFree:
      finding.message = "memory is used after another thread can have freed it";
      finding.help = "the lock orders the two one way or the other: wait for the last use before the free";
      break;
    case Pattern::kUseBeforeInit:
      finding.message = "memory is read before another thread can have set it";
      finding.help = "set it before other threads can reach it, or let them wait for it";
      break;
  }
  return finding;
}

// The last event is the one that the property does not allow, or the last before everybody is stuck.
Finding FindingOf(const AssertionOutcome& violated, Engine engine, const ModelledTrace& trace, TraceNames& names) {
  Finding finding;
  finding.kind = findings::Kind::kProperty;
  SetStatus(finding, engine);
  const csp::CheckResult& result = violated.result;
  finding.message = fmt::format("an order of this run violates `{}`", result.text);
  finding.why =
      fmt::format("{}:{}: {}", std::filesystem::path(result.file).filename().string(), result.line, result.explanation);
  EventNames events(trace.model, trace.strings);
  Cut cut(trace.model.threads.size());
  std::vector<Place> places;
  for (uint32_t thread : violated.witness) {
    Place place{thread, cut[thread]++};
    if (!events.Of(place).empty()) places.push_back(place);
  }
  size_t first = places.size() > kRows ? places.size() - kRows : 0;
  for (size_t i = first; i < places.size(); ++i) {
    Step step = StepAt(trace.model, places[i], names);
    step.code = events.Of(places[i]);
    step.row = static_cast<uint32_t>(i - first + 1);
    if (i + 1 == places.size()) step.site = 1;
    AddThread(finding, places[i].thread, names);
    finding.steps.push_back(std::move(step));
  }
  finding.help = "make the threads wait for each other where the property asks for an order";
  return finding;
}

}  // namespace heddle::predict
