#include "predict/csp_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "trace/event.h"

namespace heddle::predict {
namespace {

// One process of the parallel composition, with the events that it takes part in.
struct Component {
  std::string process;
  std::string alphabet;
};

std::string Op(Place place) { return fmt::format("op.{}.{}", place.thread, place.position); }

class Writer {
 public:
  Writer(const TraceModel& model, const Constraints& constraints) : model_(model), constraints_(constraints) {}

  std::string Write(const std::vector<Target>& targets) {
    Reorderings("PROGRAM", "OP_END");
    Line("channel meet");
    Line("assert PROGRAM :[deadlock free [F]]");
    for (size_t i = 0; i < targets.size(); ++i) Meeting(i, targets[i]);
    return std::move(text_);
  }

  // `then`: what comes after all threads are done.
  std::string Reorderings(std::string_view name, std::string_view then) {
    Header();
    Line("OP_END = done -> {}", then);
    Threads();
    Needs();
    Locks();
    Semaphores();
    Barriers();
    Compose(name);
    return text_;
  }

  // Only the order of the trace itself.
  std::string Run(std::string_view name, bool ends) {
    Header();
    for (size_t i = 0; i < model_.places.size(); ++i) Line("OP_C{} = {} -> OP_C{}", i, Op(model_.places[i]), i + 1);
    Line("OP_C{} = {}", model_.places.size(), ends ? "done -> STOP" : "STOP");
    Line("{} = OP_C0", name);
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  void Header() {
    size_t longest = 1;
    for (const auto& events : model_.threads) longest = std::max(longest, events.size());
    Line("-- The reorderings of a trace: op.t.p is operation p of thread t.");
    Line("channel op : {{0..{}}}.{{0..{}}}", model_.threads.size() - 1, longest - 1);
    Line("channel done");
  }

  void Threads() {
    for (uint32_t thread = 0; thread < model_.threads.size(); ++thread) {
      const std::vector<SyncEvent>& events = model_.threads[thread];
      std::string alphabet = "done";
      for (uint32_t i = 0; i < events.size(); ++i) {
        Line("OP_T{0}_{1} = op.{0}.{1} -> OP_T{0}_{2} -- {3}{4}", thread, i, i + 1, trace::KindName(events[i].kind),
             events[i].act == Act::kFree ? "" : fmt::format(" of {}", events[i].object));
        alphabet += ", " + Op({thread, i});
      }
      Line("OP_T{}_{} = OP_END", thread, events.size());
      components_.push_back({fmt::format("OP_T{}_0", thread), alphabet});
    }
  }

  void Needs() {
    for (const Place& place : model_.places) {
      for (const Need& need : model_.Must(model_.At(place))) After(need, place);
      if (!constraints_.KeepsData(place.thread, place.position)) continue;
      for (const Need& need : model_.Data(model_.At(place))) After(need, place);
    }
  }

  void After(Need need, Place place) {
    std::string first = Op({need.thread, need.count - 1});
    std::string name = fmt::format("OP_NEED{}", needs_++);
    Line("{} = {} -> {} -> STOP", name, first, Op(place));
    components_.push_back({name, first + ", " + Op(place)});
  }

  // Takes of a lock with the events that let go; shared ones count the readers.
  void Locks() {
    for (uint32_t lock = 0; lock < model_.locks; ++lock) {
      std::vector<std::string> alone;
      std::vector<std::string> enter;
      std::vector<std::string> leave;
      std::string alphabet;
      for (const Place& place : model_.places) {
        const SyncEvent& event = model_.At(place);
        if (!Takes(event.act) || event.object != lock) continue;
        std::string release = event.mate == kNone ? "" : Op({place.thread, event.mate});
        alphabet += (alphabet.empty() ? "" : ", ") + Op(place) + (release.empty() ? "" : ", " + release);
        if (event.act == Act::kReadLock) {
          enter.push_back(Op(place));
          if (!release.empty()) leave.push_back(release);
        } else {
          alone.push_back(Op(place) + " -> " +
                          (release.empty() ? "STOP" : release + fmt::format(" -> OP_L{}(0)", lock)));
        }
      }
      if (alphabet.empty()) continue;
      Line("OP_L{}(n) =", lock);
      std::string choices = "STOP";
      for (const std::string& one : alone) choices += " [] (n == 0 & " + one + ")";
      for (const std::string& one : enter)
        choices += fmt::format(" [] (n < {} & {} -> OP_L{}(n+1))", enter.size(), one, lock);
      for (const std::string& one : leave) choices += fmt::format(" [] (n > 0 & {} -> OP_L{}(n-1))", one, lock);
      Line("  {}", choices);
      components_.push_back({fmt::format("OP_L{}(0)", lock), alphabet});
    }
  }

  std::vector<std::string> Operations(Act act, uint32_t object) const {
    std::vector<std::string> found;
    for (const Place& place : model_.places) {
      const SyncEvent& event = model_.At(place);
      if (event.act == act && event.object == object) found.push_back(Op(place));
    }
    return found;
  }

  static std::string Listed(const std::vector<std::string>& first, const std::vector<std::string>& second) {
    std::string text;
    for (const auto* list : {&first, &second}) {
      for (const std::string& one : *list) text += (text.empty() ? "" : ", ") + one;
    }
    return text;
  }

  void Semaphores() {
    for (uint32_t number = 0; number < model_.semaphores.size(); ++number) {
      std::vector<std::string> posts = Operations(Act::kSemPost, number);
      std::vector<std::string> waits = Operations(Act::kSemWait, number);
      if (posts.empty() && waits.empty()) continue;
      int64_t most = model_.semaphores[number].initial + static_cast<int64_t>(posts.size());
      std::string choices = "STOP";
      for (const std::string& post : posts)
        choices += fmt::format(" [] (v < {} & {} -> OP_S{}(v+1))", most, post, number);
      for (const std::string& wait : waits) choices += fmt::format(" [] (v > 0 & {} -> OP_S{}(v-1))", wait, number);
      Line("OP_S{}(v) = {}", number, choices);
      components_.push_back(
          {fmt::format("OP_S{}({})", number, model_.semaphores[number].initial), Listed(posts, waits)});
    }
  }

  // Up to `count` enter, then these leave, then the next round.
  void Barriers() {
    for (uint32_t number = 0; number < model_.barriers.size(); ++number) {
      const Barrier& barrier = model_.barriers[number];
      std::vector<std::string> enters = Operations(Act::kBarrierEnter, number);
      std::vector<std::string> exits = Operations(Act::kBarrierExit, number);
      if (barrier.fixed || enters.empty()) continue;
      std::string in = "STOP";
      std::string out = "STOP";
      for (const std::string& enter : enters) in += fmt::format(" [] {} -> OP_B{}in(n+1)", enter, number);
      for (const std::string& exit : exits) out += fmt::format(" [] {} -> OP_B{}out(n-1)", exit, number);
      Line("OP_B{0}in(n) = if n == {1} then OP_B{0}out({1}) else ({2})", number, barrier.count, in);
      Line("OP_B{0}out(n) = if n == 0 then OP_B{0}in(0) else ({1})", number, out);
      components_.push_back({fmt::format("OP_B{}in(0)", number), Listed(enters, exits)});
    }
  }

  void Compose(std::string_view name) {
    for (size_t i = 0; i < components_.size(); ++i) Line("OP_P({}) = {}", i, components_[i].process);
    for (size_t i = 0; i < components_.size(); ++i) Line("OP_A({}) = {{{}}}", i, components_[i].alphabet);
    Line("{} = || i : {{0..{}}} @ [OP_A(i)] OP_P(i)", name, components_.size() - 1);
  }

  // Watches the threads of a target come to their positions and leave them.
  void Meeting(size_t number, const Target& target) {
    std::string arguments;
    std::string start;
    std::string all;
    std::string alphabet;
    std::string choices;
    for (size_t i = 0; i < target.size(); ++i) {
      const Place& place = target[i];
      arguments += fmt::format("{}s{}", i == 0 ? "" : ", ", i);
      start += fmt::format("{}{}", i == 0 ? "" : ", ", place.position == 0 ? 1 : 0);
      all += fmt::format("{}s{} == 1", i == 0 ? "" : " and ", i);
    }
    for (size_t i = 0; i < target.size(); ++i) {
      const Place& place = target[i];
      auto next = [&](int state) {
        std::string next_arguments;
        for (size_t j = 0; j < target.size(); ++j) {
          next_arguments +=
              fmt::format("{}{}", j == 0 ? "" : ", ", j == i ? std::to_string(state) : fmt::format("s{}", j));
        }
        return fmt::format("M{}({})", number, next_arguments);
      };
      if (place.position > 0) {
        std::string come = Op({place.thread, place.position - 1});
        choices += fmt::format(" [] {} -> {}", come, next(1));
        alphabet += (alphabet.empty() ? "" : ", ") + come;
      }
      if (place.position < model_.threads[place.thread].size()) {
        std::string go = Op(place);
        choices += fmt::format(" [] {} -> {}", go, next(2));
        alphabet += (alphabet.empty() ? "" : ", ") + go;
      }
    }
    Line("M{0}({1}) = ({2} & meet -> STOP){3}", number, arguments, all, choices);
    Line("RACE{0} = (PROGRAM [| {{{1}}} |] M{0}({2})) \\ {{| op, done |}}", number, alphabet, start);
    Line("assert STOP [T= RACE{}", number);
  }

  const TraceModel& model_;
  const Constraints constraints_;
  std::string text_;
  std::vector<Component> components_;
  size_t needs_ = 0;
};

}  // namespace

std::string CspModel(const TraceModel& model, const std::vector<Target>& targets) {
  return Writer(model, {}).Write(targets);
}

std::string CspReorderings(const TraceModel& model, const Constraints& constraints, std::string_view name) {
  return Writer(model, constraints).Reorderings(name, "STOP");
}

std::string CspRun(const TraceModel& model, bool ends, std::string_view name) {
  return Writer(model, {}).Run(name, ends);
}

}  // namespace heddle::predict
