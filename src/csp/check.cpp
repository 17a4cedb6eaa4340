// Assertions: what each means as a search, and its result in words.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "csp/large_stack.h"
#include "csp/peers.h"
#include "csp/refine/search.h"
#include "csp/script_impl.h"

namespace heddle::csp {
namespace {

constexpr size_t kSpecLimit = 5'000'000;

bool HasDivergences(Model model) {
  return model == Model::kFailuresDivergences || model == Model::kRevivalsDivergences ||
         model == Model::kRefusalsDivergences;
}

// What the process occupies now, from /proc; 0 when that cannot be read.
size_t ResidentBytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long size = 0;
  unsigned long resident = 0;
  int read = std::fscanf(file, "%lu %lu", &size, &resident);
  std::fclose(file);
  return read == 2 ? resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

std::string TraceText(const std::vector<std::string>& trace) { return fmt::format("<{}>", fmt::join(trace, ", ")); }

}  // namespace

std::string Script::Impl::EventSetText(const std::vector<EventId>& events) const {
  std::string out = "{";
  size_t shown = 0;
  for (EventId event : events) {
    if (event == kTau) continue;
    if (shown == 12) return out + ", ...}";
    out += (shown++ == 0 ? "" : ", ") + evaluator->EventName(event);
  }
  return out + "}";
}

// The implementation with the options that change it.
Value Script::Impl::Implementation(const Assertion& assertion, const Expr* expr) {
  Value process = evaluator->EvalProcess(expr);
  if (assertion.tau_priority == nullptr) return process;
  Value low = evaluator->EvalClosed(assertion.tau_priority);
  Store& store = evaluator->store();
  return store.Make(Kind::kProcess, static_cast<int64_t>(ProcOp::kPriority), nullptr, {process, store.EmptySet(), low});
}

void Script::Impl::TakeSearch(const SearchResult& found, Spec* spec, CheckResult& result) {
  result.states = found.states;
  result.transitions = found.transitions;
  result.bytes = found.bytes;
  result.disk_bytes = found.disk_bytes;
  result.depth = found.depth;
  if (spec != nullptr) result.spec_nodes = spec->node_count();
  if (!found.complete) {
    result.verdict = Verdict::kUndecided;
    result.reason = fmt::format("{} was reached after {} states", found.stopped_by, found.states);
    if (found.stopped_by == "interrupted") result.reason = fmt::format("interrupted after {} states", found.states);
    return;
  }
  result.verdict = found.violation == Violation::kNone ? Verdict::kPassed : Verdict::kFailed;
  for (const PathStep& step : found.path) {
    InternalStep out;
    out.event = evaluator->EventName(step.event);
    out.label = out.event;
    for (const auto& [component, event] : step.parts) out.parts.push_back({component, evaluator->EventName(event)});
    bool same = !out.parts.empty() && std::all_of(out.parts.begin(), out.parts.end(), [&](const InternalStep::Part& p) {
      return p.event == out.parts[0].event;
    });
    if (same) out.label = out.parts[0].event;
    if (step.event != kTau) result.trace.push_back(out.event);
    result.steps.push_back(std::move(out));
  }
  Explain(found, spec, result);
}

void Script::Impl::Explain(const SearchResult& found, Spec* spec, CheckResult& result) {
  switch (found.violation) {
    case Violation::kNone:
      return;
    case Violation::kTrace: {
      result.kind = "trace";
      std::vector<std::string> before(result.trace.begin(), result.trace.end() - 1);
      result.explanation = fmt::format("after {} it performs {}, but only {} is allowed", TraceText(before),
                                       result.trace.back(), EventSetText(spec->Initials(found.node)));
      return;
    }
    case Violation::kFailure: {
      result.kind = "failure";
      bool ticks = std::find(found.offered.begin(), found.offered.end(), kTick) != found.offered.end();
      std::string offers = ticks ? "it may terminate and so refuse all events"
                                 : fmt::format("it may offer only {}", EventSetText(found.offered));
      std::vector<std::string> required;
      for (const auto& acceptance : spec->Acceptances(found.node)) {
        if (required.size() == 4) {
          required.push_back("...");
          break;
        }
        required.push_back(EventSetText(acceptance));
      }
      result.explanation =
          fmt::format("after {} {}; {}", TraceText(result.trace), offers,
                      required.empty() ? "no stable state is allowed there"
                                       : fmt::format("it must offer at least {}", fmt::join(required, " or ")));
      return;
    }
    case Violation::kDivergence:
      result.kind = "divergence";
      result.explanation =
          fmt::format("after {} it can go on for ever without a visible event", TraceText(result.trace));
      return;
    case Violation::kDeadlock:
      result.kind = "deadlock";
      result.explanation = fmt::format("after {} it can do nothing more", TraceText(result.trace));
      return;
  }
}

// With reduction first; a violation is then looked for again without it, which gives a shortest path, unless that is
// too much work.
SearchResult Script::Impl::ReducedSearch(Question question, const Limits& limits) {
  SearchResult reduced = Search(*system, question, limits);
  if (!question.reduce || question.peers != nullptr || !reduced.complete || reduced.violation == Violation::kNone)
    return reduced;
  question.reduce = false;
  Limits few = limits;
  uint64_t bound = std::max<uint64_t>(reduced.states * 10, 1'000'000);
  few.states = few.states == 0 ? bound : std::min(few.states, bound);
  SearchResult full = Search(*system, question, few);
  return full.complete && full.violation != Violation::kNone ? full : reduced;
}

void Script::Impl::CheckRefinement(const Assertion& assertion, const Limits& limits, int jobs, CheckResult& result) {
  Spec spec(*system, evaluator->EvalProcess(assertion.left), kSpecLimit);
  Question question;
  question.implementation = Implementation(assertion, assertion.right);
  question.spec = &spec;
  question.check_failures = assertion.model != Model::kTraces;
  question.check_divergence = HasDivergences(assertion.model);
  question.revivals = assertion.model == Model::kRevivals || assertion.model == Model::kRevivalsDivergences;
  question.refusals = assertion.model == Model::kRefusals || assertion.model == Model::kRefusalsDivergences;
  question.reduce = assertion.partial_order && !question.revivals && !question.refusals;
  question.jobs = question.refusals ? 1 : jobs;  // the specification grows as it is used
  question.use_grades = use_grades;
  question.peers = peers;
  TakeSearch(ReducedSearch(question, limits), &spec, result);
}

void Script::Impl::CheckProperty(const Assertion& assertion, const Limits& limits, int jobs, CheckResult& result) {
  Question question;
  question.implementation = Implementation(assertion, assertion.left);
  bool fd = HasDivergences(assertion.model);
  question.check_deadlock = assertion.property == Property::kDeadlockFree;
  question.check_divergence = assertion.property == Property::kDivergenceFree || fd;
  question.reduce = assertion.partial_order;
  question.jobs = jobs;
  question.use_grades = use_grades;
  question.peers = peers;
  TakeSearch(ReducedSearch(question, limits), nullptr, result);
}

// Deterministic: never an event that may both happen and be refused after the same trace, and (in FD) no divergence.
void Script::Impl::CheckDeterminism(const Assertion& assertion, const Limits& limits, CheckResult& result) {
  Spec spec(*system, Implementation(assertion, assertion.left), limits.states == 0 ? kSpecLimit : limits.states);
  std::vector<std::pair<uint32_t, EventId>> parent{{0, kTau}};
  std::vector<uint32_t> order{spec.root()};
  std::unordered_map<uint32_t, uint32_t> number{{spec.root(), 0}};
  auto trace_to = [&](uint32_t at) {
    std::vector<std::string> trace;
    for (; at != 0; at = parent[at].first) trace.push_back(evaluator->EventName(parent[at].second));
    std::reverse(trace.begin(), trace.end());
    return trace;
  };
  result.verdict = Verdict::kPassed;
  for (uint32_t at = 0; at < order.size() && result.verdict == Verdict::kPassed; ++at) {
    uint32_t node = order[at];
    std::vector<EventId> initials = spec.Initials(node);
    if (HasDivergences(assertion.model) && spec.Diverges(node)) {
      result.verdict = Verdict::kFailed;
      result.kind = "divergence";
      result.trace = trace_to(at);
      result.explanation =
          fmt::format("after {} it can go on for ever without a visible event", TraceText(result.trace));
      break;
    }
    for (const auto& acceptance : spec.Acceptances(node)) {
      auto refused = std::find_if(initials.begin(), initials.end(), [&](EventId e) {
        return !std::binary_search(acceptance.begin(), acceptance.end(), e);
      });
      if (refused == initials.end()) continue;
      result.verdict = Verdict::kFailed;
      result.kind = "nondeterminism";
      result.trace = trace_to(at);
      result.explanation = fmt::format("after {} it may perform {}, and may also refuse it", TraceText(result.trace),
                                       evaluator->EventName(*refused));
      break;
    }
    for (EventId event : initials) {
      uint32_t next = spec.After(node, event);
      if (!number.try_emplace(next, static_cast<uint32_t>(order.size())).second) continue;
      order.push_back(next);
      parent.emplace_back(at, event);
    }
  }
  result.states = spec.state_count();
  result.spec_nodes = spec.node_count();
}

void Script::Impl::CheckHasTrace(const Assertion& assertion, const Limits& limits, CheckResult& result) {
  Value wanted = evaluator->EvalClosed(assertion.right);
  Spec spec(*system, Implementation(assertion, assertion.left), limits.states == 0 ? kSpecLimit : limits.states);
  uint32_t node = spec.root();
  result.verdict = Verdict::kPassed;
  for (Value event : wanted->kids()) {
    EventId id = evaluator->EventOf(event, assertion.right->span);
    uint32_t next = spec.After(node, id);
    if (next == Spec::kNone) {
      result.verdict = Verdict::kFailed;
      result.kind = "no-trace";
      result.explanation = fmt::format("after {} it cannot perform {}; it can perform {}", TraceText(result.trace),
                                       evaluator->EventName(id), EventSetText(spec.Initials(node)));
      break;
    }
    result.trace.push_back(evaluator->EventName(id));
    node = next;
  }
  result.states = spec.state_count();
  result.spec_nodes = spec.node_count();
}

void Script::Impl::Decide(const Assertion& assertion, const CheckOptions& options, CheckResult& result) {
  Limits limits{options.max_states, options.max_bytes, options.max_seconds,
                options.cancel,     options.disk,      options.disk_after};
  switch (assertion.property) {
    case Property::kRefines:
      return CheckRefinement(assertion, limits, options.jobs, result);
    case Property::kDeadlockFree:
    case Property::kDivergenceFree:
      return CheckProperty(assertion, limits, options.jobs, result);
    case Property::kDeterministic:
      return CheckDeterminism(assertion, limits, result);
    case Property::kHasTrace:
      return CheckHasTrace(assertion, limits, result);
    case Property::kUnmodelled:
      result.verdict = Verdict::kUndecided;
      result.reason = fmt::format("`{}` is not decided by this checker", assertion.unmodelled);
      return;
  }
}

// From now on the evaluator stops with Stopped at a limit. Every stage before the search asks it now and then.
void Script::Impl::WatchLimits(const CheckOptions& options) {
  auto begin = std::chrono::steady_clock::now();
  size_t before = ResidentBytes();
  auto calls = std::make_shared<uint32_t>(0);
  evaluator->set_interrupt([=, cancel = options.cancel, seconds = options.max_seconds, bytes = options.max_bytes] {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) {
      AboutToThrow();
      throw Stopped{"interrupted"};
    }
    double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (seconds > 0 && elapsed > seconds) {
      AboutToThrow();
      throw Stopped{"the time limit was reached while evaluating the script"};
    }
    if (bytes != 0 && (++*calls & 0xF) == 0 && ResidentBytes() > before + bytes) {
      AboutToThrow();
      throw Stopped{"the limit on memory was reached while evaluating the script"};
    }
  });
}

CheckResult Script::Impl::Check(size_t index, const CheckOptions& options) {
  const Decl* decl = assertions[index];
  CheckResult result;
  result.line = sources.PositionOf(decl->span).line;
  result.file = sources.file(decl->span.file).name();
  result.text = OneLine(decl->span);
  auto begin = std::chrono::steady_clock::now();
  auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  WatchLimits(options);
  peers = options.peers;
  try {
    Decide(decl->assertion, options, result);
    if (decl->assertion.negated && result.verdict != Verdict::kUndecided) {
      result.verdict = result.verdict == Verdict::kPassed ? Verdict::kFailed : Verdict::kPassed;
    }
  } catch (const ScriptError& error) {
    result.verdict = Verdict::kUndecided;
    result.error = Render(sources, error.diagnostic);
    result.reason = "the script has an error";
  } catch (const Stopped& stopped) {
    result.verdict = Verdict::kUndecided;
    result.reason = fmt::format("{}: {} values and terms so far", stopped.reason, evaluator->store().size());
    if (peers != nullptr) peers->GiveUp(stopped.reason);
  } catch (const Spec::LimitReached&) {
    result.verdict = Verdict::kUndecided;
    result.reason = "the limit on states was reached while normalising the specification";
  } catch (const std::bad_alloc&) {
    result.verdict = Verdict::kUndecided;
    result.reason = "there is no more memory";
    if (peers != nullptr) peers->GiveUp(result.reason);
  } catch (const PeersLost& lost) {
    result.verdict = Verdict::kUndecided;
    result.reason = lost.reason;
  }
  result.seconds = elapsed();
  return result;
}

CheckResult Script::Check(size_t assertion, const CheckOptions& options) {
  CheckResult result;
  RunOnLargeStack([&] { result = impl_->Check(assertion, options); });
  return result;
}

std::vector<CheckResult> Script::CheckAll(const CheckOptions& options) {
  std::vector<CheckResult> out;
  RunOnLargeStack([&] {
    for (size_t i = 0; i < impl_->assertions.size(); ++i) out.push_back(impl_->Check(i, options));
  });
  return out;
}

}  // namespace heddle::csp
