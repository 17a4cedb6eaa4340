#include "litmus/sim/report.h"

#include <fmt/format.h>

namespace heddle::litmus {
namespace {

std::string_view KindWord(const Test& test) {
  if (test.condition < 0) return "Allowed";
  switch (test.quantifier) {
    case Quantifier::kExists:
      return "Allowed";
    case Quantifier::kNotExists:
      return "Forbidden";
    case Quantifier::kForall:
      return "Required";
  }
  return "";
}

// What was found settles the question even when more was not looked at.
bool Settled(const Test& test, const SimResult& result) {
  if (result.undecided.empty()) return true;
  return test.quantifier == Quantifier::kForall ? result.negative > 0 : result.positive > 0;
}

std::string Verdict(const Test& test, const SimResult& result, bool racy) {
  if (!result.undefined.empty() && !racy) return "Undef";
  if (!Settled(test, result)) return "Undecided";
  return result.ok ? "Ok" : "No";
}

}  // namespace

std::string ShowState(const Test& test, const SimState& state) {
  std::string out;
  for (size_t i = 0; i < test.observed.size(); ++i) {
    if (i > 0) out += " ";
    out += fmt::format("{}={};", test.observed[i].shown, ShowValue(test, state.values[i]));
  }
  return out;
}

// What was not looked at may have the other answer: Never and Always are promises.
std::string_view ObservationWord(const SimResult& result) {
  bool both = result.positive > 0 && result.negative > 0;
  if (!result.undecided.empty() && !both) return "Undecided";
  if (result.positive == 0) return "Never";
  return result.negative == 0 ? "Always" : "Sometimes";
}

std::string TextReport(const Test& test, const std::string& model, const SimResult& result, bool racy) {
  std::string out = fmt::format("Test {} {}\n", test.name, KindWord(test));
  out += fmt::format("States {}\n", result.states.size());
  for (const SimState& state : result.states) out += ShowState(test, state) + "\n";
  if (!result.undecided.empty()) out += fmt::format("Not decided: {}\n", result.undecided);
  out += Verdict(test, result, racy) + "\n";
  out += fmt::format("Witnesses\nPositive: {} Negative: {}\n", result.positive, result.negative);
  for (const std::string& name : result.undefined) {
    out += fmt::format("Flag {}\n", name.empty() ? "undefined" : name);
  }
  for (const std::string& name : result.flags) out += fmt::format("Flag {}\n", name);
  if (test.condition >= 0) out += fmt::format("Condition {}\n", test.condition_text);
  out += fmt::format("Observation {} {} {} {}\n", test.name, ObservationWord(result), result.positive, result.negative);
  if (!result.undefined.empty()) {
    out += fmt::format("Undefined: the test has a {} under {}; C gives it no meaning{}\n",
                       result.undefined.begin()->empty() ? "broken rule" : *result.undefined.begin(), model,
                       racy ? "" : " (--racy judges the states all the same)");
  }
  return out + "\n";
}

void JsonReport(JsonWriter& json, const Test& test, const std::string& model, const SimResult& result, double seconds) {
  json.BeginObject().Key("name").String(test.name).Key("file").String(test.file);
  json.Key("arch").String(ArchName(test.arch)).Key("model").String(model);
  json.Key("states").BeginArray();
  for (const SimState& state : result.states) {
    json.BeginObject().Key("values").BeginObject();
    for (size_t i = 0; i < test.observed.size(); ++i) {
      json.Key(test.observed[i].shown).String(ShowValue(test, state.values[i]));
    }
    json.EndObject().Key("executions").Uint(state.executions).Key("holds").Bool(state.holds).EndObject();
  }
  json.EndArray();
  json.Key("condition").String(test.condition_text).Key("ok").Bool(result.ok);
  json.Key("observation").String(ObservationWord(result));
  json.Key("positive").Uint(result.positive).Key("negative").Uint(result.negative);
  json.Key("candidates").Uint(result.candidates);
  json.Key("flags").BeginArray();
  for (const std::string& flag : result.flags) json.String(flag);
  json.EndArray().Key("undefined").BeginArray();
  for (const std::string& flag : result.undefined) json.String(flag);
  json.EndArray();
  json.Key("complete").Bool(result.undecided.empty());
  if (!result.undecided.empty()) json.Key("undecided").String(result.undecided);
  json.Key("seconds").Double(seconds).EndObject();
}

}  // namespace heddle::litmus
