#include "csp/testing/random_process.h"

#include <algorithm>
#include <functional>

namespace heddle::csp::testing {
namespace {

const char* const kNames[] = {"a", "b", "c", "tick"};

std::vector<int> Digits(Trace t) {
  std::vector<int> out;
  for (; t != 0; t /= 5) out.push_back(static_cast<int>(t % 5) - 1);
  std::reverse(out.begin(), out.end());
  return out;
}

Trace Append(Trace t, int event) { return t * 5 + static_cast<Trace>(event) + 1; }
bool Ends(Trace t) { return t != 0 && static_cast<int>(t % 5) - 1 == kTickEvent; }
Trace WithoutLast(Trace t) { return t / 5; }
Trace Concat(Trace s, Trace t) {
  for (int e : Digits(t)) s = Append(s, e);
  return s;
}

// The refusals {X | X is a subset of `largest`}.
uint16_t Below(uint8_t largest) {
  uint16_t out = 0;
  for (int x = 0; x < 16; ++x) {
    if ((x & ~largest) == 0) out |= static_cast<uint16_t>(1u << x);
  }
  return out;
}

bool Has(uint16_t refusals, int x) { return (refusals >> x & 1) != 0; }

bool Within(const std::set<Trace>& divergences, Trace t) {
  for (;; t /= 5) {
    if (divergences.count(t) != 0) return true;
    if (t == 0) return false;
  }
}

void Minimise(std::set<Trace>& divergences) {
  std::set<Trace> minimal;
  for (Trace t : divergences) {
    bool longer = false;
    for (Trace p = t; p != 0;) {
      p /= 5;
      longer |= divergences.count(p) != 0;
    }
    if (!longer) minimal.insert(t);
  }
  divergences = std::move(minimal);
}

Denotation Stop() { return {{0}, {{0, Below(kAll)}}, {}}; }

Denotation Skip() {
  Trace tick = Append(0, kTickEvent);
  return {{0, tick}, {{0, Below(kSigma)}, {tick, Below(kAll)}}, {}};
}

Denotation Div() { return {{0}, {}, {0}}; }

Denotation Prefix(int event, const Denotation& p) {
  Denotation out;
  Trace head = Append(0, event);
  out.traces.insert(0);
  out.failures[0] = Below(static_cast<uint8_t>(kAll & ~(1 << event)));
  for (Trace t : p.traces) out.traces.insert(Concat(head, t));
  for (auto [t, x] : p.failures) out.failures[Concat(head, t)] |= x;
  for (Trace t : p.divergences) out.divergences.insert(Concat(head, t));
  return out;
}

Denotation Union(const Denotation& p, const Denotation& q) {
  Denotation out = p;
  out.traces.insert(q.traces.begin(), q.traces.end());
  for (auto [t, x] : q.failures) out.failures[t] |= x;
  out.divergences.insert(q.divergences.begin(), q.divergences.end());
  Minimise(out.divergences);
  return out;
}

uint16_t At(const Denotation& p, Trace t) {
  auto it = p.failures.find(t);
  return it == p.failures.end() ? uint16_t{0} : it->second;
}

bool CanTick(const Denotation& p) { return p.traces.count(Append(0, kTickEvent)) != 0; }

// External choice and slide differ in what is refused at the start.
Denotation Choice(const Denotation& p, const Denotation& q, bool slide) {
  Denotation out = Union(p, q);
  uint16_t start = slide ? At(q, 0) : static_cast<uint16_t>(At(p, 0) & At(q, 0));
  if (CanTick(p) || CanTick(q)) start |= Below(kSigma);
  out.failures.erase(0);
  if (start != 0) out.failures[0] = start;
  return out;
}

Denotation Sequence(const Denotation& p, const Denotation& q) {
  Denotation out;
  for (Trace s : p.traces) {
    if (!Ends(s)) {
      out.traces.insert(s);
      continue;
    }
    Trace before = WithoutLast(s);
    for (Trace t : q.traces) out.traces.insert(Concat(before, t));
    for (auto [t, x] : q.failures) out.failures[Concat(before, t)] |= x;
    for (Trace t : q.divergences) out.divergences.insert(Concat(before, t));
  }
  for (auto [s, x] : p.failures) {
    if (Ends(s)) continue;
    for (int refusal = 0; refusal < 16; ++refusal) {
      if (Has(x, refusal | 1 << kTickEvent)) out.failures[s] |= static_cast<uint16_t>(1u << refusal);
    }
  }
  out.divergences.insert(p.divergences.begin(), p.divergences.end());
  Minimise(out.divergences);
  return out;
}

// Every interleaving of s and t that agrees on `shared` (tick included by the callers).
void Merge(const std::vector<int>& s, size_t i, const std::vector<int>& t, size_t j, uint8_t shared, Trace sofar,
           std::set<Trace>& out) {
  if (i == s.size() && j == t.size()) {
    out.insert(sofar);
    return;
  }
  if (i < s.size() && (shared >> s[i] & 1) == 0) Merge(s, i + 1, t, j, shared, Append(sofar, s[i]), out);
  if (j < t.size() && (shared >> t[j] & 1) == 0) Merge(s, i, t, j + 1, shared, Append(sofar, t[j]), out);
  if (i < s.size() && j < t.size() && s[i] == t[j] && (shared >> s[i] & 1) != 0) {
    Merge(s, i + 1, t, j + 1, shared, Append(sofar, s[i]), out);
  }
}

Denotation Parallel(const Denotation& p, const Denotation& q, uint8_t set) {
  Denotation out;
  uint8_t shared = static_cast<uint8_t>(set | 1 << kTickEvent);
  for (Trace s : p.traces) {
    for (Trace t : q.traces) {
      std::set<Trace> merged;
      Merge(Digits(s), 0, Digits(t), 0, shared, 0, merged);
      if (merged.empty()) continue;
      out.traces.insert(merged.begin(), merged.end());
      if (p.divergences.count(s) != 0 || q.divergences.count(t) != 0) {
        for (Trace u : merged) {
          if (!Ends(u)) out.divergences.insert(u);
        }
      }
      uint16_t refusals = 0;
      for (int y = 0; y < 16; ++y) {
        for (int z = 0; z < 16; ++z) {
          if (Has(At(p, s), y) && Has(At(q, t), z) && (y & ~shared) == (z & ~shared)) {
            refusals |= static_cast<uint16_t>(1u << (y | z));
          }
        }
      }
      if (refusals == 0) continue;
      for (Trace u : merged) out.failures[u] |= refusals;
    }
  }
  Minimise(out.divergences);
  return out;
}

// P confined to an alphabet is P in parallel with STOP on everything outside it.
Denotation Confined(const Denotation& p, uint8_t alphabet) {
  // Only the refusals and traces within the alphabet remain; what is outside is always refused, tick passes.
  Denotation out;
  auto inside = [&](Trace t) {
    for (int e : Digits(t)) {
      if (e != kTickEvent && (alphabet >> e & 1) == 0) return false;
    }
    return true;
  };
  for (Trace t : p.traces) {
    if (inside(t)) out.traces.insert(t);
  }
  for (Trace t : p.divergences) {
    if (inside(t)) out.divergences.insert(t);
  }
  for (auto [t, x] : p.failures) {
    if (!inside(t)) continue;
    for (int refusal = 0; refusal < 16; ++refusal) {
      if (Has(x, refusal)) out.failures[t] |= Below(static_cast<uint8_t>(refusal | (kSigma & ~alphabet)));
    }
  }
  return out;
}

Denotation Alphabetised(const Denotation& p, uint8_t a, const Denotation& q, uint8_t b) {
  Denotation left = Confined(p, a);
  Denotation right = Confined(q, b);
  // Once confined, the two agree on the intersection; events of one side only are free.
  Denotation out;
  uint8_t shared = static_cast<uint8_t>((a & b) | 1 << kTickEvent);
  for (Trace s : left.traces) {
    for (Trace t : right.traces) {
      std::set<Trace> merged;
      Merge(Digits(s), 0, Digits(t), 0, shared, 0, merged);
      out.traces.insert(merged.begin(), merged.end());
      for (Trace u : merged) {
        bool diverges = left.divergences.count(s) != 0 || right.divergences.count(t) != 0;
        if (diverges && !Ends(u)) out.divergences.insert(u);
        for (int x = 0; x < 16; ++x) {
          for (int y = 0; y < 16; ++y) {
            if (!Has(At(left, s), x) || !Has(At(right, t), y)) continue;
            int mine = x & (a | 1 << kTickEvent);
            int yours = y & (b | 1 << kTickEvent);
            out.failures[u] |= Below(static_cast<uint8_t>(mine | yours | (kSigma & ~(a | b))));
          }
        }
      }
    }
  }
  Minimise(out.divergences);
  return out;
}

Denotation Hide(const Denotation& p, uint8_t set) {
  auto hidden = [&](Trace t) {
    Trace out = 0;
    for (int e : Digits(t)) {
      if ((set >> e & 1) == 0) out = Append(out, e);
    }
    return out;
  };
  Denotation out;
  for (Trace t : p.traces) out.traces.insert(hidden(t));
  for (Trace t : p.divergences) out.divergences.insert(hidden(t));
  for (auto [t, x] : p.failures) {
    for (int refusal = 0; refusal < 16; ++refusal) {
      if (Has(x, refusal | set)) out.failures[hidden(t)] |= static_cast<uint16_t>(1u << refusal);
    }
  }
  Minimise(out.divergences);
  return out;
}

// image[e] is the mask of what e becomes.
Denotation Rename(const Denotation& p, const uint8_t (&image)[3]) {
  auto images = [&](Trace t) {
    std::set<Trace> out{0};
    for (int e : Digits(t)) {
      std::set<Trace> next;
      for (Trace s : out) {
        for (int i = 0; i < 4; ++i) {
          bool maps = e == kTickEvent ? i == kTickEvent : (i < 3 && (image[e] >> i & 1) != 0);
          if (maps) next.insert(Append(s, i));
        }
      }
      out = std::move(next);
    }
    return out;
  };
  Denotation out;
  for (Trace t : p.traces) {
    for (Trace u : images(t)) out.traces.insert(u);
  }
  for (Trace t : p.divergences) {
    for (Trace u : images(t)) out.divergences.insert(u);
  }
  for (auto [t, x] : p.failures) {
    for (int refusal = 0; refusal < 16; ++refusal) {
      int before = refusal & 1 << kTickEvent;
      for (int e = 0; e < 3; ++e) {
        if ((image[e] & refusal) != 0) before |= 1 << e;
      }
      if (!Has(x, before)) continue;
      for (Trace u : images(t)) out.failures[u] |= static_cast<uint16_t>(1u << refusal);
    }
  }
  Minimise(out.divergences);
  return out;
}

Denotation Interrupt(const Denotation& p, const Denotation& q) {
  Denotation out;
  for (Trace s : p.traces) {
    out.traces.insert(s);
    if (Ends(s)) {
      out.failures[WithoutLast(s)] |= Below(kSigma);
      out.failures[s] |= Below(kAll);
      continue;
    }
    uint16_t both = static_cast<uint16_t>(At(p, s) & At(q, 0));
    if (CanTick(q)) both |= Below(kSigma);
    if (both != 0) out.failures[s] |= both;
    for (Trace t : q.traces) out.traces.insert(Concat(s, t));
    for (auto [t, x] : q.failures) {
      if (t != 0) out.failures[Concat(s, t)] |= x;
    }
    for (Trace t : q.divergences) out.divergences.insert(Concat(s, t));
  }
  out.divergences.insert(p.divergences.begin(), p.divergences.end());
  Minimise(out.divergences);
  return out;
}

Denotation Exception(const Denotation& p, uint8_t set, const Denotation& q) {
  Denotation out;
  // Where the first event of the set is; -1 when there is none.
  auto first = [&](const std::vector<int>& events) {
    for (size_t i = 0; i < events.size(); ++i) {
      if ((set >> events[i] & 1) != 0) return static_cast<int>(i);
    }
    return -1;
  };
  for (Trace s : p.traces) {
    std::vector<int> events = Digits(s);
    int at = first(events);
    if (at < 0) out.traces.insert(s);
    if (at < 0 || at + 1 != static_cast<int>(events.size())) continue;
    for (Trace t : q.traces) out.traces.insert(Concat(s, t));
    for (auto [t, x] : q.failures) out.failures[Concat(s, t)] |= x;
    for (Trace t : q.divergences) out.divergences.insert(Concat(s, t));
  }
  for (auto [s, x] : p.failures) {
    if (first(Digits(s)) < 0) out.failures[s] |= x;
  }
  for (Trace s : p.divergences) {
    if (first(Digits(s)) < 0) out.divergences.insert(s);
  }
  Minimise(out.divergences);
  return out;
}

uint8_t RandomSet(std::mt19937& random) { return static_cast<uint8_t>(random() % 8); }

std::string RenameText(const uint8_t (&image)[3]) {
  std::string out = "[[";
  for (int e = 0; e < 3; ++e) {
    for (int i = 0; i < 3; ++i) {
      if ((image[e] >> i & 1) == 0) continue;
      out += std::string(out.size() > 2 ? ", " : "") + kNames[e] + " <- " + kNames[i];
    }
  }
  return out + "]]";
}

}  // namespace

std::string SetText(uint8_t mask) {
  std::string out = "{";
  for (int e = 0; e < 3; ++e) {
    if ((mask >> e & 1) != 0) out += std::string(out.size() > 1 ? "," : "") + kNames[e];
  }
  return out + "}";
}

std::string TraceText(Trace trace) {
  std::string out = "<";
  for (int e : Digits(trace)) out += std::string(out.size() > 1 ? "," : "") + kNames[e];
  return out + ">";
}

Process RandomProcess(std::mt19937& random, int depth) {
  if (depth == 0 || random() % 10 == 0) {
    switch (random() % 5) {
      case 0:
        return {"STOP", Stop()};
      case 1:
      case 2:
        return {"SKIP", Skip()};
      case 3: {
        int event = static_cast<int>(random() % 3);
        return {std::string("(") + kNames[event] + " -> STOP)", Prefix(event, Stop())};
      }
      default:
        if (random() % 3 == 0) return {"DIV", Div()};
        int event = static_cast<int>(random() % 3);
        return {std::string("(") + kNames[event] + " -> SKIP)", Prefix(event, Skip())};
    }
  }
  Process p = RandomProcess(random, depth - 1);
  uint32_t kind = random() % 16;
  uint8_t set = RandomSet(random);
  uint8_t other_set = RandomSet(random);
  if (kind < 4) {
    int event = static_cast<int>(random() % 3);
    return {std::string("(") + kNames[event] + " -> " + p.text + ")", Prefix(event, p.meaning)};
  }
  if (kind == 4) return {"(" + p.text + " \\ " + SetText(set) + ")", Hide(p.meaning, set)};
  if (kind == 5) {
    uint8_t kept = static_cast<uint8_t>(kSigma & ~set);
    return {"(" + p.text + " |\\ " + SetText(kept) + ")", Hide(p.meaning, set)};
  }
  if (kind == 6) {
    uint8_t image[3];
    for (int e = 0; e < 3; ++e) image[e] = static_cast<uint8_t>(random() % 7 + 1);
    return {p.text + RenameText(image), Rename(p.meaning, image)};
  }
  Process q = RandomProcess(random, depth - 1);
  auto infix = [&](const std::string& op) { return "(" + p.text + " " + op + " " + q.text + ")"; };
  switch (kind) {
    case 7:
      return {infix("[]"), Choice(p.meaning, q.meaning, false)};
    case 8:
      return {infix("|~|"), Union(p.meaning, q.meaning)};
    case 9:
      return {infix("|||"), Parallel(p.meaning, q.meaning, 0)};
    case 10:
      return {infix("[| " + SetText(set) + " |]"), Parallel(p.meaning, q.meaning, set)};
    case 11:
      return {infix("[ " + SetText(set) + " || " + SetText(other_set) + " ]"),
              Alphabetised(p.meaning, set, q.meaning, other_set)};
    case 12:
      return {infix(";"), Sequence(p.meaning, q.meaning)};
    case 13:
      return {infix("/\\"), Interrupt(p.meaning, q.meaning)};
    case 14:
      return {infix("[>"), Choice(p.meaning, q.meaning, true)};
    default:
      return {infix("[| " + SetText(set) + " |>"), Exception(p.meaning, set, q.meaning)};
  }
}

bool RefinesTraces(const Denotation& spec, const Denotation& impl) {
  return std::includes(spec.traces.begin(), spec.traces.end(), impl.traces.begin(), impl.traces.end());
}

bool RefinesFailures(const Denotation& spec, const Denotation& impl) {
  if (!RefinesTraces(spec, impl)) return false;
  return std::all_of(impl.failures.begin(), impl.failures.end(),
                     [&](const auto& f) { return (f.second & ~At(spec, f.first)) == 0; });
}

bool RefinesDivergences(const Denotation& spec, const Denotation& impl) {
  for (Trace t : impl.divergences) {
    if (!Within(spec.divergences, t)) return false;
  }
  for (Trace t : impl.traces) {
    if (!Within(spec.divergences, t) && spec.traces.count(t) == 0) return false;
  }
  for (auto [t, x] : impl.failures) {
    if (!Within(spec.divergences, t) && (x & ~At(spec, t)) != 0) return false;
  }
  return true;
}

}  // namespace heddle::csp::testing
