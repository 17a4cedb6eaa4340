// Turns a violation into words. All events of both traces at the place of the violation are put into a table by
// transition; what the compiler did is read off it: a write that the original has nowhere was invented, one that it has
// in a neighbouring transition was moved, and so on. Only wording depends on this, never a verdict.
#include "refine/check/explain.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::refine {
namespace {

struct Use {
  size_t event;
  uint32_t transition;
  bool write;
};

// The accesses of a trace to the memory location of a place.
std::vector<Use> UsesOf(const Trace& trace, uint32_t place) {
  std::vector<Use> uses;
  const Symbol* symbol = trace.SymbolAt(place);
  if (symbol == nullptr) return uses;
  uint32_t location = symbol->bytes[place - symbol->base].location;
  uint32_t transition = 0;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    transition += event.is_sync() ? 1 : 0;
    if (event.is_sync() || event.kind() == EventKind::kEnvironment) continue;
    if (trace.SymbolAt(event.place) != symbol) continue;
    for (uint32_t k = 0; k < event.size(); ++k) {
      if (symbol->bytes[event.place + k - symbol->base].location != location) continue;
      uses.push_back({i, transition - 1, event.kind() == EventKind::kWrite});
      break;
    }
  }
  return uses;
}

class Explainer {
 public:
  Explainer(const Trace& original, const Trace& transformed, const Violation& violation)
      : original_(original), transformed_(transformed), violation_(violation) {}

  Explanation Run() {
    switch (violation_.constraint) {
      case Constraint::kWriteRace:
        WriteRace();
        break;
      case Constraint::kReadRace:
        ReadRace();
        break;
      case Constraint::kStateAtUnlock:
        State();
        break;
      case Constraint::kVolatile:
        Volatile();
        break;
      case Constraint::kStateAtLock:
        out_.headline = "the two runs had different environments";
        break;
      case Constraint::kTermination:
        out_.headline = "ended where the original does not";
        break;
      default:
        Locks();
    }
    return out_;
  }

 private:
  void Name() {
    const Symbol* symbol = original_.SymbolAt(violation_.place);
    if (symbol == nullptr) return;
    out_.variable = symbol->name;
    out_.offset = violation_.place - symbol->base;
    name_ = original_.PlaceName(violation_.place);
    uses_ = UsesOf(original_, violation_.place);
    uses2_ = UsesOf(transformed_, violation_.place);
  }

  void Show(bool transformed, size_t event) {
    const Trace& trace = transformed ? transformed_ : original_;
    if (event >= trace.events.size()) return;
    const Event& e = trace.events[event];
    ExplainedEvent shown;
    shown.transformed = transformed;
    shown.line = e.line();
    static constexpr const char* kKinds[] = {"read", "write", "lock", "unlock", "environment"};
    shown.what = kKinds[static_cast<size_t>(e.kind())];
    shown.operand = e.is_sync() ? trace.locks[e.place] : trace.PlaceName(e.place);
    shown.code = e.is_sync() ? fmt::format("{}({})", shown.what, shown.operand)
                 : e.kind() == EventKind::kWrite
                     ? fmt::format("{} = {:#x} ({})", shown.operand, e.value, Bytes(e.size()))
                     : fmt::format("read {} ({})", shown.operand, Bytes(e.size()));
    if (e.is_sync() && e.place == kThreadLock) {
      shown.code = e.kind() == EventKind::kLock ? "the thread begins" : "the thread ends";
    }
    shown.locks = LocksBefore(trace, e.kind() == EventKind::kUnlock ? event + 1 : event);
    out_.events.push_back(std::move(shown));
  }

  static std::string Bytes(uint32_t size) { return fmt::format("{} byte{}", size, size == 1 ? "" : "s"); }

  static std::vector<std::string> LocksBefore(const Trace& trace, size_t event) {
    std::vector<std::string> held;
    for (size_t i = 0; i < event; ++i) {
      const Event& e = trace.events[i];
      if (!e.is_sync() || e.place == kThreadLock) continue;
      if (e.kind() == EventKind::kLock) {
        held.push_back(trace.locks[e.place]);
      } else {
        held.erase(std::remove(held.begin(), held.end(), trace.locks[e.place]), held.end());
      }
    }
    return held;
  }

  static const Use* Before(const std::vector<Use>& uses, uint32_t transition, bool write) {
    const Use* found = nullptr;
    for (const Use& use : uses) {
      if (use.transition < transition && use.write == write) found = &use;
    }
    return found;
  }
  static const Use* From(const std::vector<Use>& uses, uint32_t transition, bool write) {
    for (const Use& use : uses) {
      if (use.transition >= transition && use.write == write) return &use;
    }
    return nullptr;
  }

  // The value that a trace has at a place before an event.
  static uint8_t ValueBefore(const Trace& trace, uint32_t place, size_t event) {
    const Symbol* symbol = trace.SymbolAt(place);
    uint8_t value = symbol == nullptr ? 0 : symbol->initial[place - symbol->base];
    for (size_t i = 0; i < event && i < trace.events.size(); ++i) {
      const Event& e = trace.events[i];
      if (e.is_sync() || e.kind() == EventKind::kRead || place < e.place || place >= e.place + e.size()) continue;
      value = static_cast<uint8_t>(e.value >> (8 * (place - e.place)));
    }
    return value;
  }

  bool WritesBeside(uint32_t transition) const {
    const Event& event = transformed_.events[violation_.transformed_event];
    for (uint32_t k = 0; k < event.size(); ++k) {
      if (From(UsesOf(original_, event.place + k), transition, true) != nullptr) return true;
    }
    return false;
  }

  void WriteRace() {
    Name();
    uint32_t i = violation_.transition;
    size_t at = violation_.transformed_event;
    const Event& event = transformed_.events[at];
    auto byte = static_cast<uint8_t>(event.value >> (8 * (violation_.place - event.place)));
    bool same = byte == ValueBefore(transformed_, violation_.place, at);
    const Use* before = Before(uses_, i, true);
    const Use* after = From(uses_, i, true);
    const Use* own = Before(uses2_, i, true);
    if (before == nullptr && after == nullptr) {
      out_.headline = WritesBeside(i) ? fmt::format("widened a store over its neighbour `{}`", name_)
                                      : fmt::format("invented a write to `{}`", name_);
      if (same) out_.headline += ", of the value that it has";
    } else if (before != nullptr && own != nullptr && own->transition == before->transition) {
      out_.headline = fmt::format("wrote `{}` again outside of its section", name_);
    } else if (before != nullptr && after == nullptr) {
      out_.headline = fmt::format("moved a write to `{}` out of its section, behind an unlock", name_);
    } else if (after != nullptr && before == nullptr) {
      out_.headline = fmt::format("moved a write to `{}` before its lock", name_);
    } else {
      out_.headline = fmt::format("wrote `{}` in a section where the original does not", name_);
    }
    out_.why = "another thread may access it there without a race in the source, and loses its own write";
    Show(true, at);
    if (before != nullptr) Show(false, before->event);
    if (after != nullptr) Show(false, after->event);
    Show(false, violation_.original_event);
  }

  void ReadRace() {
    Name();
    const Use* after = From(uses_, violation_.transition, false);
    const Use* before = Before(uses_, violation_.transition, false);
    out_.headline = after != nullptr    ? fmt::format("moved a read of `{}` before its lock", name_)
                    : before != nullptr ? fmt::format("moved a read of `{}` behind its unlock", name_)
                                        : fmt::format("invented a read of `{}`", name_);
    out_.why = "another thread may write it there without a race in the source";
    Show(true, violation_.transformed_event);
    if (after != nullptr) Show(false, after->event);
    if (after == nullptr && before != nullptr) Show(false, before->event);
    Show(false, violation_.original_event);
  }

  void State() {
    Name();
    const Use* theirs = Before(uses_, violation_.transition, true);
    const Use* ours = Before(uses2_, violation_.transition, true);
    const Use* later = From(uses2_, violation_.transition, true);
    bool same_section = ours != nullptr && theirs != nullptr && ours->transition == theirs->transition;
    size_t end2 = violation_.transformed_event;
    if (theirs != nullptr && !same_section && later != nullptr) {
      out_.headline = fmt::format("moved a write to `{}` behind its unlock", name_);
    } else if (theirs != nullptr && !same_section) {
      out_.headline = fmt::format("removed a write to `{}`", name_);
    } else {
      out_.headline = fmt::format("left another value in `{}`", name_);
    }
    out_.why = fmt::format("a thread that takes the lock next reads {:#x} instead of {:#x}",
                           ValueBefore(transformed_, violation_.place, end2),
                           ValueBefore(original_, violation_.place, violation_.original_event));
    if (theirs != nullptr) Show(false, theirs->event);
    if (ours != nullptr) Show(true, ours->event);
    if (!same_section && later != nullptr) Show(true, later->event);
    Show(true, end2);
  }

  void Volatile() {
    Name();
    out_.headline = fmt::format("did other accesses to the volatile `{}`", name_);
    out_.why = "accesses to volatile objects must happen as the source says, one by one";
    Show(false, violation_.original_event);
    Show(true, violation_.transformed_event);
  }

  static std::vector<size_t> SyncsFrom(const Trace& trace, uint32_t transition) {
    std::vector<size_t> syncs;
    uint32_t seen = 0;
    for (size_t i = 0; i < trace.events.size(); ++i) {
      if (trace.events[i].is_sync() && seen++ >= transition) syncs.push_back(i);
    }
    return syncs;
  }

  void Locks() {
    std::vector<size_t> a = SyncsFrom(original_, violation_.transition);
    std::vector<size_t> b = SyncsFrom(transformed_, violation_.transition);
    auto same = [&](size_t i, size_t j) {
      return i < a.size() && j < b.size() && original_.events[a[i]].place == transformed_.events[b[j]].place &&
             original_.events[a[i]].kind() == transformed_.events[b[j]].kind();
    };
    auto name = [&](const Trace& trace, size_t event) {
      return trace.events[event].place == kThreadLock
                 ? std::string("end of the thread")
                 : fmt::format("{} of `{}`", trace.events[event].kind() == EventKind::kLock ? "lock" : "unlock",
                               trace.locks[trace.events[event].place]);
    };
    if (same(0, 1) && same(1, 0)) {
      out_.headline = fmt::format("swapped the {} and the {}", name(original_, a[0]), name(original_, a[1]));
    } else if (same(1, 0) && a.size() > b.size()) {
      out_.headline = fmt::format("left out the {}", name(original_, a[0]));
    } else if (same(0, 1) && b.size() > a.size()) {
      out_.headline = fmt::format("added the {}", name(transformed_, b[0]));
    } else {
      out_.headline = "did other lock operations";
    }
    out_.why = "the lock operations of a thread and their order must stay";
    if (!a.empty()) Show(false, a[0]);
    if (!b.empty()) Show(true, b[0]);
  }

  const Trace& original_;
  const Trace& transformed_;
  const Violation& violation_;
  Explanation out_;
  std::string name_;
  std::vector<Use> uses_, uses2_;
};

}  // namespace

Explanation Explain(const Trace& original, const Trace& transformed, const Violation& violation) {
  return Explainer(original, transformed, violation).Run();
}

}  // namespace heddle::refine
