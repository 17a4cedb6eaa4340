#include "analysis/explore/explored_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <numeric>
#include <string_view>

#include "analysis/target/controlled_run.h"
#include "analysis/target/run_files.h"
#include "base/file.h"
#include "explore/fewest_switches.h"
#include "sched/operation.h"

namespace heddle::analysis {
namespace {

using explore::End;
using findings::Finding;
using findings::Kind;

bool Counts(const Finding& finding, bool only_races) { return !only_races || finding.kind == Kind::kDataRace; }

// An equivalent order with the fewest switches. What C11 atomics read is noted by the order as it was; and a crash
// comes behind the last event, so nothing may follow that.
std::vector<size_t> OrderOf(const Performed& performed, const std::vector<wire::ExploredEvent>& events, bool exact) {
  std::vector<size_t> order(events.size());
  std::iota(order.begin(), order.end(), size_t{0});
  bool chosen = std::any_of(events.begin(), events.end(), wire::IsC11);
  if (chosen || exact || events.empty()) return order;
  // What was noted behind the crash comes before the step that leads to it, if it does not depend on that.
  if (performed.crash && *performed.crash > 0 && !performed.notes.empty()) {
    return explore::AsLateAsPossible(events, *performed.crash - 1);
  }
  std::vector<wire::ExploredEvent> bounded = events;
  if (performed.signal != 0) bounded.back().flags |= wire::kGlobal;
  return explore::FewestSwitches(bounded);
}

// Where threads stand for ever, in an order that does not depend on which thread is which.
std::string DeadlockKey(const explore::Execution& execution) {
  std::vector<uint64_t> places;
  for (const wire::ExploredEvent& event : execution.pending) places.push_back(event.pc);
  std::sort(places.begin(), places.end());
  std::string key = "deadlock";
  for (uint64_t place : places) key += fmt::format(" {:x}", place);
  return key;
}

// C11 atomics that did not read the store that was performed last, by step; the order is that of the execution then.
std::vector<std::string> StaleReads(const Performed& performed) {
  std::vector<std::string> notes;
  std::map<uint64_t, uint32_t> stores;
  for (const wire::ExploredEvent& event : performed.execution.events) {
    uint32_t& known = stores[event.object];
    bool stale = wire::Reads(event) && event.rank < known;
    notes.push_back(stale ? fmt::format(" reads store {} of {}", event.rank, known) : "");
    if (wire::IsC11(event) && event.own != 0) ++known;
  }
  return notes;
}

// How the operation ended if it did not succeed, as the comment of its step says at the end (ReadSchedule).
std::string FailureOf(std::string_view comment) {
  for (std::string_view end : {" (busy)", " (times out)", " (fails)"}) {
    if (comment.ends_with(end)) return std::string(end);
  }
  return "";
}

// The last steps of the schedule as rows, one column for each thread.
void AddWitness(const sched::Schedule& schedule, const std::vector<std::string>& stale, Finding& finding) {
  constexpr size_t kRows = 24;
  size_t first = schedule.runs.size() > kRows ? schedule.runs.size() - kRows : 0;
  uint32_t row = 0;
  size_t at = 0;  // in the execution
  for (size_t i = 0; i < first; ++i) at += schedule.runs[i].count;
  for (size_t i = first; i < schedule.runs.size(); ++i) {
    const sched::ScheduleRun& run = schedule.runs[i];
    const char* name = sched::OperationName(run.operation);
    findings::Step step;
    step.row = ++row;
    step.thread = schedule.threads[run.thread];
    step.what = name == nullptr ? "?" : name;
    step.code = run.count > 1 ? fmt::format("{} *{}", step.what, run.count) : step.what;
    for (uint64_t step_of_run = 0; step_of_run < run.count; ++step_of_run, ++at) {
      if (at < stale.size()) step.code += stale[at];
    }
    step.code += FailureOf(run.comment);
    std::string place = run.comment.substr(0, run.comment.find(' '));
    size_t colon = place.rfind(':');
    bool is_place = colon != std::string::npos && colon + 1 < place.size() &&
                    place.find_first_not_of("0123456789", colon + 1) == std::string::npos;
    if (is_place) {
      Frame frame;
      frame.file = place.substr(0, colon);
      frame.line = static_cast<uint32_t>(std::strtoul(place.c_str() + colon + 1, nullptr, 10));
      step.stack.push_back(std::move(frame));
    }
    finding.steps.push_back(std::move(step));
  }
}

// The program says so itself.
bool Failed(const Performed& performed) {
  return performed.code != 0 && performed.signal == 0 && performed.execution.end == End::kDone;
}

// Of the detector's first note.
Kind NoteKind(const Performed& performed) {
  wire::NoteKind kind = performed.notes.empty() ? wire::NoteKind::kRace : performed.notes[0].kind;
  if (kind == wire::NoteKind::kRace) return Kind::kDataRace;
  return kind == wire::NoteKind::kMisuse ? Kind::kMisuse : Kind::kDeadlock;
}

}  // namespace

std::vector<std::string> FindingKeys(const Performed& performed, bool only_races, bool slow_too) {
  std::vector<std::string> keys;
  const explore::Execution& execution = performed.execution;
  for (const wire::LinkNote& note : performed.notes) {
    if (note.kind != wire::NoteKind::kRace && only_races) continue;
    keys.push_back(
        fmt::format("note {} {} {:x} {:x}", static_cast<uint32_t>(note.kind), note.what, note.pc, note.other_pc));
  }
  if (only_races) return keys;
  if (execution.end == End::kDeadlock) keys.push_back(DeadlockKey(execution));
  if (Failed(performed) && performed.failed_tests.empty()) keys.push_back(fmt::format("exit {}", performed.code));
  if (Failed(performed)) {
    for (const std::string& test : performed.failed_tests) keys.push_back("test " + test);
  }
  if (performed.hangs && slow_too) keys.push_back(fmt::format("hang {}", execution.events.size()));
  if (performed.signal != 0) {
    size_t behind = performed.crash ? *performed.crash : execution.events.empty() ? 0 : execution.events.size() - 1;
    size_t last = behind == 0 ? 0 : behind - 1;
    uint64_t pc = execution.events.empty() ? 0 : execution.events[last].pc;
    // Two assertions may follow the same operation.
    keys.push_back(fmt::format("signal {} {:x} {}", performed.signal, pc, performed.assertion));
  }
  return keys;
}

Result<bool> ExploredFindings::Consider(const Performed& performed, const std::vector<std::string>& threads) {
  for (const wire::LinkNote& note : performed.notes) {
    if (note.kind == wire::NoteKind::kRace) racing_.insert({note.pc, note.other_pc});
  }
  bool fresh = false;
  for (std::string& key : FindingKeys(performed, options_.only_races, options_.slow_is_finding))
    fresh = seen_.insert(std::move(key)).second || fresh;
  if (!fresh) return false;
  Status confirmed = Confirm(performed, threads);
  if (!confirmed) return confirmed.error();
  return true;
}

sched::Schedule ExploredFindings::ScheduleOf(const Performed& performed, const std::vector<std::string>& threads,
                                             bool exact) const {
  sched::Schedule schedule;
  std::error_code failure;
  schedule.header.emplace_back("program", options_.command[0]);
  for (size_t i = 1; i < options_.command.size(); ++i) schedule.header.emplace_back("argument", options_.command[i]);
  schedule.header.emplace_back("folder", std::filesystem::current_path(failure).string());
  schedule.header.emplace_back("strategy", wire::WordOf(wire::Strategy::kExplore));
  schedule.header.emplace_back("seed", "1");
  schedule.header.emplace_back("visible", options_.visible.Text());
  schedule.header.emplace_back("carrier", wire::WordOf(wire::Carrier::kFiber));
  schedule.header.emplace_back("time", wire::WordOf(wire::TimeMode::kVirtual));
  if (options_.time == wire::TimeMode::kVirtual) schedule.header.emplace_back("outside", "none");
  if (options_.races) schedule.header.emplace_back("detect", "yes");
  if (options_.memory != wire::MemoryModel::kSc) schedule.header.emplace_back("memory", wire::WordOf(options_.memory));
  std::string choices;
  std::string reads;
  std::vector<wire::ExploredEvent> events = performed.execution.events;
  if (performed.crash && performed.notes.empty()) events.resize(*performed.crash);  // a replay does not go on behind it
  for (size_t i : OrderOf(performed, events, exact)) {
    const wire::ExploredEvent& event = events[i];
    if (event.operation == 0) continue;  // the end by a signal
    if (event.role == wire::Role::kChoice) choices += (choices.empty() ? "" : ",") + std::to_string(event.value);
    if (wire::IsC11(event)) reads += (reads.empty() ? "" : ",") + std::to_string(event.rank);
    schedule.Add(schedule.ThreadIndex(threads[event.thread]), event.operation, "");
  }
  if (!choices.empty()) schedule.header.emplace_back("choices", choices);
  if (!reads.empty()) schedule.header.emplace_back("reads", reads);
  return schedule;
}

Status ExploredFindings::Confirm(const Performed& performed, const std::vector<std::string>& threads) {
  ++schedules_;
  bool racy = std::any_of(performed.notes.begin(), performed.notes.end(),
                          [](const wire::LinkNote& note) { return note.kind == wire::NoteKind::kRace; });
  Result<bool> shown = Replay(performed, threads, false);
  if (shown && !*shown && racy) shown = Replay(performed, threads, true);
  if (!shown) return shown.error();
  if (!*shown) AddUnconfirmed(performed, options_.shown + fmt::format("/{}.schedule", schedules_));
  return {};
}

Result<bool> ExploredFindings::Replay(const Performed& performed, const std::vector<std::string>& threads, bool exact) {
  sched::Schedule schedule = ScheduleOf(performed, threads, exact);
  std::string name = fmt::format("/{}.schedule", schedules_);
  ControlledRun run;
  run.command = options_.command;
  run.folder = options_.folder;
  run.enforce = options_.folder + kEnforceName;
  run.options.strategy = wire::Strategy::kFixed;
  run.options.carrier = wire::Carrier::kFiber;
  run.options.time = wire::TimeMode::kVirtual;
  run.options.alone = options_.time == wire::TimeMode::kVirtual;
  run.options.visible = options_.visible;
  run.options.then = wire::Strategy::kRoundRobin;
  run.options.eager = true;
  run.options.detect = options_.races;
  run.quiet = true;
  constexpr double kShortest = 0.1;  // 0 would be no limit
  run.seconds = std::max(kShortest, options_.deadline.Left(options_.execution_seconds));
  run.read_until = options_.deadline;
  run.options.memory = options_.memory;
  AddChoices(schedule, run);
  Status written = WriteFileAtomic(run.enforce, sched::CompileSchedule(schedule));
  if (!written) return written.error();
  // What spins for ever would do so again. What only did not end in time is tried in a process of its own: there it may
  // find input that an execution before it has taken away.
  bool ends = !performed.spins;
  Result<ControlledEnd> end =
      ends ? options_.target->Control(run) : Result<ControlledEnd>(MakeError(ErrorCode::kLimit, "it does not end"));
  std::string shown = options_.shown + name;
  bool known = false;
  if (end) {
    findings::Report replayed = ReportOf(run, *end, shown);
    for (Finding& finding : replayed.findings) {
      if (!Counts(finding, options_.only_races)) continue;
      known = true;
      // A hang that something outside could have ended stays possible.
      if (finding.status != findings::FindingStatus::kPossible) {
        finding.status = findings::FindingStatus::kConfirmed;
        finding.status_note = "by replay";
      }
      finding.replay = fmt::format("heddle replay {} -- {}", shown, CommandText(options_.command));
      if (!findings::HasWitness(finding)) AddWitness(end->schedule, StaleReads(performed), finding);
      findings::AddFinding(report_, std::move(finding));
    }
    // The replay's own has the places in the program as comments.
    if (!end->control.divergence && !end->unread) {
      for (auto& [key, value] : end->schedule.header) {
        if (key == "strategy") value = "explore";
      }
      schedule = end->schedule;
    }
  }
  bool ended_alone = performed.hangs && end && !end->timed_out;
  Status kept = WriteFileAtomic(options_.folder + name, sched::PrintSchedule(schedule));
  if (!kept) return kept.error();
  return known || ended_alone;
}

// The replay did not show what the execution did. What the search or the detector saw stands by itself; how an
// execution ended is kept until it is known whether the executions before it can have caused it.
void ExploredFindings::AddUnconfirmed(const Performed& performed, const std::string& path) {
  Finding finding;
  finding.status = findings::FindingStatus::kPossible;
  finding.status_note =
      options_.deadline.Passed() ? "seen once, no time to replay it" : "seen once, a replay did not repeat it";
  finding.schedule = path;
  finding.replay = fmt::format("heddle replay {} -- {}", path, CommandText(options_.command));
  std::string what;
  if (performed.spins) {
    finding.kind = Kind::kLivelock;
    finding.status = findings::FindingStatus::kConfirmed;
    finding.status_note = "by the search";
    finding.message = "threads spin for ever on what no other thread will change";
  } else if (performed.execution.end == End::kDeadlock) {
    finding.kind = Kind::kDeadlock;
    finding.message = "no thread can go on";
    what = "came to a stop";
  } else if (performed.hangs) {
    finding.kind = Kind::kLivelock;
    finding.message = fmt::format("an execution did not end within {} s", options_.execution_seconds);
    what = "did not end in time";
  } else if (performed.signal != 0) {
    finding.kind = Kind::kCrash;
    what = fmt::format("was killed by SIG{}", sigabbrev_np(performed.signal));
    finding.message = "the program " + what;
  } else if (Failed(performed) && performed.notes.empty()) {
    finding.kind = Kind::kFailure;
    what = fmt::format("ended with exit code {}", performed.code);
    finding.message = "the program " + what;
  } else {
    finding.kind = NoteKind(performed);
    finding.message = "the detector found something in an explored execution";
  }
  if (what.empty()) {
    findings::AddFinding(report_, std::move(finding));
  } else {
    unrepeated_.push_back({std::move(finding), std::move(what)});
  }
}

std::string ExploredFindings::Settle(bool restored) {
  std::string what;
  for (Unrepeated& one : unrepeated_) {
    if (restored) findings::AddFinding(report_, std::move(one.finding));
    if (what.empty()) what = one.what;
  }
  size_t count = unrepeated_.size();
  unrepeated_.clear();
  if (count == 0) return "";
  return fmt::format("{} {}, which a replay in a new process did not: {}",
                     count == 1 ? "an execution" : fmt::format("{} executions ended badly, the first", count), what,
                     restored ? "they differ in something that heddle does not know"
                              : "it may have met what an earlier one left behind");
}

}  // namespace heddle::analysis
