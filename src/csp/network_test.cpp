// Random networks of recursive processes: systems of leaves, whole terms, reduction and threads must all agree. The
// terms follow the rules of the language one operator at a time and share nothing with the compiled rules.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "csp/csp.h"
#include "csp/testing/random_network.h"

namespace heddle::csp {
namespace {

using testing::RandomChains;
using testing::RandomLeaf;
using testing::RandomNetwork;
using testing::RandomScript;
using testing::RandomSet;

std::vector<CheckResult> Outcome(const std::string& text, bool terms_only, int jobs, bool growing = false,
                                 bool graded = true) {
  Result<std::unique_ptr<Script>> script = Script::FromText("network.csp", text, {});
  EXPECT_TRUE(script.ok()) << script.error().message << text;
  if (!script) return {};
  (*script)->UseTermsOnly(terms_only);
  (*script)->UseGrowingLeaves(growing);
  (*script)->UseGradedSearch(graded);
  CheckOptions options;
  options.jobs = jobs;
  options.max_states = 20'000;
  return (*script)->CheckAll(options);
}

void ExpectSame(const std::vector<CheckResult>& a, const std::vector<CheckResult>& b, bool lengths,
                const std::string& text) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].verdict == Verdict::kUndecided || b[i].verdict == Verdict::kUndecided) continue;
    ASSERT_EQ(a[i].verdict, b[i].verdict) << a[i].text << "\n"
                                          << a[i].explanation << "\n"
                                          << b[i].explanation << "\n"
                                          << text;
    // Terms take a step more for each composite that terminates, so lengths are only compared between equals.
    if (lengths) {
      ASSERT_EQ(a[i].steps.size(), b[i].steps.size()) << a[i].text << "\n" << text;
    }
  }
}

// The search that keeps all states in its tables is the reference for the graded one.
TEST(Networks, GradedProductsAgree) {
  RunOnLargeStack([&] {
    for (uint32_t seed = 0; seed < 100; ++seed) {
      std::mt19937 random(seed);
      std::string text = RandomChains(random);
      std::vector<CheckResult> graded = Outcome(text, false, 1);
      std::vector<CheckResult> tables = Outcome(text, false, 1, false, false);
      ExpectSame(graded, tables, true, text);
      ExpectSame(graded, Outcome(text, false, 2), true, text);
      ExpectSame(graded, Outcome(text, false, 3, false, false), true, text);
      ExpectSame(graded, Outcome(text, true, 1), false, text);
      for (size_t i = 0; i < graded.size() && i < tables.size(); ++i) {
        if (graded[i].verdict == Verdict::kPassed) {
          ASSERT_EQ(graded[i].states, tables[i].states) << text;
        }
      }
      if (::testing::Test::HasFailure()) return;
    }
  });
}

// Operators that look at every step of a network: its states step as a system of leaves, and as terms. In a timed
// section the sides of a parallel composition terminate together.
std::string RandomPriorities(std::mt19937& random, bool timed) {
  std::string text = "external prioritise, prioritisepo\nchannel c : {0..4}\nchannel tock\nzero(x) = 0\n";
  std::vector<std::string> leaves;
  if (timed) text += "Timed(zero) {\n";
  for (size_t i = 0; i < 2 + random() % 2; ++i) {
    std::string name = fmt::format("L{}", i);
    text += RandomLeaf(random, name);
    leaves.push_back(random() % 3 == 0 && timed ? fmt::format("(WAIT({}) ; {}_0)", random() % 3, name) : name + "_0");
  }
  std::string network = RandomNetwork(random, leaves, 0, leaves.size());
  constexpr std::string_view kLink = "[c.0 <-> c.1]";  // has no timed form
  for (size_t at = 0; timed && (at = network.find(kLink)) != std::string::npos;) {
    network.replace(at, kLink.size(), "[| {c.3} |]");
  }
  text += fmt::format("NET = {}\n", network);
  if (timed) text += "}\n";
  text += fmt::format("IMPL = prioritise(NET, <{}, {}, {{tock}}>)\n", RandomSet(random), timed ? "{}" : "{c.2}");
  text += fmt::format("PO = prioritisepo(NET, Events, {{(c.{}, c.4), (c.0, tock)}}, {{c.0}})\n", random() % 4);
  for (const char* process : {"IMPL", "PO"}) {
    for (const char* claim :
         {"NET [T= {0}", "NET [F= {0}", "{0} [F= NET", "{0} :[deadlock free [F]]", "{0} :[divergence free]",
          "{0} :[deterministic [F]]", "{0} [FD= {0} \\ {{c.1}}", "NET [R= {0}",
          "NET [F= ({0}[[c.1 <- c.3, c.1 <- c.1, c.0 <- c.2]]) \\ {{c.4}}", "{0} [| {{c.0}} |] NET :[divergence free]",
          "({0} \\ {{c.2}}) ; {0} :[deadlock free [F]]", "NET [T= {0} :[tau priority over]: {{c.3}}"}) {
      text += "assert " + fmt::format(fmt::runtime(claim), process) + "\n";
    }
  }
  return text;
}

TEST(Networks, PrioritiesAgreeOnLeavesAndTerms) {
  size_t decided = 0;
  RunOnLargeStack([&] {
    for (uint32_t seed = 0; seed < 400; ++seed) {
      std::mt19937 random(seed);
      std::string text = RandomPriorities(random, seed % 2 == 0);
      std::vector<CheckResult> leaves = Outcome(text, false, 1);
      ExpectSame(leaves, Outcome(text, true, 1), false, text);
      for (const CheckResult& r : leaves) decided += r.verdict != Verdict::kUndecided;
      if (::testing::Test::HasFailure()) return;
    }
  });
  EXPECT_GE(decided, 4'000u);
}

// A network that is chased beside others, below hiding and renaming: explored in advance, and a little at a time.
std::string RandomChase(std::mt19937& random) {
  std::string text = "external chase\nchannel c : {0..4}\n";
  std::vector<std::string> leaves;
  size_t count = 3 + random() % 3;
  for (size_t i = 0; i < count; ++i) {
    text += RandomLeaf(random, fmt::format("L{}", i));
    leaves.push_back(fmt::format("L{}_0", i));
  }
  size_t chased = 2 + random() % (count - 2);
  std::string inner;
  if (random() % 3 == 0) {
    inner = RandomNetwork(random, leaves, 0, chased);
  } else {
    for (size_t i = 0; i < chased; ++i) {
      inner += fmt::format("{}{}", i == 0 ? "" : fmt::format(" [| {} |] ", RandomSet(random)), leaves[i]);
    }
  }
  text += fmt::format("SPY = chase(({}) \\ {})", inner, RandomSet(random));
  if (random() % 2 == 0) text += "[[c.0 <- c.1, c.0 <- c.0, c.3 <- c.4]]";
  if (random() % 3 == 0) text += fmt::format(" \\ {}", RandomSet(random));
  text += "\n";
  std::string rest = chased == count ? "STOP" : RandomNetwork(random, leaves, chased, count);
  text += fmt::format("IMPL = (SPY [| {} |] ({})) \\ {}\n", RandomSet(random), rest, RandomSet(random));
  for (const char* claim :
       {"CHAOS({|c|}) [F= IMPL", "RUN({|c|}) [T= IMPL", "STOP [T= IMPL", "IMPL :[deadlock free [F]]",
        "IMPL :[deadlock free]", "IMPL :[divergence free]", "IMPL :[deterministic]", "SPY [F= IMPL", "IMPL [F= SPY",
        "IMPL [T= SPY", "SPY [FD= SPY ||| STOP", "SPY ; c.0 -> SKIP [T= SPY ; c.1 -> SKIP", "IMPL [V= SPY"}) {
    text += fmt::format("assert {}\n", claim);
  }
  return text;
}

TEST(Networks, WhatIsChasedGrowsToTheSame) {
  size_t decided = 0;
  RunOnLargeStack([&] {
    for (uint32_t seed = 0; seed < 600; ++seed) {
      std::mt19937 random(seed);
      std::string text = RandomChase(random);
      std::vector<CheckResult> machines = Outcome(text, false, 1);
      ExpectSame(machines, Outcome(text, false, 1, true), false, text);
      if (seed % 10 == 0) ExpectSame(machines, Outcome(text, false, 2, true), false, text);
      for (const CheckResult& r : machines) decided += r.verdict != Verdict::kUndecided;
      if (::testing::Test::HasFailure()) return;
    }
  });
  EXPECT_GE(decided, 7'000u);
}

TEST(Networks, LeavesTermsReductionAndThreadsAgree) {
  size_t decided = 0;
  RunOnLargeStack([&] {
    for (uint32_t seed = 0; seed < 1500; ++seed) {
      std::mt19937 random(seed);
      std::mt19937 same(seed);
      std::string plain = RandomScript(random, false);
      std::string reduced = RandomScript(same, true);
      std::vector<CheckResult> leaves = Outcome(plain, false, 1);
      ExpectSame(leaves, Outcome(plain, true, 1), false, plain);
      ExpectSame(leaves, Outcome(reduced, false, 1), false, plain);
      if (seed % 10 == 0) ExpectSame(leaves, Outcome(plain, false, 2), true, plain);
      for (const CheckResult& r : leaves) decided += r.verdict != Verdict::kUndecided;
      if (::testing::Test::HasFailure()) return;
    }
  });
  EXPECT_GE(decided, 10'000u);
}

}  // namespace
}  // namespace heddle::csp
