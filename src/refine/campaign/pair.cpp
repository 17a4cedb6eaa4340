#include "refine/campaign/pair.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::refine {
namespace {

TraceOptions OptionsOf(const PairOptions& options) {
  TraceOptions out;
  out.seed = options.seed;
  out.max_blocks = options.max_blocks;
  out.prefix = options.prefix;
  out.lines = options.lines;
  return out;
}

PairResult Undecided(std::string reason) {
  PairResult result;
  result.outcome = Outcome::kUndecided;
  result.reason = std::move(reason);
  return result;
}

// Where a poke of an aligned trace is in a trace with its own places.
uint32_t PlaceIn(const Trace& to, const Trace& from, uint32_t place) {
  const Symbol* symbol = from.SymbolAt(place);
  for (const Symbol& own : to.symbols) {
    if (own.name == symbol->name) return own.base + place - symbol->base;
  }
  return ~0U;
}

// The original does nothing with the poked place up to the next lock, so its run stays the same.
Trace WithPoke(const Trace& trace, const Poke& poke) {
  Trace out = trace;
  uint32_t transition = 0;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    if (!trace.events[i].is_sync() || transition++ != poke.transition) continue;
    size_t at = i + 1;
    while (at < trace.events.size() && trace.events[at].kind() == EventKind::kEnvironment) ++at;
    out.events.insert(out.events.begin() + static_cast<long>(at),
                      Event::Make(EventKind::kEnvironment, poke.place, poke.size, poke.value, 0));
    break;
  }
  return out;
}

class PairTest {
 public:
  PairTest(Tracer& transformed, const std::string& thread, const PairOptions& options)
      : transformed_(transformed), thread_(thread), options_(options) {}

  Result<PairResult> Run(const Trace& original);

 private:
  Result<PairResult> Compare(const Trace& original, const Trace& transformed, Verdict& verdict);
  Result<PairResult> ExtraReads(const Trace& original, PairResult base, const Verdict& verdict, const Trace& aligned);
  Result<PairResult> TryPoke(const Trace& original, const Violation& read, const Trace& aligned, uint64_t value);

  Tracer& transformed_;
  const std::string& thread_;
  const PairOptions& options_;
};

PairResult WroteOutside(const Trace& original, const Trace& transformed) {
  PairResult result;
  result.outcome = Outcome::kViolation;
  result.violation.constraint = Constraint::kWriteRace;
  result.explanation.headline = transformed.reason;
  result.explanation.why = "what lies there may belong to another object, which another thread may be using";
  result.original = original;
  result.transformed = transformed;
  return result;
}

Result<PairResult> PairTest::Compare(const Trace& original, const Trace& transformed, Verdict& verdict) {
  if (transformed.end == RunEnd::kWroteOutside) return WroteOutside(original, transformed);
  // A thread that misuses a lock when compiled has other lock operations than the original, which the check shows.
  if (transformed.end != RunEnd::kEnded && transformed.end != RunEnd::kLockMisuse) {
    return Undecided(fmt::format("{}: {}", transformed.build, transformed.reason));
  }
  PairResult result;
  result.original = original;
  result.transformed = transformed;
  if (Status aligned = AlignTraces(result.original, result.transformed); !aligned) {
    return Undecided(aligned.error().message);
  }
  verdict = CheckTraces(result.original, result.transformed, {.reads = options_.strict_reads});
  result.events = original.events.size() + transformed.events.size();
  if (verdict.vacuous) return Undecided("the environment's writes race with the original");
  if (verdict.matches()) return result;
  if (std::string why = SaysNothing(result.original, verdict.violation); !why.empty()) return Undecided(why);
  result.outcome = Outcome::kViolation;
  result.violation = verdict.violation;
  result.explanation = Explain(result.original, result.transformed, verdict.violation);
  return result;
}

Result<PairResult> PairTest::TryPoke(const Trace& original, const Violation& read, const Trace& aligned,
                                     uint64_t value) {
  const Symbol* symbol = aligned.SymbolAt(read.place);
  const ByteInfo& byte = symbol->bytes[read.place - symbol->base];
  if (byte.content == ByteInfo::kBool) value %= 2;
  value = (value & byte.mask);
  TraceOptions options = OptionsOf(options_);
  options.environment_of = &original;
  Poke poke{read.transition, PlaceIn(original, aligned, read.place), 1, value};
  if (poke.place == ~0U) return Undecided("reads what is none of the thread's variables");
  options.pokes = {poke};
  Result<Trace> again = transformed_.Run(thread_, options);
  if (!again) return again.error();
  Verdict ignored;
  return Compare(WithPoke(original, poke), *again, ignored);
}

Result<PairResult> PairTest::ExtraReads(const Trace& original, PairResult base, const Verdict& verdict,
                                        const Trace& aligned) {
  for (const Violation& read : verdict.extra_reads) {
    const Symbol* symbol = aligned.SymbolAt(read.place);
    uint8_t content = symbol->bytes[read.place - symbol->base].content;
    // A pointer cannot be given another value; an early load of one is taken for harmless as well.
    bool can_poke = content != ByteInfo::kPointer && content < ByteInfo::kOther;
    uint8_t seen = 0;
    const Event& event = aligned.events[read.transformed_event];
    seen = static_cast<uint8_t>(event.value >> (8 * (read.place - event.place)));
    for (uint8_t change : {uint8_t{0xff}, uint8_t{0x01}}) {
      if (!can_poke) break;
      Result<PairResult> poked = TryPoke(original, read, aligned, static_cast<uint8_t>(seen ^ change));
      if (!poked || poked->outcome != Outcome::kViolation) continue;
      poked->violation = read;
      Explanation why = Explain(base.original, base.transformed, read);
      why.why += "; the value that it reads there changes what it writes";
      poked->explanation = why;
      poked->original = base.original;
      poked->transformed = base.transformed;
      return poked;
    }
    ++base.harmless_reads;
  }
  return base;
}

Result<PairResult> PairTest::Run(const Trace& original) {
  if (original.end != RunEnd::kEnded) return Undecided(fmt::format("{}: {}", original.build, original.reason));
  TraceOptions options = OptionsOf(options_);
  options.environment_of = &original;
  Result<Trace> transformed = transformed_.Run(thread_, options);
  if (!transformed) return transformed.error();
  Verdict verdict;
  Result<PairResult> result = Compare(original, *transformed, verdict);
  if (!result || result->outcome != Outcome::kMatches || verdict.extra_reads.empty()) return result;
  Trace aligned = result->transformed;
  return ExtraReads(original, result.Take(), verdict, aligned);
}

}  // namespace

Result<PairResult> TestPair(Tracer& original, Tracer& transformed, const std::string& thread,
                            const PairOptions& options, const Trace* original_trace) {
  Trace own;
  if (original_trace == nullptr) {
    Result<Trace> run = original.Run(thread, OptionsOf(options));
    if (!run) return run.error();
    own = run.Take();
    original_trace = &own;
  }
  return PairTest(transformed, thread, options).Run(*original_trace);
}

Result<bool> NeedsCompareValue(Tracer& original, const Trace& trace, const std::string& thread,
                               const PairOptions& options) {
  TraceOptions other = OptionsOf(options);
  other.environment_of = &trace;
  other.compare_scale = 77;
  Result<Trace> run = original.Run(thread, other);
  if (!run) return run.error();
  Trace first = trace;
  if (run->end != RunEnd::kEnded || !AlignTraces(first, *run)) return true;
  return !CheckTraces(first, *run).matches();
}

Result<bool> Traps(Tracer& sanitized, const Trace& original, const std::string& thread, const PairOptions& options) {
  TraceOptions trace_options = OptionsOf(options);
  trace_options.environment_of = &original;
  Result<Trace> run = sanitized.Run(thread, trace_options);
  if (!run) return run.error();
  return run->end == RunEnd::kTrap;
}

}  // namespace heddle::refine
