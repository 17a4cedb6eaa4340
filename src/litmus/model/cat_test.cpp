// The cat language: what models of others use, and messages for what is wrong.
#include <gtest/gtest.h>

#include "litmus/model/cat_compile.h"
#include "litmus/testing/models.h"

namespace heddle::litmus {
namespace {

constexpr const char* kSb =
    "X86 SB\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n"
    "exists (0:EAX=0 /\\ 1:EAX=0)\n";
constexpr const char* kCo =
    "X86 2W\n{ x=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [x],$2 ;\n MOV EAX,[x] | ;\nexists (x=1 /\\ 0:EAX=2)\n";

struct Loaded {
  SourceMap sources;
  CatProgram program;
};

Result<std::unique_ptr<Loaded>> Load(const std::string& text, const std::vector<std::string>& variants) {
  auto loaded = std::make_unique<Loaded>();
  CatSearch search = TestSearch();
  search.variants = variants;
  Result<CatModel> model = ParseCatText(loaded->sources, "m.cat", text, search);
  if (!model) return model.error();
  Result<CatProgram> program = CompileCat(loaded->sources, *model);
  if (!program) return program.error();
  loaded->program = std::move(*program);
  return loaded;
}

Result<SimResult> Judge(const std::string& model, const std::string& test,
                        const std::vector<std::string>& variants = {}) {
  Result<std::unique_ptr<Loaded>> loaded = Load(model, variants);
  if (!loaded) return loaded.error();
  Result<litmus::Test> parsed = ParseLitmus("t.litmus", test);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return Simulate(*parsed, (*loaded)->sources, (*loaded)->program, {});
}

std::string Answer(const std::string& model, const std::string& test = kSb) {
  Result<SimResult> result = Judge(model, test);
  if (!result) return result.error().message;
  return std::string(ObservationWord(*result)) + " " + std::to_string(result->positive) + " " +
         std::to_string(result->negative);
}

TEST(CatLanguage, TheSameModelInManyForms) {
  const char* kForms[] = {
      "acyclic po | rf | fr | co",
      "SC\ninclude \"cos.cat\"\nlet com = rf | co | fr\nacyclic po | com as sc",
      "\"title\"\nirreflexive (po | rf | fr | co)+",
      "let r = (po | rf | fr | co)^+ empty r & id as sc",
      "let rec r = po | rf | fr | co | (r; r) irreflexive r",
      "let rec a = po | (b; b) and b = rf | fr | co | a irreflexive a | b | (a; b) | (b; a); a",
      "procedure check(a, b) = let c = a | b acyclic c end\ncall check(po, rf | fr | co)",
      "let f(a, b) = a | b let g x = f(x, co) acyclic g (f(po, rf | fr))",
      "let f a b = a | b acyclic f po (rf | fr | co)",
      "let u = fun (a, b) -> a | b acyclic u(po | rf, fr | co)",
      "let fr = rf^-1; co \\ id acyclic po | rf | fr | co",
      "let (a, b) = (po | rf, fr | co) acyclic a | b",
      "let x = let y = po in y | rf acyclic x | fr | co",
      "acyclic try nothing with po | rf | fr | co | 0",
      "acyclic try (po; iico_data | (let rec n = nothing | n in n)) with po | rf | fr | co",
      "acyclic try po | rf | fr | co with 0",
      "enum s = 'system || 'sys acyclic (po | rf | fr | co) & tag2scope('system) & tag2scope('sys)",
      "enum k = 'R || 'W let m = tag2events('R) | tag2events('W) acyclic [m]; (po | rf | fr | co); [m]",
      "acyclic ((po | rf | fr | co) & same-oa) | ((po | rf | fr | co) \\ same-oa)",
      "if \"never\" acyclic 0 else acyclic po | rf | fr | co end",
      "enum t = 'a || 'b let pick t = match t with || 'a -> po | rf || _ -> fr | co end acyclic pick 'a | pick 'b",
      "let j s = let rec go s = match s with || {} -> 0 || r ++ q -> r | go q end in go s acyclic j {po, rf, fr, co}",
      "with co from generate_cos(co0) let fr = (rf^-1; co) \\ id acyclic po | rf | fr | co",
      "(* a (* nested *) comment *) // and\n# more\nacyclic po | rf | fr | co show po, rf as r unshow co",
      "let ok = ~(po | rf | fr | co) acyclic ~ok",
      "acyclic (po | rf | fr | co) & (_ * _)",
      "let r = (po | rf | fr | co)+ forall e in W do irreflexive [e]; r end forall e in R do irreflexive [e]; r end",
  };
  for (const char* form : kForms) EXPECT_EQ(Answer(form), "Never 0 3") << form;
}

TEST(CatLanguage, OperatorsBindAsInHerd) {
  // ; before |, & before \, * before &, postfix before all.
  EXPECT_EQ(Answer("empty (po; rf | co) \\ ((po; rf) | co)"), Answer(""));
  EXPECT_EQ(Answer("empty (po & W * R) \\ (po & (W * R))"), Answer(""));
  EXPECT_EQ(Answer("empty (po \\ W * R & po) \\ (po \\ ((W * R) & po))"), Answer(""));
  EXPECT_EQ(Answer("empty (rf^-1; co) \\ ((rf^-1); co)"), Answer(""));
  EXPECT_EQ(Answer("let r = rf* empty [W] \\ r"), Answer(""));
}

TEST(CatLanguage, AChosenCoherenceDecidesTheFinalState) {
  std::string own = "with co from generate_cos(co0) let fr = (rf^-1; co) \\ id acyclic po-loc | rf | fr | co";
  EXPECT_EQ(Answer(own, kCo), Answer("acyclic po-loc | rf | fr | co", kCo));
}

TEST(CatLanguage, FlagsAndUndefined) {
  Result<SimResult> result = Judge("flag ~empty po as some-po\nundefined_unless empty rf as no-reads", kSb);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->flags, std::set<std::string>{"some-po"});
  EXPECT_EQ(result->undefined, std::set<std::string>{"no-reads"});
}

TEST(CatLanguage, WrongModels) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"acyclic", "m.cat:1:8: error: expected a set or a relation, found the end of the file"},
      {"acyclic po |", "expected a set or a relation"},
      {"acyclic po | | rf", "m.cat:1:14: error: expected a set or a relation, found `|`"},
      {"acyclic pox", "undeclared name `pox`"},
      {"acyclic po-lco", "did you mean `po-loc`"},
      {"let x po", "expected"},
      {"let = po", "expected the name to define"},
      {"let x = (po", "expected `)`"},
      {"let x = [W", "expected `]`"},
      {"let x = {po", "expected `}`"},
      {"acylic po", "did you mean `acyclic`"},
      {"acyclic po & W", "one side is a set and the other is a relation"},
      {"acyclic W", "a relation is needed here"},
      {"acyclic [po]", "a set of events is needed here"},
      {"acyclic po; W", "a relation is needed here"},
      {"acyclic po * rf", "a set of events is needed here"},
      {"let f(a, b) = a acyclic f(po)", "this needs a tuple of 2 parts"},
      {"acyclic po po", "this is not a function"},
      {"include \"nothing.cat\"", "there is no file `nothing.cat`"},
      {"include nothing", "in quotes"},
      {"call nobody(po)", "there is no procedure `nobody`"},
      {"procedure p(a) = acyclic a", "expected `end`"},
      {"procedure p(a, b) = acyclic a end call p(po)", "has 2 parameters"},
      {"(* no end", "this comment does not end"},
      {"include \"no end", "this string does not end"},
      {"acyclic po $ rf", "unexpected character `$`"},
      {"let rec r = ~r acyclic r", "reaches no fixed point"},
      {"let rec f x = f x acyclic f po", "does not end"},
      {"let rec (a, b) = po acyclic a", "a recursive definition has one name"},
      {"procedure p(a) = call p(a) end call p(po)", "without end"},
      {"let m = match po with || {} -> 0 end acyclic m", "needs the two clauses"},
      {"let m = match po with || 'a -> 0 end acyclic m", "this match needs a tag"},
      {"enum e = a", "expected a tag"},
      {"let x = 'a acyclic x", "a relation is needed here"},
      {"with x po", "expected `from`"},
      {"if foo acyclic po end", "name of a variant in quotes"},
      {"flag po", "expected `acyclic`, `irreflexive` or `empty`"},
      {"acyclic linearisations(W)", "linearisations needs a set and a relation"},
      {"let x = fun a po acyclic x", "expected `->`"},
      {"acyclic domain po", "a relation is needed here"},
      {"acyclic po as", "expected the name of the check"},
      {"forall e in W acyclic po end", "expected `do`"},
      {"let (a, b) = po acyclic a", "not a tuple"},
      {"acyclic match 'b with || 'a -> po end", "no clause of this match fits"},
      {"let x = let y = po acyclic x", "expected `in`"},
      {"acyclic po | iico_data", "`iico_data` is not known here"},
      {"let dep = rf-reg; addr acyclic dep", "addr, data, ctrl"},
      {"enum s = 'warp acyclic tag2scope('warp) & po", "there is no scope `warp` here"},
      {"enum o = 'acquire acyclic [tag2events('acquire)]; po", "events here carry no `acquire`"},
      {"end", "expected a definition"},
      {")", "expected a definition"},
  };
  for (const auto& [text, message] : kWrong) {
    std::string answer = Answer(text);
    EXPECT_NE(answer.find(message), std::string::npos) << text << "\n" << answer;
    EXPECT_NE(answer.find("m.cat:"), std::string::npos) << text << "\n" << answer;
  }
}

TEST(CatLanguage, DeepNestingIsRefused) {
  std::string deep = "acyclic ";
  for (int i = 0; i < 5000; ++i) deep += "(";
  EXPECT_NE(Answer(deep).find("nested too deeply"), std::string::npos);
  deep = "acyclic ";
  for (int i = 0; i < 5000; ++i) deep += "~";
  EXPECT_NE(Answer(deep).find("nested too deeply"), std::string::npos);
}

TEST(CatLanguage, ModelsThatComeWithHeddleLoad) {
  for (std::string_view name : ModelNames()) EXPECT_FALSE(ModelNamed(std::string(name)).program.checks.empty()) << name;
}

TEST(CatLanguage, VariantsAreCombined) {
  auto holds = [](const std::string& condition) {
    std::string model = "let r = if " + condition + " then 0 else po\nempty r as chosen\n";
    Result<SimResult> result = Judge(model, kSb, {"on"});
    return !result ? result.error().message : result->states.empty() ? "no" : "yes";
  };
  EXPECT_EQ(holds("\"on\""), "yes");
  EXPECT_EQ(holds("not \"on\""), "no");
  EXPECT_EQ(holds("\"on\" && \"off\""), "no");
  EXPECT_EQ(holds("\"off\" || \"on\""), "yes");
  EXPECT_EQ(holds("not \"off\" || \"off\""), "yes");
  EXPECT_EQ(holds("\"off\" && \"off\" || \"on\""), "yes");
  EXPECT_EQ(holds("\"off\" && (\"off\" || \"on\")"), "no");
  EXPECT_NE(holds("\"off\" && po").find("expected the name of a variant"), std::string::npos);
}

}  // namespace
}  // namespace heddle::litmus
