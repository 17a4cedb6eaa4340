// Compressions: verdicts with and without them on random networks, sizes, and bisimulation against the naive fixpoint.
// HEDDLE_COMPRESS_ROUNDS sets the number of networks; the default is a small share of what was run once.
#include "csp/lts/compress.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

#include "csp/csp.h"
#include "csp/lts/bisim.h"

namespace heddle::csp {
namespace {

constexpr const char* kFunctions[] = {"sbisim",  "dbisim",          "wbisim",         "normal",
                                      "diamond", "tau_loop_factor", "model_compress", "explicate"};

std::string RandomSet(std::mt19937& random) {
  std::string out = "{";
  for (int i = 0; i < 4; ++i) {
    if (random() % 2 == 0) out += fmt::format("{}c.{}", out.size() == 1 ? "" : ",", i);
  }
  return out + "}";
}

std::string RandomLeaf(std::mt19937& random, const std::string& name) {
  size_t states = 2 + random() % 4;
  std::string out;
  for (size_t s = 0; s < states; ++s) {
    std::string body;
    size_t branches = 1 + random() % 3;
    for (size_t b = 0; b < branches; ++b) {
      std::string next = fmt::format("{}_{}", name, random() % states);
      if (random() % 8 == 0) next = random() % 2 == 0 ? "SKIP" : "STOP";
      const char* join = b == 0 ? "" : random() % 3 == 0 ? " |~| " : random() % 6 == 0 ? " [> " : " [] ";
      body += fmt::format("{}c.{} -> {}", join, random() % 4, next);
    }
    out += fmt::format("{}_{} = {}\n", name, s, body);
  }
  return out;
}

// `@` marks a place where a compression may stand; its operand is in parentheses.
std::string RandomNetwork(std::mt19937& random, int depth, size_t leaves) {
  if (depth == 0) return fmt::format("@(L{}_0 \\ {})", random() % leaves, RandomSet(random));
  std::string left = RandomNetwork(random, depth - 1, leaves);
  std::string right = RandomNetwork(random, depth - 1, leaves);
  switch (random() % 7) {
    case 0:
      return fmt::format("@({} ; {})", left, right);
    case 1:
      return fmt::format("@({} /\\ {})", left, right);
    case 2:
      return fmt::format("@({} [] {})", left, right);
    case 3:
      return fmt::format("@({} ||| {})", left, right);
    case 4:
      return fmt::format("@({} [> {})", left, right);
    default:
      return fmt::format("@(({} [| {} |] {}) \\ {})", left, RandomSet(random), right, RandomSet(random));
  }
}

std::string Fill(std::mt19937& random, std::string network, bool compress) {
  for (size_t at = 0; (at = network.find('@')) != std::string::npos;) {
    bool here = compress && random() % 2 == 0;
    network.replace(at, 1, here ? kFunctions[random() % std::size(kFunctions)] : "");
  }
  return network;
}

void CompareNetwork(uint32_t seed) {
  std::mt19937 random(seed);
  std::string text =
      "transparent sbisim, dbisim, wbisim, normal, diamond, tau_loop_factor, model_compress, explicate\n";
  text += "channel c : {0..3}\n";
  for (int i = 0; i < 3; ++i) text += RandomLeaf(random, fmt::format("L{}", i));
  std::string plain = RandomNetwork(random, 1 + static_cast<int>(seed % 2), 3);
  text += "P = " + Fill(random, plain, false) + "\nC = " + Fill(random, plain, true) + "\n";
  bool finer = seed % 4 == 0;
  std::vector<std::string> models = {"T", "F", "FD"};
  if (finer) models = {"F", "V", "VD", "R", "RD"};
  for (const std::string& m : models) text += fmt::format("assert P [{0}= C\nassert C [{0}= P\n", m);
  text += "assert P :[deadlock free [F]]\nassert C :[deadlock free [F]]\n";
  text += "assert P :[divergence free]\nassert C :[divergence free]\n";
  text += "assert P :[deterministic]\nassert C :[deterministic]\n";
  Result<std::unique_ptr<Script>> script = Script::FromText("compress.csp", text, {});
  ASSERT_TRUE(script.ok()) << script.error().message << text;
  CheckOptions options;
  options.max_states = 20'000;
  std::vector<CheckResult> results = (*script)->CheckAll(options);
  size_t refinements = models.size() * 2;
  for (size_t i = 0; i < results.size(); i += 2) {
    if (results[i].verdict == Verdict::kUndecided || results[i + 1].verdict == Verdict::kUndecided) continue;
    Verdict wanted = i < refinements ? Verdict::kPassed : results[i].verdict;
    for (size_t k : {i, i + 1}) {
      ASSERT_EQ(results[k].verdict, wanted) << "seed " << seed << "\n"
                                            << results[k].text << "\n"
                                            << results[k].explanation << "\n"
                                            << text;
    }
  }
  Result<Graph> big = (*script)->Explore("P", 5'000);
  if (!big.ok() || !big->complete) return;
  for (const char* function : kFunctions) {
    Result<Graph> small = (*script)->Explore(fmt::format("{}(P)", function), 5'000);
    ASSERT_TRUE(small.ok());
    ASSERT_LE(small->states.size(), big->states.size()) << function << " seed " << seed << "\n" << text;
  }
}

TEST(Compress, RandomNetworksKeepTheirVerdicts) {
  const char* rounds = std::getenv("HEDDLE_COMPRESS_ROUNDS");
  uint32_t count = rounds == nullptr ? 120 : static_cast<uint32_t>(std::atoi(rounds));
  RunOnLargeStack([&] {
    for (uint32_t seed = 1; seed <= count; ++seed) {
      CompareNetwork(seed);
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
}

// Signatures until nothing changes, all states each time.
std::vector<uint32_t> NaiveClasses(const ExplicitLts& lts) {
  std::vector<uint32_t> block(lts.states.size(), 0);
  size_t count = 1;
  while (true) {
    std::map<std::pair<uint32_t, std::set<std::pair<EventId, uint32_t>>>, uint32_t> names;
    std::vector<uint32_t> next;
    for (size_t s = 0; s < block.size(); ++s) {
      std::set<std::pair<EventId, uint32_t>> signature;
      for (const auto& edge : lts.states[s]) {
        signature.emplace(edge.event, edge.event == kTick ? 0 : block[edge.target]);
      }
      next.push_back(names.try_emplace({block[s], signature}, static_cast<uint32_t>(names.size())).first->second);
    }
    block = next;
    if (names.size() == count) return block;
    count = names.size();
  }
}

TEST(Compress, BisimulationAgreesWithTheNaiveFixpoint) {
  std::mt19937 random(7);
  for (int round = 0; round < 3'000; ++round) {
    ExplicitLts lts;
    size_t n = 1 + random() % 30;
    for (size_t s = 0; s < n; ++s) {
      std::vector<ExplicitLts::Edge> edges;
      for (size_t e = random() % 3; e-- > 0;) {
        edges.push_back({static_cast<EventId>(random() % 4), static_cast<uint32_t>(random() % n)});
      }
      lts.states.push_back(std::move(edges));
    }
    ASSERT_EQ(BisimulationClasses(lts), NaiveClasses(lts)) << "round " << round;
  }
}

// A chain is the worst case for rounds that look at every state.
TEST(Compress, LongChainsAreFast) {
  ExplicitLts lts;
  for (uint32_t s = 0; s < 100'000; ++s) lts.states.push_back({{kFirstEvent, s + 1}});
  lts.states.emplace_back();
  EXPECT_EQ(BisimulationClasses(lts).back(), 100'000u);
}

TEST(Compress, HiddenCyclesShrink) {
  std::string text =
      "transparent sbisim, dbisim, wbisim, normal, diamond\nchannel t, a\n"
      "CH = t -> t -> t -> t -> t -> a -> CH\n";
  Result<std::unique_ptr<Script>> script = Script::FromText("chain.csp", text, {});
  ASSERT_TRUE(script.ok()) << script.error().message;
  auto states = [&](const std::string& process) { return (*script)->Explore(process, 100)->states.size(); };
  EXPECT_EQ(states("CH"), 6u);
  EXPECT_EQ(states("sbisim(CH)"), 6u);
  EXPECT_EQ(states("sbisim(CH \\ {t})"), 6u);
  EXPECT_EQ(states("dbisim(CH \\ {t})"), 1u);
  EXPECT_EQ(states("wbisim(CH \\ {t})"), 1u);
  EXPECT_EQ(states("normal(CH \\ {t})"), 1u);
  EXPECT_EQ(states("diamond(CH \\ {t})"), 2u);
}

}  // namespace
}  // namespace heddle::csp
