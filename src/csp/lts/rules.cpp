// The operators of a format as rules over its leaves.
#include <algorithm>
#include <unordered_map>

#include "csp/lts/format.h"

namespace heddle::csp {
namespace {

constexpr size_t kMaxRules = 4'000'000;

using Rules = std::vector<Rule>;

class Compiler {
 public:
  Compiler(System& system, Format& format) : system_(system), ev_(system.evaluator()), format_(format) {}

  bool Run() {
    format_.rules = Of(0);
    if (over_) return false;
    for (uint32_t i = 0; i < format_.rules.size(); ++i) {
      Rule& rule = format_.rules[i];
      if (rule.parts.empty()) format_.free_rules.push_back(i);
      ChooseLeader(rule);
    }
    format_.led.resize(format_.leaves.size());
    for (uint32_t i = 0; i < format_.rules.size(); ++i) {
      const Rule& rule = format_.rules[i];
      if (!rule.parts.empty()) format_.led[rule.parts[0].leaf][rule.parts[0].event].push_back(i);
    }
    return true;
  }

 private:
  const Format::Shape& Shape(uint32_t node) const { return format_.shapes[node]; }

  // The leaf that offers its event in the fewest of its states goes first: most states then fail or pass at once.
  void ChooseLeader(Rule& rule) {
    auto rarity = [&](const Rule::Part& part) {
      const Machine& machine = *format_.leaves[part.leaf].machine;
      if (machine.growing != nullptr) return 2.0;  // asked only about events that the others offer
      if (part.event == kOmegaEvent) return 1.0 / static_cast<double>(machine.size());
      return Offering(part.leaf, part.event) / static_cast<double>(machine.size());
    };
    for (size_t i = 1; i < rule.parts.size(); ++i) {
      if (rarity(rule.parts[i]) < rarity(rule.parts[0])) std::swap(rule.parts[0], rule.parts[i]);
    }
  }

  double Offering(uint32_t leaf, EventId event) {
    auto& counts = offering_[format_.leaves[leaf].machine];
    if (counts.empty()) {
      const Machine& machine = *format_.leaves[leaf].machine;
      for (size_t s = 0; s < machine.size(); ++s) {
        for (uint32_t e = machine.first[s]; e < machine.first[s + 1]; ++e) {
          if (e == machine.first[s] || machine.edges[e].event != machine.edges[e - 1].event) {
            counts[machine.edges[e].event] += 1;
          }
        }
      }
    }
    return counts[event];
  }

  Rules Of(uint32_t node) {
    ev_.Poll();
    const Format::Shape& shape = Shape(node);
    if (shape.leaf >= 0) return OfLeaf(static_cast<uint32_t>(shape.leaf));
    switch (OpOf(shape.term)) {
      case ProcOp::kParallel:
      case ProcOp::kAlphabet:
      case ProcOp::kTimedParallel:
      case ProcOp::kTimedAlphabet:
        return OfParallel(node);
      case ProcOp::kLink:
        return OfLink(node);
      case ProcOp::kHide:
      case ProcOp::kProject:
        return OfHide(node);
      case ProcOp::kRename:
        return OfRename(node);
      case ProcOp::kPriority:
        return OfPriority(node);
      case ProcOp::kSequence:
        return OfSequence(node);
      case ProcOp::kException:
        return OfException(node);
      case ProcOp::kSlide:
        return OfSlide(node);
      case ProcOp::kInterrupt:
        return OfInterrupt(node);
      default:
        return OfExt(node);
    }
  }

  Rules OfLeaf(uint32_t leaf) {
    Rules rules;
    for (EventId event : format_.leaves[leaf].machine->alphabet) {
      Rule rule;
      rule.parts.push_back({leaf, event});
      rule.event = event;
      rules.push_back(std::move(rule));
    }
    return rules;
  }

  // After its tick a composite is Omega as a whole.
  Rule Ticked(Rule rule, uint32_t node) {
    rule.changes.assign(1, {node, system_.stepper().Omega(), 0});
    return rule;
  }

  // The leaves that must have terminated for the node to have terminated without a step of its own; false when there
  // is no such condition (a sequence, an interrupt, ... terminates by a step that changes the format).
  bool Terminated(uint32_t node, std::vector<Rule::Part>& parts) {
    const Format::Shape& shape = Shape(node);
    if (shape.leaf >= 0) {
      parts.push_back({static_cast<uint32_t>(shape.leaf), kOmegaEvent});
      return format_.leaves[static_cast<size_t>(shape.leaf)].machine->omega >= 0;
    }
    switch (OpOf(shape.term)) {
      case ProcOp::kParallel:
      case ProcOp::kAlphabet:
      case ProcOp::kLink:
      case ProcOp::kHide:
      case ProcOp::kProject:
      case ProcOp::kRename:
        return std::all_of(shape.kids.begin(), shape.kids.end(), [&](uint32_t k) { return Terminated(k, parts); });
      default:
        return false;
    }
  }

  // A leaf, or one with nothing but hiding and renaming above (as what is chased may have).
  bool IsLeaf(uint32_t node) {
    while (Shape(node).leaf < 0) {
      ProcOp op = OpOf(Shape(node).term);
      if (op != ProcOp::kHide && op != ProcOp::kProject && op != ProcOp::kRename) return false;
      node = Shape(node).kids[0];
    }
    return true;
  }

  bool EndsSilently(uint32_t node) {
    const Format::Shape& shape = Shape(node);
    if (shape.leaf >= 0) return true;
    switch (OpOf(shape.term)) {
      case ProcOp::kParallel:
      case ProcOp::kAlphabet:
      case ProcOp::kLink:
      case ProcOp::kHide:
      case ProcOp::kProject:
      case ProcOp::kRename:
        return std::all_of(shape.kids.begin(), shape.kids.end(), [&](uint32_t k) { return EndsSilently(k); });
      default:
        return false;
    }
  }

  // What a part of a parallel composition does by itself: its tick becomes a tau. A leaf keeps its place as Omega; a
  // composite of leaves has terminated once they all have, and its own tick is left out (it would be one more tau).
  bool OwnStep(uint32_t kid, Rule& rule) {
    if (rule.event != kTick) return true;
    rule.event = kTau;
    if (IsLeaf(kid)) {
      rule.changes.clear();
      return true;
    }
    if (EndsSilently(kid)) return false;
    rule = Ticked(std::move(rule), kid);
    return true;
  }

  void AddTermination(uint32_t node, Rules& out) {
    Rule rule;
    rule.event = kTick;
    if (Terminated(node, rule.parts)) out.push_back(Ticked(std::move(rule), node));
  }

  bool Over(const Rules& out) { return over_ |= out.size() > kMaxRules; }

  static Rule Joined(const Rule& a, const Rule& b) {
    Rule rule = a;
    rule.parts.insert(rule.parts.end(), b.parts.begin(), b.parts.end());
    rule.changes.insert(rule.changes.end(), b.changes.begin(), b.changes.end());
    return rule;
  }

  // kParallel: everyone takes part in the shared events. kAlphabet: those whose alphabet has the event. In timed
  // sections the tick is an event in which all take part.
  Rules OfParallel(uint32_t node) {
    const Format::Shape shape = Shape(node);
    ProcOp op = OpOf(shape.term);
    bool alphabet = op == ProcOp::kAlphabet || op == ProcOp::kTimedAlphabet;
    bool timed = op == ProcOp::kTimedParallel || op == ProcOp::kTimedAlphabet;
    Rules out;
    std::vector<std::unordered_map<EventId, Rules>> shared(shape.kids.size());
    std::vector<EventId> events;
    auto takes_part = [&](size_t i, EventId event) {
      return ev_.SetHasEvent(shape.term->kid(alphabet ? 2 * i : 0), event);
    };
    for (size_t i = 0; i < shape.kids.size(); ++i) {
      for (Rule& rule : Of(shape.kids[i])) {
        if (rule.event == kTick && timed) {
          shared[i][kTick].push_back(std::move(rule));
        } else if (rule.event < kFirstEvent) {
          if (OwnStep(shape.kids[i], rule)) out.push_back(std::move(rule));
        } else if (!alphabet && !takes_part(i, rule.event)) {
          out.push_back(std::move(rule));
        } else if (takes_part(i, rule.event)) {
          events.push_back(rule.event);
          shared[i][rule.event].push_back(std::move(rule));
        }
      }
      if (Over(out)) return {};
    }
    std::sort(events.begin(), events.end());
    events.erase(std::unique(events.begin(), events.end()), events.end());
    if (timed) events.push_back(kTick);
    for (EventId event : events) {
      Rules joint;
      bool first = true;
      for (size_t i = 0; i < shape.kids.size(); ++i) {
        if (alphabet && event != kTick && !takes_part(i, event)) continue;
        const Rules& mine = shared[i][event];
        if (first) {
          joint = mine;
          first = false;
          continue;
        }
        Rules next;
        for (const Rule& a : joint) {
          for (const Rule& b : mine) next.push_back(Joined(a, b));
          if (Over(next)) return {};
        }
        joint = std::move(next);
      }
      for (Rule& rule : joint) out.push_back(event == kTick ? Ticked(std::move(rule), node) : std::move(rule));
      if (Over(out)) return {};
    }
    if (!timed) AddTermination(node, out);
    return out;
  }

  Rules OfLink(uint32_t node) {
    const Format::Shape shape = Shape(node);
    Rules out;
    std::vector<std::pair<size_t, Rule>> left;  // link number and rule
    std::vector<Value> suffix;
    std::vector<Value> other;
    for (size_t side = 0; side < 2; ++side) {
      for (Rule& rule : Of(shape.kids[side])) {
        bool linked = false;
        for (size_t i = 2; rule.event >= kFirstEvent && i < shape.term->count; i += 2) {
          if (!ev_.Suffix(shape.term->kid(i + side), ev_.EventValue(rule.event), suffix)) continue;
          linked = true;
          if (side == 0) {
            left.emplace_back(i, rule);
            continue;
          }
          for (const auto& [link, partner] : left) {
            if (link != i) continue;
            ev_.Suffix(shape.term->kid(i), ev_.EventValue(partner.event), other);
            if (other != suffix) continue;
            Rule joint = Joined(partner, rule);
            joint.event = kTau;
            out.push_back(std::move(joint));
          }
        }
        if (!linked && OwnStep(shape.kids[side], rule)) out.push_back(std::move(rule));
      }
    }
    AddTermination(node, out);
    return out;
  }

  Rules OfHide(uint32_t node) {
    const Format::Shape shape = Shape(node);
    bool project = OpOf(shape.term) == ProcOp::kProject;
    Rules out = Of(shape.kids[0]);
    for (Rule& rule : out) {
      if (rule.event == kTick) {
        rule = Ticked(std::move(rule), node);
      } else if (rule.event >= kFirstEvent && ev_.SetHasEvent(shape.term->kid(1), rule.event) != project) {
        rule.event = kTau;
      }
    }
    return out;
  }

  Rules OfRename(uint32_t node) {
    const Format::Shape shape = Shape(node);
    Rules out;
    for (Rule& rule : Of(shape.kids[0])) {
      if (rule.event == kTick) {
        out.push_back(Ticked(std::move(rule), node));
      } else if (rule.event == kTau) {
        out.push_back(std::move(rule));
      } else {
        for (EventId image : ev_.Renamed(shape.term->kid(1), rule.event)) {
          Rule copy = rule;
          copy.event = image;
          out.push_back(std::move(copy));
        }
      }
    }
    return out;
  }

  // Stepper::Priority says the same of terms.
  Rules OfPriority(uint32_t node) {
    const Format::Shape shape = Shape(node);
    Rules out = Of(shape.kids[0]);
    format_.prioritised = true;
    for (Rule& rule : out) {
      rule.rank = rule.event < kFirstEvent ? 1 : 0;
      for (uint32_t i = 1; i < shape.term->count && rule.rank == 0; ++i) {
        if (ev_.SetHasEvent(shape.term->kid(i), rule.event)) rule.rank = i;
      }
      if (rule.event == kTick) rule = Ticked(std::move(rule), node);
    }
    return out;
  }

  Rules OfSequence(uint32_t node) {
    const Format::Shape shape = Shape(node);
    Rules out = Of(shape.kids[0]);
    for (Rule& rule : out) {
      if (rule.event != kTick) continue;
      rule.event = kTau;
      rule.changes.assign(1, {node, shape.term->kid(1), 0});
    }
    return out;
  }

  Rules OfException(uint32_t node) {
    const Format::Shape shape = Shape(node);
    Rules out = Of(shape.kids[0]);
    for (Rule& rule : out) {
      if (rule.event == kTick) {
        rule = Ticked(std::move(rule), node);
      } else if (rule.event >= kFirstEvent && ev_.SetHasEvent(shape.term->kid(1), rule.event)) {
        rule.changes.assign(1, {node, shape.term->kid(2), 0});
      }
    }
    return out;
  }

  // A choice for child `child` is made by anything but tau.
  void Resolve(uint32_t node, uint32_t child, Rules rules, Rules& out) {
    for (Rule& rule : rules) {
      if (rule.event == kTick) {
        rule = Ticked(std::move(rule), node);
      } else if (rule.event != kTau) {
        rule.changes.push_back({node, nullptr, child});
      }
      out.push_back(std::move(rule));
    }
  }

  Rules OfSlide(uint32_t node) {
    const Format::Shape shape = Shape(node);
    Rules out;
    Resolve(node, 0, Of(shape.kids[0]), out);
    Rule timeout;
    timeout.changes.push_back({node, shape.term->kid(1), 0});
    out.push_back(std::move(timeout));
    return out;
  }

  Rules OfInterrupt(uint32_t node) {
    const Format::Shape shape = Shape(node);
    Rules out;
    for (Rule& rule : Of(shape.kids[0])) {
      out.push_back(rule.event == kTick ? Ticked(std::move(rule), node) : std::move(rule));
    }
    Resolve(node, 1, Of(shape.kids[1]), out);
    return out;
  }

  Rules OfExt(uint32_t node) {
    const Format::Shape shape = Shape(node);
    Rules out;
    for (uint32_t i = 0; i < shape.kids.size(); ++i) Resolve(node, i, Of(shape.kids[i]), out);
    return out;
  }

  System& system_;
  Evaluator& ev_;
  Format& format_;
  std::unordered_map<const Machine*, std::unordered_map<EventId, double>> offering_;
  bool over_ = false;
};

}  // namespace

bool CompileRules(System& system, Format& format) { return Compiler(system, format).Run(); }

}  // namespace heddle::csp
