#include "litmus/sim/simulate.h"

#include <algorithm>
#include <chrono>

#include "litmus/model/cat_eval.h"
#include "litmus/model/cat_lower.h"
#include "litmus/sim/barriers.h"
#include "litmus/sim/coherence.h"
#include "litmus/sim/condition.h"
#include "litmus/sim/parts.h"
#include "litmus/sim/way_choice.h"

// Choices from the outside in: a way through each thread (dropped at once when it reads a value that nothing can
// write), then a write for each read, then a coherence order for each location. The checks of the model run as soon as
// what they use is chosen; in large tests also between two reads, as far as they can be judged there
// (model/cat_lower.h). A model that demands coherence (acyclic po-loc | rf | fr | co) is not shown orders that
// break it: the four shapes of incoherence give the pairs that each order must contain.
//
// Complete means: every combination was looked at or cut off by a check that it fails.
namespace heddle::litmus {
namespace {

using Clock = std::chrono::steady_clock;

class ModelSearch {
 public:
  ModelSearch(const Test& test, const SourceMap& sources, const CatProgram& program, const SimOptions& options,
              const TraceSet& traces)
      : test_(test),
        sources_of_model_(sources),
        program_(program),
        options_(options),
        traces_(traces),
        eval_(sources, program),
        execution_(test) {
    partial_ = (test.arch == Arch::kPtx || test.arch == Arch::kVulkan) && !program.coherent;
    end_ = Clock::now() + std::chrono::microseconds(static_cast<int64_t>(options.seconds * 1e6));
  }

  Result<SimResult> Run() {
    FindWays();
    chosen_.resize(test_.threads.size());
    live_.resize(test_.threads.size());
    WayChoice(test_, ways_).ForEach([this](const auto& ways) { Take(ways); }, [this] { return Stop(); });
    if (eval_.error()) return *eval_.error();
    Summarise();
    return std::move(result_);
  }

 private:
  bool Stop() {
    if (eval_.error() || !result_.undecided.empty()) return true;
    if (options_.seconds > 0 && (++ticks_ & 255) == 0 && Clock::now() > end_) {
      result_.undecided = "cut after " + Seconds() + ": more executions were not looked at";
      return true;
    }
    return false;
  }

  std::string Seconds() const {
    std::string text = std::to_string(options_.seconds);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text + " s";
  }

  // ---- ways through the threads ----

  // Ways through the threads. Values are not known at level 0 when traces are taken together.
  void FindWays() {
    double combinations = 1;
    for (const auto& thread : traces_.threads) combinations *= static_cast<double>(thread.size());
    bool together = combinations >= options_.together_from && !LooksAtValues(program_);
    for (const auto& thread : traces_.threads) ways_.push_back(WaysOf(thread, together));
    // A drawing of what the condition would need is of an execution that is looked at to its end.
    if (!together || options_.witnesses) return;
    lower_program_ = LowerBound(program_);
    if (lower_program_) lower_.emplace(sources_of_model_, *lower_program_);
  }

  void Take(const std::vector<const Way*>& ways) {
    for (size_t t = 0; t < ways.size(); ++t) {
      live_[t] = ways[t]->traces;
      chosen_[t] = live_[t][0];
    }
    Chosen();
  }

  void Chosen() {
    execution_.Build(chosen_);
    if (execution_.events().size() > 4000) {
      result_.undecided = "an execution has more than 4000 events";
      return;
    }
    bool decided = std::all_of(live_.begin(), live_.end(), [](const auto& traces) { return traces.size() == 1; });
    if (test_.filter >= 0 && decided && !FilterMayHold()) return;
    barriers_.ForEach(execution_, [&] {
      eval_.Begin(0, execution_);
      if (eval_.Check(0)) {
        if (lower_) lower_->Begin(0, execution_);
        FindSources();
        ReadFrom(0);
      }
      return !Stop();
    });
  }

  // A filter over registers only is decided by the paths.
  bool FilterMayHold() {
    for (const Observed& observed : test_.observed) {
      if (observed.thread < 0) return true;
    }
    return EvaluateProp(test_, test_.filter, RegisterValues());
  }

  std::vector<int64_t> RegisterValues() const {
    std::vector<int64_t> values;
    for (const Observed& observed : test_.observed) {
      int64_t value = 0;
      if (observed.thread >= 0) {
        const auto& registers = chosen_[static_cast<size_t>(observed.thread)]->registers;
        value =
            static_cast<size_t>(observed.index) < registers.size() ? registers[static_cast<size_t>(observed.index)] : 0;
      }
      values.push_back(value);
    }
    return values;
  }

  // ---- reads-from ----

  // The traces of a read's thread that are still possible, and the read's place in them.
  std::vector<const Trace*>& LiveOf(int read) {
    return live_[static_cast<size_t>(execution_.events()[static_cast<size_t>(read)].thread)];
  }
  size_t PlaceOf(int read) const {
    auto thread = static_cast<size_t>(execution_.events()[static_cast<size_t>(read)].thread);
    return static_cast<size_t>(read - execution_.first_of(thread));
  }

  void FindSources() {
    reads_.clear();
    sources_.clear();
    const auto& events = execution_.events();
    for (size_t r = 0; r < events.size(); ++r) {
      if (!events[r].reads) continue;
      auto read = static_cast<int>(r);
      std::vector<int> writes;
      for (size_t w = 0; w < events.size(); ++w) {
        if (w == r || !events[w].writes || execution_.physical(static_cast<int>(w)) != execution_.physical(read))
          continue;
        if (!CanRead(read, events[w].written_value)) continue;
        if (program_.coherent && execution_.PoBefore(read, static_cast<int>(w))) continue;
        writes.push_back(static_cast<int>(w));
      }
      // `forall` mostly asks for what threads wrote; a counterexample is then found soon after the first state.
      if (test_.quantifier == Quantifier::kForall) std::reverse(writes.begin(), writes.end());
      reads_.push_back(read);
      sources_.push_back(std::move(writes));
    }
    left_.assign(reads_.size() + 1, 1);
    for (size_t i = reads_.size(); i > 0; --i) left_[i - 1] = left_[i] * static_cast<double>(sources_[i - 1].size());
  }

  bool CanRead(int read, int64_t value) {
    const auto& live = LiveOf(read);
    size_t place = PlaceOf(read);
    return std::any_of(live.begin(), live.end(), [&](const Trace* t) { return t->events[place].read_value == value; });
  }

  void ReadFrom(size_t index) {
    if (index == reads_.size()) {
      AllRead(0);
      return;
    }
    int read = reads_[index];
    std::vector<const Trace*>& live = LiveOf(read);
    for (int write : sources_[index]) {
      if (Stop()) break;
      std::vector<const Trace*> before;
      if (live.size() > 1) {
        before = live;
        int64_t value = execution_.events()[static_cast<size_t>(write)].written_value;
        size_t place = PlaceOf(read);
        std::erase_if(live, [&](const Trace* trace) { return trace->events[place].read_value != value; });
      }
      // With one trace left, FindSources may have offered what only a dropped one reads.
      if (!live.empty() && Fits(*live[0], read, write)) {
        execution_.SetReadFrom(read, write);
        if (!Hopeless(index)) ReadFrom(index + 1);
      }
      if (!before.empty()) live = std::move(before);
    }
    execution_.SetReadFrom(read, -1);
  }

  bool Fits(const Trace& trace, int read, int write) const {
    return trace.events[PlaceOf(read)].read_value == execution_.events()[static_cast<size_t>(write)].written_value;
  }

  // Whether the model forbids whatever the reads that are left read from.
  bool Hopeless(size_t index) {
    if (!lower_ || sources_[index].size() < 2 || left_[index + 1] < options_.ask_from) return false;
    execution_.StartCoherence();
    lower_->Begin(1, execution_);
    bool fails = !lower_->Check(1);
    // What stands for nothing may be of another kind than the model needs; then it cannot be asked.
    if (!lower_->error()) return fails;
    lower_.reset();
    return false;
  }

  // All reads have their writes: one trace of each thread has these values, save where the same values lead to
  // different registers.
  void AllRead(size_t thread) {
    if (thread < live_.size()) {
      for (const Trace* trace : live_[thread]) {
        chosen_[thread] = trace;
        AllRead(thread + 1);
      }
      return;
    }
    if (test_.filter >= 0 && !FilterMayHold()) return;
    eval_.Begin(1, execution_);
    if (eval_.Check(1)) Coherence();
  }

  // ---- coherence ----

  void Coherence() {
    if (program_.own_co >= 0) {
      std::fill_n(execution_.co(), execution_.shape().RelWords(), 0);
      Judge();
      return;
    }
    orders_.Begin(execution_, program_.coherent, partial_);
    if (orders_.impossible()) return;
    Order(0);
  }

  void Order(size_t location) {
    if (location == orders_.locations()) {
      Fences();
      return;
    }
    orders_.ForEach(location, [&] {
      if (Stop()) return false;
      Order(location + 1);
      return true;
    });
  }

  // PTX: an order between the fence.sc of each scope, when the model speaks of it.
  void Fences() {
    if (!program_.uses_sync_fence) {
      Judge();
      return;
    }
    std::vector<int> fences;
    for (size_t e = 0; e < execution_.events().size(); ++e) {
      const TagSet& tags = execution_.events()[e].tags;
      if (tags.test(TagOf("F")) && tags.test(TagOf("SC"))) fences.push_back(static_cast<int>(e));
    }
    Arena arena;
    const Word* scopes = execution_.Relation(Base::kSameScope, arena);
    do {
      if (Stop()) return;
      Shape shape = execution_.shape();
      std::fill_n(execution_.sync_fence(), shape.RelWords(), 0);
      for (size_t i = 0; i < fences.size(); ++i) {
        for (size_t j = i + 1; j < fences.size(); ++j) {
          if (Has(scopes, shape, fences[i], fences[j])) Put(execution_.sync_fence(), shape, fences[i], fences[j]);
        }
      }
      Judge();
    } while (std::next_permutation(fences.begin(), fences.end()));
  }

  void Judge() {
    ++result_.candidates;
    eval_.Begin(2, execution_);
    FailedCheck failed;
    bool want = options_.witnesses && !result_.forbidden && test_.condition >= 0;
    if (!eval_.Check(2, want ? &failed : nullptr)) {
      if (want) NoteForbidden(failed);
      return;
    }
    eval_.Finish([&](const std::set<std::string>& flags) {
      if (program_.own_co >= 0) TakeOwnCoherence();
      Record(flags);
    });
  }

  // A model that chooses coherence itself: its order decides the final values.
  void TakeOwnCoherence() {
    const Word* co = eval_.Chosen(program_.own_co);
    if (co != nullptr) std::copy_n(co, execution_.shape().RelWords(), execution_.co());
  }

  void NoteForbidden(const FailedCheck& failed) {
    bool holds = false;
    FinalStates(
        [&](const std::vector<int64_t>& values) { holds = holds || EvaluateProp(test_, test_.condition, values); });
    if (!holds) return;
    result_.forbidden = std::make_shared<Forbidden>(Forbidden{Keep(), failed.name, failed.cycle});
  }

  void Record(const std::set<std::string>& flags) {
    for (const Trace* trace : chosen_) {
      if (trace->faulted && result_.undecided.empty()) {
        result_.undecided = "an execution accesses something that is not a location";
      }
    }
    FinalStates([&](const std::vector<int64_t>& values) {
      if (test_.filter >= 0 && !EvaluateProp(test_, test_.filter, values)) return;
      SimState& state = states_[values];
      ++state.executions;
      if (options_.witnesses && !state.witness) state.witness = std::make_shared<Witness>(Keep());
      for (const std::string& flag : flags) {
        if (flag[0] == '!') {
          result_.undefined.insert(flag.substr(1));
        } else {
          result_.flags.insert(flag);
        }
      }
    });
  }

  // The values of what is observed. When coherence is partial, a location may end with any of its last writes.
  template <typename F>
  void FinalStates(F&& f) {
    std::vector<int64_t> values = RegisterValues();
    FillMemory(0, values, f);
  }

  template <typename F>
  void FillMemory(size_t index, std::vector<int64_t>& values, F& f) {
    while (index < test_.observed.size() && test_.observed[index].thread >= 0) ++index;
    if (index == test_.observed.size()) {
      f(values);
      return;
    }
    FillParts(index, 0, 0, values, f);
  }

  // The value of one observed location, part by part.
  template <typename F>
  void FillParts(size_t index, int part, uint64_t sum, std::vector<int64_t>& values, F& f) {
    const Observed& observed = test_.observed[index];
    if (part == observed.parts) {
      values[index] = static_cast<int64_t>(sum);
      FillMemory(index + 1, values, f);
      return;
    }
    const Cell& first = test_.cells[static_cast<size_t>(observed.index)];
    const Cell& here = test_.cells[static_cast<size_t>(observed.index) + static_cast<size_t>(part)];
    int cell = here.physical;
    Shape shape = execution_.shape();
    std::set<int64_t> seen;
    for (int e = 0; e < shape.events; ++e) {
      const Event& event = execution_.events()[static_cast<size_t>(e)];
      if (!event.writes || execution_.physical(e) != cell) continue;
      if (AnyBit(Row(execution_.co(), shape, e), shape.SetWords()) || Overwritten(e)) continue;
      if (!seen.insert(event.written_value).second) continue;
      int64_t bits = observed.parts == 1 ? event.written_value : Masked(event.written_value, here.size);
      auto shift = static_cast<uint64_t>(8 * (here.address - first.address));
      FillParts(index, part + 1, sum | static_cast<uint64_t>(bits) << shift, values, f);
    }
  }

  // Partial coherence need not order the writes of one thread; its own later write comes later all the same.
  bool Overwritten(int write) const {
    if (!partial_) return false;
    for (int later = write + 1; later < execution_.shape().events; ++later) {
      if (execution_.events()[static_cast<size_t>(later)].writes && execution_.PoBefore(write, later) &&
          execution_.events()[static_cast<size_t>(later)].cell == execution_.events()[static_cast<size_t>(write)].cell)
        return true;
    }
    return false;
  }

  Witness Keep() const {
    Witness witness;
    witness.events = execution_.events();
    Shape shape = execution_.shape();
    for (int e = 0; e < shape.events; ++e) {
      if (execution_.source(e) >= 0) witness.rf.emplace_back(execution_.source(e), e);
      const Word* row = Row(execution_.co(), shape, e);
      litmus::ForEach(row, shape, [&](int f) {
        bool direct = true;
        litmus::ForEach(row, shape, [&](int g) { direct = direct && !Has(execution_.co(), shape, g, f); });
        if (direct) witness.co.emplace_back(e, f);
      });
    }
    for (size_t t = 0; t < chosen_.size(); ++t) {
      int base = execution_.first_of(t);
      auto add = [&](std::vector<std::pair<int, int>>& out, const Trace::Pairs& pairs) {
        for (const auto& [a, b] : pairs) out.emplace_back(base + a, base + b);
      };
      add(witness.addr, chosen_[t]->addr);
      add(witness.data, chosen_[t]->data);
      add(witness.ctrl, chosen_[t]->ctrl);
      add(witness.rmw, chosen_[t]->rmw);
    }
    return witness;
  }

  void Summarise() {
    if (traces_.loops_cut && result_.undecided.empty()) {
      result_.undecided = "a loop was followed for " + std::to_string(options_.limits.unroll) + " rounds only";
    }
    for (auto& [values, state] : states_) {
      state.values = values;
      state.holds = test_.condition < 0 || EvaluateProp(test_, test_.condition, values);
      (state.holds ? result_.positive : result_.negative) += state.executions;
      result_.states.push_back(std::move(state));
    }
    switch (test_.quantifier) {
      case Quantifier::kExists:
        result_.ok = result_.positive > 0;
        break;
      case Quantifier::kNotExists:
        result_.ok = result_.positive == 0;
        break;
      case Quantifier::kForall:
        result_.ok = result_.negative == 0;
        break;
    }
  }

  const Test& test_;
  const SourceMap& sources_of_model_;
  const CatProgram& program_;
  const SimOptions& options_;
  const TraceSet& traces_;
  CatEval eval_;
  std::optional<CatProgram> lower_program_;
  std::optional<CatEval> lower_;
  Execution execution_;
  BarrierMeetings barriers_;
  CoherenceOrders orders_;
  bool partial_ = false;
  std::vector<std::vector<Way>> ways_;           // of each thread
  std::vector<std::vector<const Trace*>> live_;  // traces of the chosen ways with the values read so far
  std::vector<const Trace*> chosen_;
  std::vector<int> reads_;
  std::vector<std::vector<int>> sources_;
  std::vector<double> left_;  // combinations of the reads from this one on
  std::map<std::vector<int64_t>, SimState> states_;
  SimResult result_;
  uint64_t ticks_ = 0;
  Clock::time_point end_;
};

}  // namespace

Result<SimResult> Simulate(const Test& test, const SourceMap& sources, const CatProgram& program,
                           const SimOptions& options) {
  bool assembly = !IsGpu(test.arch) && test.arch != Arch::kC;
  auto divided = std::make_shared<Test>(test);
  Result<TraceSet> traces = EnumerateTraces(*divided, options.limits, assembly && program.uses_parts);
  if (!traces) return traces.error();
  Result<SimResult> result = ModelSearch(*divided, sources, program, options, *traces).Run();
  if (result && divided->cells.size() != test.cells.size()) result->divided = std::move(divided);
  return result;
}

}  // namespace heddle::litmus
