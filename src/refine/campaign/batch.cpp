#include "refine/campaign/batch.h"

#include <fmt/format.h>

#include <optional>

namespace heddle::refine {
namespace {

struct Built {
  std::unique_ptr<Image> image;
  std::unique_ptr<Tracer> tracer;
};

Result<Built> Build(const BuildSpec& spec, BuildKind kind, const std::string& source, const std::string& folder,
                    std::shared_ptr<const Layouts> layouts) {
  Result<Image> image = BuildImage(spec, kind, source, folder, std::move(layouts));
  if (!image) return image.error();
  Built built;
  built.image = std::make_unique<Image>(image.Take());
  Result<std::unique_ptr<Tracer>> tracer = Tracer::Make(*built.image);
  if (!tracer) return tracer.error();
  built.tracer = tracer.Take();
  return built;
}

// gcc and clang leave out different things at their lowest level already (gcc `s = s` of a structure). When the other
// way round the original is right, a difference between the two does not say who is wrong; each is still compared with
// its own lowest level.
bool DoesLess(const BuildSpec& original, const BuildSpec& transformed, const PairResult& result) {
  if (original.IsClang() == transformed.IsClang() || result.transformed.end != RunEnd::kEnded) return false;
  return CheckTraces(result.transformed, result.original, {.reads = false}).matches();
}

class Batch {
 public:
  Batch(const std::string& source, const std::vector<ThreadCase>& threads, const std::string& folder,
        const BatchOptions& options)
      : source_(source), threads_(threads), folder_(folder), options_(options) {}

  Result<BatchResult> Run();

 private:
  Status BuildAll();
  Status TestThread(const ThreadCase& thread, uint64_t environment);
  Status Compare(const ThreadCase& thread, size_t original, size_t transformed, const PairOptions& options,
                 const Trace& trace);
  // Why a violation says nothing about the compiler: the source's behaviour is undefined or unspecified. Empty: it
  // does.
  Result<std::string> Withdrawn(const ThreadCase& thread, size_t original, const PairOptions& options,
                                const Trace& trace);
  Result<bool> Undefined(const ThreadCase& thread, size_t original, const PairOptions& options, const Trace& trace);
  Status AddFailure(const ThreadCase& thread, size_t original, size_t transformed, PairOptions options,
                    PairResult without_lines);
  bool Known(const ThreadCase& thread, size_t original, size_t transformed) const;

  const std::string& source_;
  const std::vector<ThreadCase>& threads_;
  const std::string& folder_;
  const BatchOptions& options_;
  std::vector<Built> builds_;
  std::map<size_t, Built> sanitized_;  // by original
  std::vector<std::pair<size_t, size_t>> comparisons_;
  BatchResult out_;
};

Status Batch::BuildAll() {
  const ArchInfo* target = nullptr;
  std::shared_ptr<const Layouts> layouts;
  for (size_t i = 0; i < options_.specs.size(); ++i) {
    const BuildSpec& spec = options_.specs[i];
    if (spec.target != target) layouts.reset();
    target = spec.target;
    BuildKind kind = layouts == nullptr ? BuildKind::kReference : BuildKind::kOptimised;
    Result<Built> built = Build(spec, kind, source_, fmt::format("{}/{}", folder_, i), layouts);
    if (!built) return built.error();
    layouts = built->image->layouts;
    builds_.push_back(built.Take());
  }
  return {};
}

Result<bool> Batch::Undefined(const ThreadCase& thread, size_t original, const PairOptions& options,
                              const Trace& trace) {
  auto found = sanitized_.find(original);
  if (found == sanitized_.end()) {
    Result<Built> built = Build(options_.specs[original], BuildKind::kSanitized, source_,
                                fmt::format("{}/ub{}", folder_, original), builds_[original].image->layouts);
    if (!built) return built.error();
    found = sanitized_.emplace(original, built.Take()).first;
  }
  return Traps(*found->second.tracer, trace, thread.function, options);
}

Result<std::string> Batch::Withdrawn(const ThreadCase& thread, size_t original, const PairOptions& options,
                                     const Trace& trace) {
  Result<bool> undefined = Undefined(thread, original, options, trace);
  if (!undefined) return undefined.error();
  if (*undefined) return std::string("the source has undefined behaviour with this environment");
  Result<bool> compares = NeedsCompareValue(*builds_[original].tracer, trace, thread.function, options);
  if (!compares) return compares.error();
  if (*compares) return std::string("the source uses the value of memcmp, of which C defines the sign only");
  return std::string();
}

bool Batch::Known(const ThreadCase& thread, size_t original, size_t transformed) const {
  for (const Failure& failure : out_.failures) {
    if (failure.thread.function == thread.function && failure.original.Label() == options_.specs[original].Label() &&
        failure.transformed.Label() == options_.specs[transformed].Label()) {
      return true;
    }
  }
  return false;
}

Status Batch::AddFailure(const ThreadCase& thread, size_t original, size_t transformed, PairOptions options,
                         PairResult without_lines) {
  if (Known(thread, original, transformed)) return {};
  options.lines = true;
  Result<PairResult> again =
      TestPair(*builds_[original].tracer, *builds_[transformed].tracer, thread.function, options);
  if (!again) return again.error();
  PairResult shown = again->outcome == Outcome::kViolation ? again.Take() : std::move(without_lines);
  out_.failures.push_back(
      {thread, options_.specs[original], options_.specs[transformed], options.seed, std::move(shown)});
  return {};
}

Status Batch::Compare(const ThreadCase& thread, size_t original, size_t transformed, const PairOptions& options,
                      const Trace& trace) {
  Result<PairResult> result =
      TestPair(*builds_[original].tracer, *builds_[transformed].tracer, thread.function, options, &trace);
  if (!result) return result.error();
  ++out_.pairs;
  out_.events += result->events;
  out_.harmless_reads += result->harmless_reads;
  if (result->outcome == Outcome::kViolation &&
      DoesLess(options_.specs[original], options_.specs[transformed], *result)) {
    result->outcome = Outcome::kUndecided;
    result->reason = fmt::format("{} does less than {}: it may leave out what the source does",
                                 options_.specs[original].Label(), options_.specs[transformed].Label());
  }
  if (result->outcome == Outcome::kViolation) {
    Result<std::string> withdrawn = Withdrawn(thread, original, options, trace);
    if (!withdrawn) return withdrawn.error();
    if (!withdrawn->empty()) {
      result->outcome = Outcome::kUndecided;
      result->reason = withdrawn.Take();
    }
  }
  if (options_.outcome) {
    options_.outcome(thread, options_.specs[original], options_.specs[transformed], options.seed, *result);
  }
  if (result->outcome == Outcome::kViolation) {
    return AddFailure(thread, original, transformed, options, result.Take());
  }
  if (result->outcome == Outcome::kMatches) {
    ++out_.matched;
  } else {
    ++out_.undecided;
    ++out_.reasons[result->reason];
  }
  return {};
}

Status Batch::TestThread(const ThreadCase& thread, uint64_t environment) {
  PairOptions options;
  options.seed = environment;
  options.max_blocks = options_.max_blocks;
  options.prefix = thread.prefix;
  options.strict_reads = options_.strict_reads;
  std::map<size_t, Trace> originals;
  for (auto [original, transformed] : comparisons_) {
    auto found = originals.find(original);
    if (found == originals.end()) {
      TraceOptions trace;
      trace.seed = options.seed;
      trace.max_blocks = options.max_blocks;
      trace.prefix = options.prefix;
      Result<Trace> run = builds_[original].tracer->Run(thread.function, trace);
      if (!run) return run.error();
      found = originals.emplace(original, run.Take()).first;
    }
    if (Status done = Compare(thread, original, transformed, options, found->second); !done) return done;
  }
  return {};
}

Result<BatchResult> Batch::Run() {
  comparisons_ = Comparisons(options_.specs);
  if (Status built = BuildAll(); !built) return built.error();
  for (const ThreadCase& thread : threads_) {
    if (options_.stop && options_.stop()) {
      out_.stopped = true;
      break;
    }
    for (uint32_t i = 0; i < options_.environments; ++i) {
      Status tested = TestThread(thread, options_.environment_seed + i);
      if (!tested) return tested.error();
    }
    ++out_.threads;
  }
  return std::move(out_);
}

}  // namespace

void BatchResult::Add(const BatchResult& other) {
  threads += other.threads;
  pairs += other.pairs;
  matched += other.matched;
  undecided += other.undecided;
  harmless_reads += other.harmless_reads;
  events += other.events;
  stopped |= other.stopped;
  for (const auto& [reason, count] : other.reasons) reasons[reason] += count;
  failures.insert(failures.end(), other.failures.begin(), other.failures.end());
}

std::vector<std::pair<size_t, size_t>> Comparisons(const std::vector<BuildSpec>& specs) {
  std::vector<std::pair<size_t, size_t>> pairs;
  size_t target_first = 0;
  size_t compiler_first = 0;
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].target != specs[target_first].target) target_first = compiler_first = i;
    if (specs[i].compiler != specs[compiler_first].compiler) compiler_first = i;
    if (i != compiler_first) pairs.emplace_back(compiler_first, i);
    if (compiler_first != target_first) pairs.emplace_back(target_first, i);
  }
  return pairs;
}

Result<BatchResult> TestBatch(const std::string& source, const std::vector<ThreadCase>& threads,
                              const std::string& folder, const BatchOptions& options) {
  return Batch(source, threads, folder, options).Run();
}

}  // namespace heddle::refine
