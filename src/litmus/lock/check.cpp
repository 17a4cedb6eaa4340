#include "litmus/lock/check.h"

#include "litmus/syntax/parse.h"

// The two tests are simulated. When one shows the forbidden value, or when the critical sections race, edits of the
// pair are tried: all sets of fences at the borders of its functions, smaller sets first and weaker fences first; and
// for C one or two stronger orders. The first set with which both tests hold is what is missing.
namespace heddle::litmus {
namespace {

class Checker {
 public:
  Checker(const std::string& file, const LockPair& pair, const Model& model, const LockOptions& options)
      : file_(file), pair_(pair), model_(model), options_(options) {
    sim_.seconds = options.seconds;
    sim_.limits.unroll = options.unroll;
  }

  Result<LockReport> Run(const Model& sequential) {
    if (Status status = Hold(sequential); !status) return status.error();
    LockReport report;
    for (int which = 0; which < 2; ++which) {
      Result<LockCase> found = Case(which, {});
      if (!found) return found.error();
      report.cases[static_cast<size_t>(which)] = std::move(*found);
      LockAnswer answer = report.cases[static_cast<size_t>(which)].answer;
      if (answer == LockAnswer::kBroken || report.answer == LockAnswer::kHolds) report.answer = answer;
    }
    if (report.answer != LockAnswer::kBroken) return report;
    report.fences = MissingFences();
    report.orders = MissingOrders();
    return report;
  }

 private:
  Status Hold(const Model& sequential) {
    Result<std::string> text = HoldTest(pair_);
    if (!text) return text.error();
    Result<Test> test = ParseLitmus(file_, *text);
    if (!test) return test.error();
    test->observed.clear();
    for (size_t i = 0; i < test->cells.size(); ++i) {
      test->observed.push_back({-1, static_cast<int>(i), test->cells[i].name});
    }
    for (size_t i = 0; !test->threads.empty() && i < test->threads[0].registers.size(); ++i) {
      test->observed.push_back({0, static_cast<int>(i), test->threads[0].registers[i]});
    }
    Result<SimResult> result = Simulate(*test, sequential.sources, sequential.program, sim_);
    if (!result) return result.error();
    if (result->states.size() != 1 || !result->undecided.empty()) {
      return MakeError(ErrorCode::kUnsupported, file_ + ": a thread alone cannot take the lock, or in several ways" +
                                                    (result->undecided.empty() ? "" : ": " + result->undecided));
    }
    held_ = HeldFrom(pair_, *test, result->states[0].values);
    return {};
  }

  Result<LockCase> Case(int which, const LockEdit& edit) {
    Result<std::string> text = DistilledTest(pair_, held_, which, edit, options_.same_group);
    if (!text) return text.error();
    Result<Test> test = ParseLitmus(file_, *text);
    if (!test) return test.error();
    Result<SimResult> result = Simulate(*test, model_.sources, model_.program, sim_);
    if (!result) return result.error();
    LockCase found{std::move(*text), std::move(*test), std::move(*result), LockAnswer::kHolds};
    if (found.result.positive > 0 || !found.result.undefined.empty()) {
      found.answer = LockAnswer::kBroken;
    } else if (!found.result.undecided.empty()) {
      found.answer = LockAnswer::kUndecided;
    }
    return found;
  }

  bool Mends(const LockEdit& edit) {
    for (int which = 0; which < 2; ++which) {
      Result<LockCase> found = Case(which, edit);
      if (!found || found->answer != LockAnswer::kHolds) return false;
    }
    return true;
  }

  std::vector<std::string> MissingFences() {
    size_t slots = pair_.fences.size();
    size_t strongest = 0;
    for (const FenceSlot& slot : pair_.fences) strongest = std::max(strongest, slot.fences.size());
    for (size_t count = 1; count <= slots; ++count) {
      for (size_t strength = 1; strength <= strongest; ++strength) {
        for (size_t set = 1; set < (size_t{1} << slots); ++set) {
          if (static_cast<size_t>(__builtin_popcountll(set)) != count) continue;
          LockEdit edit;
          edit.fences.resize(slots);
          std::vector<std::string> words;
          for (size_t i = 0; i < slots; ++i) {
            if ((set >> i & 1) == 0) continue;
            edit.fences[i] = std::min(strength, pair_.fences[i].fences.size());
            words.push_back("`" + pair_.fences[i].fences[edit.fences[i] - 1] + "` " + pair_.fences[i].where);
          }
          if (Mends(edit)) return words;
        }
      }
    }
    return {};
  }

  struct Choice {
    size_t slot;
    size_t order;
  };

  std::string OrderWords(const Choice& choice) const {
    const OrderSlot& slot = pair_.orders[choice.slot];
    return slot.orders[choice.order] + " instead of " + slot.was + " in " + slot.call + " (line " +
           std::to_string(slot.line) + ")";
  }

  std::vector<std::string> MissingOrders() {
    std::vector<Choice> choices;
    for (size_t i = 0; i < pair_.orders.size(); ++i) {
      for (size_t k = 0; k < pair_.orders[i].orders.size(); ++k) choices.push_back({i, k});
    }
    auto edit = [&](std::initializer_list<Choice> chosen) {
      LockEdit result;
      result.orders.resize(pair_.orders.size());
      for (const Choice& choice : chosen) result.orders[choice.slot] = choice.order + 1;
      return result;
    };
    for (const Choice& choice : choices) {
      if (Mends(edit({choice}))) return {OrderWords(choice)};
    }
    for (size_t a = 0; a < choices.size(); ++a) {
      for (size_t b = a + 1; b < choices.size(); ++b) {
        if (choices[a].slot == choices[b].slot) continue;
        if (Mends(edit({choices[a], choices[b]}))) return {OrderWords(choices[a]), OrderWords(choices[b])};
      }
    }
    return {};
  }

  const std::string& file_;
  const LockPair& pair_;
  const Model& model_;
  const LockOptions& options_;
  SimOptions sim_;
  HeldState held_;
};

}  // namespace

Result<LockReport> CheckLock(const std::string& file, const LockPair& pair, const Model& model, const Model& sequential,
                             const LockOptions& options) {
  return Checker(file, pair, model, options).Run(sequential);
}

}  // namespace heddle::litmus
