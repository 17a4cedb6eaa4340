// The laws of testing/laws.h on random processes: each must hold in both directions.
#include "csp/testing/laws.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "csp/csp.h"
#include "csp/testing/random_process.h"

namespace heddle::csp {
namespace {

// The law's letters stand for whole processes, sets and events of the instance.
std::string Instance(const std::string& law, const std::map<std::string, std::string>& meaning) {
  std::string out;
  for (size_t i = 0; i < law.size();) {
    size_t end = i;
    while (end < law.size() &&
           (std::isalnum(static_cast<unsigned char>(law[end])) != 0 || law[end] == '_' || law[end] == '\''))
      ++end;
    if (end == i) {
      out += law[i++];
      continue;
    }
    std::string word = law.substr(i, end - i);
    auto it = meaning.find(word);
    out += it == meaning.end() ? word : it->second;
    i = end;
  }
  return out;
}

// The context with its holes, "{}", filled.
std::string Filled(std::string context, const std::string& operand) {
  for (size_t at = 0; (at = context.find("{}", at)) != std::string::npos; at += operand.size())
    context.replace(at, 2, operand);
  return context;
}

std::map<std::string, std::string> RandomMeaning(std::mt19937& random) {
  const char* const events[] = {"a", "b", "c"};
  std::map<std::string, std::string> meaning;
  for (const char* letter : {"X", "Y", "Z"}) meaning[letter] = "(" + testing::RandomProcess(random, 2).text + ")";
  for (const char* letter : {"A", "B", "C"}) meaning[letter] = testing::SetText(static_cast<uint8_t>(random() % 8));
  for (const char* letter : {"e", "f"}) meaning[letter] = events[random() % 3];
  return meaning;
}

const std::string kHeader =
    "channel a, b, c\ntransparent sbisim, normal, diamond, wbisim, tau_loop_factor\nexternal loop\n";

void ExpectAllPass(const std::string& text) {
  Result<std::unique_ptr<Script>> script = Script::FromText("laws.csp", text, {});
  ASSERT_TRUE(script.ok()) << script.error().message;
  for (const CheckResult& r : (*script)->CheckAll({})) {
    EXPECT_EQ(r.verdict, Verdict::kPassed) << r.text << "\n" << r.explanation << r.error << r.reason;
  }
}

TEST(Laws, EqualitiesHoldOnRandomProcesses) {
  std::mt19937 random(20);
  RunOnLargeStack([&] {
    for (int round = 0; round < 40; ++round) {
      std::string text = kHeader;
      for (const Law& law : kLaws) {
        auto meaning = RandomMeaning(random);
        std::string left = Instance(law.left, meaning);
        std::string right = Instance(law.right, meaning);
        text += fmt::format("assert ({0}) [FD= ({1})\nassert ({1}) [FD= ({0})\n", left, right);
        // What diverges at once is chaos in FD only.
        bool divergent = left.find("DIV") != std::string::npos || right.find("DIV") != std::string::npos;
        if (round % 4 == 0 && !divergent)
          text += fmt::format("assert ({0}) [F= ({1})\nassert ({1}) [T= ({0})\n", left, right);
      }
      ExpectAllPass(text);
      if (::testing::Test::HasFailure()) return;
    }
  });
}

TEST(Laws, OperatorsAreMonotonic) {
  std::mt19937 random(21);
  RunOnLargeStack([&] {
    for (int round = 0; round < 60; ++round) {
      std::string text = kHeader;
      for (const char* context : kContexts) {
        auto meaning = RandomMeaning(random);
        std::string weaker = Instance(Filled(context, "(X |~| Y)"), meaning);
        std::string stronger = Instance(Filled(context, "X"), meaning);
        text += fmt::format("assert ({0}) [FD= ({1})\nassert ({0}) [F= ({1})\n", weaker, stronger);
      }
      ExpectAllPass(text);
      if (::testing::Test::HasFailure()) return;
    }
  });
}

TEST(Laws, ThereAreAFewHundred) { EXPECT_GE(std::size(kLaws), 300u); }

}  // namespace
}  // namespace heddle::csp
