// Algebraic laws of CSP on random processes: each must hold in both directions in the failures-divergences model, where
// it is an equality, and so in the weaker models. X, Y, Z are processes; A, B sets; e, f events.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "csp/csp.h"
#include "csp/testing/random_process.h"

namespace heddle::csp {
namespace {

struct Law {
  const char* left;
  const char* right;
};

// clang-format off
const Law kLaws[] = {
    // Choice: idempotent, commutative, associative, with its unit; distribution over |~|.
    {"X [] X", "X"}, {"X [] Y", "Y [] X"}, {"(X [] Y) [] Z", "X [] (Y [] Z)"}, {"X [] STOP", "X"}, {"STOP [] X", "X"},
    {"X |~| X", "X"}, {"X |~| Y", "Y |~| X"}, {"(X |~| Y) |~| Z", "X |~| (Y |~| Z)"},
    {"X [] (Y |~| Z)", "(X [] Y) |~| (X [] Z)"}, {"X |~| (Y [] Z)", "(X |~| Y) [] (X |~| Z)"},
    {"(X |~| Y) [] Z", "(X [] Z) |~| (Y [] Z)"}, {"X [] DIV", "DIV"}, {"X |~| DIV", "DIV"}, {"DIV [] X", "DIV"},
    // Prefix.
    {"e -> (X |~| Y)", "(e -> X) |~| (e -> Y)"}, {"(e -> X) [] (e -> Y)", "e -> (X |~| Y)"},
    {"(e -> X) [] (e -> Y)", "(e -> X) |~| (e -> Y)"}, {"e -> X", "[] g : {e} @ g -> X"},
    {"(e -> X) [] (f -> Y)", "[] p : {0,1} @ if p == 0 then e -> X else f -> Y"},
    {"(e -> X) |~| (f -> Y)", "|~| p : {0,1} @ if p == 0 then e -> X else f -> Y"},
    // Sliding choice.
    {"X [> Y", "(X |~| STOP) [] Y"}, {"STOP [> X", "X"}, {"X [> X", "X [> X [> X"}, {"(X [> Y) [> Z", "X [> (Y [> Z)"},
    {"X [> (Y |~| Z)", "(X [> Y) |~| (X [> Z)"}, {"(X |~| Y) [> Z", "(X [> Z) |~| (Y [> Z)"},
    {"(X [] Y) [> Z", "X [> (Y [> Z)"}, {"X [> DIV", "DIV"}, {"(e -> X) [> STOP", "(e -> X) |~| STOP"},
    {"(X [> Y) [] Z", "X [> (Y [] Z)"},
    // Guards and conditionals.
    {"true & X", "X"}, {"false & X", "STOP"}, {"if true then X else Y", "X"}, {"if false then X else Y", "Y"},
    // Sequence.
    {"SKIP ; X", "X"}, {"STOP ; X", "STOP"}, {"DIV ; X", "DIV"}, {"(X ; Y) ; Z", "X ; (Y ; Z)"},
    {"X ; SKIP", "X |~| X ; SKIP"}, {"(e -> X) ; Y", "e -> (X ; Y)"}, {"(X |~| Y) ; Z", "(X ; Z) |~| (Y ; Z)"},
    {"X ; (Y |~| Z)", "(X ; Y) |~| (X ; Z)"}, {"(SKIP [] e -> X) ; Y", "(e -> (X ; Y)) [> Y"},
    {"; i : <1,2> @ X", "X ; X"}, {"; i : <> @ X", "SKIP"},
    {"(e -> X [] f -> Y) ; Z", "e -> (X ; Z) [] f -> (Y ; Z)"},
    // Interleaving.
    {"X ||| Y", "Y ||| X"}, {"(X ||| Y) ||| Z", "X ||| (Y ||| Z)"}, {"X ||| SKIP", "X"}, {"SKIP ||| X", "X"},
    {"(X |~| Y) ||| Z", "(X ||| Z) |~| (Y ||| Z)"}, {"X ||| DIV", "DIV"},
    {"(e -> X) ||| (f -> Y)", "e -> (X ||| f -> Y) [] f -> ((e -> X) ||| Y)"},
    {"(e -> X) ||| STOP", "e -> (X ||| STOP)"}, {"||| i : {1,2} @ X", "X ||| X"}, {"||| i : {} @ X", "SKIP"},
    {"||| i : {1} @ X", "X"}, {"X ||| STOP", "(X ||| STOP) ||| STOP"}, {"X ||| STOP", "X ||| SKIP ; STOP"},
    // Synchronised parallel.
    {"X [| A |] Y", "Y [| A |] X"}, {"(X [| A |] Y) [| A |] Z", "X [| A |] (Y [| A |] Z)"},
    {"X [| {} |] Y", "X ||| Y"}, {"(X |~| Y) [| A |] Z", "(X [| A |] Z) |~| (Y [| A |] Z)"},
    {"SKIP [| A |] SKIP", "SKIP"}, {"DIV [| A |] X", "DIV"}, {"STOP [| A |] STOP", "STOP"},
    {"(e -> X) [| {e} |] (e -> Y)", "e -> (X [| {e} |] Y)"},
    {"(e -> X) [| {e,f} |] (f -> Y)", "if e == f then e -> (X [| {e,f} |] Y) else STOP"},
    {"(e -> X) [| {e} |] STOP", "STOP"}, {"(e -> X) [| {e} |] SKIP", "STOP"},
    {"(e -> X) [| {} |] (e -> Y)", "e -> (X ||| e -> Y) [] e -> ((e -> X) ||| Y)"},
    {"[| A |] i : {1,2} @ X", "X [| A |] X"}, {"[| A |] i : {1,2,3} @ X", "X [| A |] (X [| A |] X)"},
    {"[| A |] i : {} @ X", "SKIP"}, {"X [| {a,b,c} |] RUN({a,b,c})", "X ; STOP |~| (X [| {a,b,c} |] RUN({a,b,c}))"},
    {"X [| A |] (Y |~| Z)", "(X [| A |] Y) |~| (X [| A |] Z)"},
    {"(X ||| Y) [| A |] STOP", "(X [| A |] STOP) ||| (Y [| A |] STOP) ||| STOP"},
    // Alphabetised parallel.
    {"X [ A || B ] Y", "Y [ B || A ] X"}, {"(X |~| Y) [ A || B ] Z", "(X [ A || B ] Z) |~| (Y [ A || B ] Z)"},
    {"X [ {a,b,c} || {a,b,c} ] Y", "X [| {a,b,c} |] Y"}, {"X [ {a,b,c} || {} ] SKIP", "X"},
    {"X [ A || B ] Y", "|| i : {0,1} @ [if i == 0 then A else B] (if i == 0 then X else Y)"},
    {"(X [ A || B ] Y) [ union(A,B) || C ] Z", "X [ A || union(B,C) ] (Y [ B || C ] Z)"},
    {"STOP [ A || B ] STOP", "STOP"}, {"SKIP [ A || B ] SKIP", "SKIP"},
    {"X [ A || B ] Y", "(X [ A || A ] X [| {a,b,c} |] X [ A || B ] Y) |~| (X [ A || B ] Y)"},
    // Hiding.
    {"X \\ {}", "X"}, {"(X \\ A) \\ B", "X \\ union(A,B)"}, {"(X \\ A) \\ B", "(X \\ B) \\ A"},
    {"(X |~| Y) \\ A", "(X \\ A) |~| (Y \\ A)"}, {"(e -> X) \\ {e}", "X \\ {e}"}, {"(e -> X) \\ {}", "e -> X"},
    {"(X ; Y) \\ A", "(X \\ A) ; (Y \\ A)"}, {"(X ||| Y) \\ A", "(X \\ A) ||| (Y \\ A)"}, {"SKIP \\ A", "SKIP"},
    {"STOP \\ A", "STOP"}, {"X |\\ {a,b,c}", "X"}, {"X |\\ A", "X \\ diff({a,b,c}, A)"},
    {"(X [| A |] Y) \\ diff(B, A)", "(X \\ diff(B, A)) [| A |] (Y \\ diff(B, A))"},
    {"((e -> X) [] (f -> Y)) \\ {e}", "if e == f then (X |~| Y) \\ {e} else (X \\ {e}) [] (f -> (Y \\ {e})) |~| (X \\ {e})"},
    {"(X [> Y) \\ A", "(X \\ A) [> (Y \\ A) |~| (X [> Y) \\ A"}, {"DIV \\ A", "DIV"},
    // Renaming.
    {"X[[a <- a]]", "X"}, {"(X |~| Y)[[a <- b]]", "X[[a <- b]] |~| Y[[a <- b]]"},
    {"(X [] Y)[[a <- b]]", "X[[a <- b]] [] Y[[a <- b]]"}, {"(X ; Y)[[a <- b]]", "X[[a <- b]] ; Y[[a <- b]]"},
    {"(X ||| Y)[[a <- b]]", "X[[a <- b]] ||| Y[[a <- b]]"}, {"(a -> X)[[a <- b]]", "b -> X[[a <- b]]"},
    {"(b -> X)[[a <- b]]", "b -> X[[a <- b]]"}, {"X[[a <- b, b <- a]][[a <- b, b <- a]]", "X"},
    {"X[[a <- b, b <- c, c <- a]][[b <- a, c <- b, a <- c]]", "X"}, {"SKIP[[a <- b]]", "SKIP"}, {"STOP[[a <- b]]", "STOP"},
    {"X[[a <- b]][[b <- c]]", "X[[a <- c, b <- c]]"}, {"(a -> X)[[a <- b, a <- c]]", "b -> X[[a <- b, a <- c]] [] c -> X[[a <- b, a <- c]]"},
    {"(X \\ {c})[[a <- b]]", "X[[a <- b]] \\ {c}"}, {"X[[a <- b, b <- a]] \\ {a}", "(X \\ {b})[[a <- b, b <- a]]"},
    {"X[[g <- g | g <- {a,b,c}]]", "X"}, {"(X [| {a,b} |] Y)[[a <- b, b <- a]]", "X[[a <- b, b <- a]] [| {a,b} |] Y[[a <- b, b <- a]]"},
    {"DIV[[a <- b]]", "DIV"}, {"(X /\\ Y)[[a <- b]]", "X[[a <- b]] /\\ Y[[a <- b]]"},
    // Interrupt.
    {"STOP /\\ X", "X"}, {"X /\\ STOP", "X"}, {"(X /\\ Y) /\\ Z", "X /\\ (Y /\\ Z)"},
    {"(e -> X) /\\ Y", "Y [] (e -> (X /\\ Y))"}, {"(X |~| Y) /\\ Z", "(X /\\ Z) |~| (Y /\\ Z)"},
    {"X /\\ (Y |~| Z)", "(X /\\ Y) |~| (X /\\ Z)"}, {"DIV /\\ X", "DIV"}, {"X /\\ DIV", "DIV"},
    {"SKIP /\\ X", "SKIP [] X"}, {"SKIP /\\ SKIP", "SKIP"},
    // Exceptions.
    {"X [| {} |> Y", "X"}, {"STOP [| A |> X", "STOP"}, {"SKIP [| A |> X", "SKIP"}, {"DIV [| A |> X", "DIV"},
    {"(e -> X) [| {e} |> Y", "e -> Y"}, {"(e -> X) [| {} |> Y", "e -> (X [| {} |> Y)"},
    {"(X |~| Y) [| A |> Z", "(X [| A |> Z) |~| (Y [| A |> Z)"}, {"(X [] Y) [| A |> Z", "(X [| A |> Z) [] (Y [| A |> Z)"},
    {"X [| A |> (Y |~| Z)", "(X [| A |> Y) |~| (X [| A |> Z) |~| (X [| A |> (Y |~| Z))"},
    {"(X [| A |> Y) [| A |> Z", "X [| A |> (Y [| A |> Z) |~| (X [| A |> Y) [| A |> Z"},
    // Compressions are the identity.
    {"sbisim(X)", "X"}, {"normal(X)", "X"}, {"diamond(X ||| Y)", "X ||| Y"}, {"wbisim(X) \\ A", "X \\ A"},
    {"sbisim(X) [| A |] sbisim(Y)", "sbisim(X [| A |] Y)"}, {"tau_loop_factor(X [> Y)", "X [> Y"},
    // Functions, lambda, let: what is bound is what is written.
    {"let P = X within P", "X"}, {"(\\ p @ p)(X)", "X"}, {"let k(p,q) = p [] q within k(X,Y)", "X [] Y"},
    {"let (p,q) = (e,f) within p -> q -> X", "e -> f -> X"}, {"let k(0) = X\n k(1) = Y\n within k(1)", "Y"},
    {"[] g : {g' | g' <- {a,b,c}, g' == e} @ g -> X", "e -> X"}, {"[] i : set(<1,1,2>) @ X", "X"},
    // Step laws of parallel on general prefixes.
    {"(e -> X) [| {e,f} |] (e -> Y [] f -> Z)", "if e == f then e -> (X [| {e,f} |] (Y |~| Z)) else e -> (X [| {e,f} |] Y)"},
    {"(e -> X [] f -> Y) [| {} |] SKIP", "e -> X [] f -> Y"},
    {"(e -> SKIP) ||| (f -> SKIP)", "e -> f -> SKIP [] f -> e -> SKIP"},
    {"(e -> STOP) [| {e} |] (e -> f -> STOP)", "if e == f then e -> STOP else e -> f -> STOP"},
    {"CHAOS({a,b,c})", "CHAOS({a,b,c}) |~| STOP"}, {"RUN({a,b})", "RUN({a}) ||| RUN({b})"}, {"RUN({})", "STOP"},
    {"CHAOS({})", "STOP"}, {"CHAOS({a,b})", "CHAOS({a}) ||| CHAOS({b})"}, {"RUN(A) [| A |] RUN(A)", "RUN(A)"},
    {"loop(e -> SKIP)", "e -> loop(e -> SKIP)"},
};

// Monotonicity: refining an operand refines the whole; X |~| Y is refined by X.
const char* const kContexts[] = {
    "{} [] Z", "Z [] {}", "{} |~| Z", "{} ||| Z", "Z ||| {}", "{} [| A |] Z", "Z [| A |] {}", "{} [ A || B ] Z",
    "{} ; Z", "Z ; {}", "{} \\ A", "{} |\\ A", "({})[[a <- b, b <- a]]", "({})[[a <- b, a <- c]]", "{} /\\ Z", "Z /\\ {}",
    "{} [> Z", "Z [> {}", "{} [| A |> Z", "Z [| A |> {}", "e -> ({})", "sbisim({})", "let P = {} within P [] P",
    "({} \\ A) ||| Z", "({} ; Z) [| B |] Z", "({} [] Z) \\ B", "e -> f -> ({})", "({} ||| e -> SKIP) ; Z",
    "[] i : {1,2} @ ({})", "||| i : {1,2} @ ({})", "[| A |] i : {1,2} @ ({})", "|~| i : {1,2} @ ({})", "; i : <1,2> @ ({})",
};
// clang-format on

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

TEST(Laws, ThereAreAFewHundred) { EXPECT_GE(2 * std::size(kLaws) + std::size(kContexts), 300u); }

}  // namespace
}  // namespace heddle::csp
