// Revivals and refusal testing against sets of observations, listed one by one from the transition graph of a process.
// The lists share nothing with the search: they know no normal forms, only paths and subsets.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "csp/csp.h"
#include "csp/testing/random_process.h"

namespace heddle::csp {
namespace {

// Events are bits: a, b, c, and tick as 3. Refusals are masks of them; kNothing is "not looked".
constexpr int kTickBit = 3;
constexpr uint8_t kNothing = 99;

using Observation = std::vector<uint8_t>;

struct Lts {
  std::vector<std::vector<std::pair<int, uint32_t>>> edges;  // -1 is tau

  explicit Lts(const Graph& graph) : edges(graph.states.size()) {
    for (const Graph::Edge& e : graph.edges) {
      int event = e.event == "τ" ? -1 : e.event == "✓" ? kTickBit : e.event[0] - 'a';
      edges[e.from].emplace_back(event, e.to);
    }
  }

  std::set<uint32_t> TauClosure(uint32_t s) const {
    std::set<uint32_t> seen{s};
    std::vector<uint32_t> todo{s};
    while (!todo.empty()) {
      uint32_t at = todo.back();
      todo.pop_back();
      for (const auto& [event, to] : edges[at]) {
        if (event == -1 && seen.insert(to).second) todo.push_back(to);
      }
    }
    return seen;
  }

  // The largest refusal of a state that has one: a state that can tick may refuse all else.
  bool Refuses(uint32_t s, uint8_t& mask) const {
    bool stable = true;
    bool ticks = false;
    mask = testing::kAll;
    for (const auto& [event, to] : edges[s]) {
      stable &= event != -1;
      ticks |= event == kTickBit;
      if (event >= 0) mask &= static_cast<uint8_t>(~(1 << event));
    }
    if (ticks) mask = testing::kSigma;
    return stable || ticks;
  }

  bool Ticks(uint32_t s) const {
    for (const auto& [event, to] : edges[s]) {
      if (event == kTickBit) return true;
    }
    return false;
  }
};

// All refusal tests that end well: refusal, event, refusal, event, ...
class RefusalTests {
 public:
  explicit RefusalTests(const Lts& lts) : lts_(lts) {}

  const std::set<Observation>& Of(uint32_t s) {
    auto known = memo_.find(s);
    if (known != memo_.end()) return known->second;
    std::set<Observation> out{{}};
    for (uint32_t t : lts_.TauClosure(s)) Direct(t, out);
    return memo_.emplace(s, std::move(out)).first->second;
  }

 private:
  void Direct(uint32_t t, std::set<Observation>& out) {
    uint8_t mask = 0;
    bool refuses = lts_.Refuses(t, mask);
    for (uint8_t x = 0; x <= testing::kAll; ++x) {
      if (refuses && (x & ~mask) == 0) out.insert({x});
    }
    for (const auto& [event, to] : lts_.edges[t]) {
      if (event == -1) continue;
      Extend(kNothing, event, to, out);
      // What a state refuses before tick is everything; before another event only a state that cannot tick refuses.
      if (!refuses || (lts_.Ticks(t) && event != kTickBit)) continue;
      for (uint8_t x = 0; x <= testing::kAll; ++x) {
        if ((x & ~mask) == 0) Extend(x, event, to, out);
      }
    }
  }

  void Extend(uint8_t refusal, int event, uint32_t to, std::set<Observation>& out) {
    std::set<Observation> after = event == kTickBit ? std::set<Observation>{{}} : Of(to);
    for (const Observation& rest : after) {
      Observation all{refusal, static_cast<uint8_t>(16 + event)};
      all.insert(all.end(), rest.begin(), rest.end());
      out.insert(std::move(all));
    }
  }

  const Lts& lts_;
  std::map<uint32_t, std::set<Observation>> memo_;
};

// Traces, deadlocks (trace, 200) and revivals (trace, 100 + refusal, event).
std::set<Observation> Revivals(const Lts& lts) {
  std::set<Observation> out;
  std::function<void(uint32_t, const Observation&)> visit = [&](uint32_t s, const Observation& trace) {
    out.insert(trace);
    for (uint32_t t : lts.TauClosure(s)) {
      uint8_t mask = 0;
      bool refuses = lts.Refuses(t, mask);
      bool ticks = lts.Ticks(t);
      if (refuses && lts.edges[t].empty()) {
        Observation dead = trace;
        dead.push_back(200);
        out.insert(dead);
      }
      for (const auto& [event, to] : lts.edges[t]) {
        if (event == -1) continue;
        for (uint8_t x = 0; refuses && (!ticks || event == kTickBit) && x <= testing::kAll; ++x) {
          if ((x & ~mask) != 0) continue;
          Observation revival = trace;
          revival.push_back(static_cast<uint8_t>(100 + x));
          revival.push_back(static_cast<uint8_t>(16 + event));
          out.insert(revival);
        }
        Observation next = trace;
        next.push_back(static_cast<uint8_t>(16 + event));
        if (event == kTickBit) {
          out.insert(next);
        } else {
          visit(to, next);
        }
      }
    }
  };
  visit(0, {});
  return out;
}

bool Includes(const std::set<Observation>& spec, const std::set<Observation>& impl) {
  return std::includes(spec.begin(), spec.end(), impl.begin(), impl.end());
}

void Compare(uint32_t seed, size_t& pairs) {
  constexpr int kProcesses = 8;
  std::mt19937 random(seed);
  std::string text = "channel a, b, c\n";
  for (int i = 0; i < kProcesses; ++i) {
    text += fmt::format("P{} = {}\n", i, testing::RandomProcess(random, 2 + static_cast<int>(seed % 2)).text);
  }
  for (int i = 0; i < kProcesses; ++i) text += fmt::format("assert P{} :[divergence free]\n", i);
  for (int i = 0; i < kProcesses; ++i) {
    for (int j = 0; j < kProcesses; ++j) {
      for (const char* model : {"V", "R", "FD", "VD", "RD"}) text += fmt::format("assert P{} [{}= P{}\n", i, model, j);
    }
  }
  Result<std::unique_ptr<Script>> script = Script::FromText("finer.csp", text, {});
  ASSERT_TRUE(script.ok()) << script.error().message << text;
  std::vector<std::set<Observation>> revivals;
  std::vector<std::set<Observation>> tests;
  for (int i = 0; i < kProcesses; ++i) {
    Result<Graph> graph = (*script)->Explore(fmt::format("P{}", i), 10'000);
    ASSERT_TRUE(graph.ok());
    Lts lts(*graph);
    revivals.push_back(Revivals(lts));
    tests.push_back(RefusalTests(lts).Of(0));
    if (tests.back().size() > 200'000) return;
  }
  std::vector<CheckResult> results = (*script)->CheckAll({});
  size_t at = kProcesses;
  for (size_t i = 0; i < kProcesses; ++i) {
    for (size_t j = 0; j < kProcesses; ++j) {
      bool passed[5];
      for (bool& p : passed) p = results[at++].verdict == Verdict::kPassed;
      std::string about = fmt::format("seed {} P{} P{}\n{}", seed, i, j, text);
      ASSERT_EQ(passed[0], Includes(revivals[i], revivals[j])) << "V " << about;
      ASSERT_EQ(passed[1], Includes(tests[i], tests[j])) << "R " << about;
      ASSERT_TRUE(!passed[1] || passed[0]) << "R refines V " << about;
      if (results[i].verdict != Verdict::kPassed) continue;
      ASSERT_EQ(passed[3], passed[0] && passed[2]) << "VD " << about;
      ASSERT_EQ(passed[4], passed[1] && passed[2]) << "RD " << about;
      ++pairs;
    }
  }
}

TEST(Finer, RevivalsAndRefusalTestsAgreeWithTheirObservations) {
  size_t pairs = 0;
  RunOnLargeStack([&] {
    for (uint32_t seed = 1; pairs < 3'000; ++seed) {
      Compare(seed, pairs);
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(Finer, TellsApartWhatFailuresCannot) {
  std::string text =
      "channel a, b\n"
      "P = a -> STOP |~| (a -> STOP [] b -> STOP)\n"
      "Q = (a -> STOP) [> b -> STOP\n"
      "R = (a -> STOP [] b -> STOP) |~| STOP\n"
      "S = a -> STOP |~| b -> STOP |~| STOP\n"
      "assert S [F= R\nassert S [V= R\nassert R [F= S\nassert R [V= S\n"
      "X = (a -> a -> STOP) |~| (b -> STOP [] a -> b -> STOP)\n"
      "Y = (a -> b -> STOP) |~| (b -> STOP [] a -> a -> STOP)\n"
      "assert X [V= Y\nassert X [R= Y\n";
  Result<std::unique_ptr<Script>> script = Script::FromText("apart.csp", text, {});
  ASSERT_TRUE(script.ok()) << script.error().message;
  std::vector<Verdict> verdicts;
  for (const CheckResult& r : (*script)->CheckAll({})) verdicts.push_back(r.verdict);
  constexpr Verdict kYes = Verdict::kPassed;
  constexpr Verdict kNo = Verdict::kFailed;
  EXPECT_EQ(verdicts, (std::vector<Verdict>{kYes, kYes, kYes, kNo, kYes, kNo}));
}

}  // namespace
}  // namespace heddle::csp
