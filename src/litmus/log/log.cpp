#include "litmus/log/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/markup.h"

namespace heddle::litmus {
namespace {

std::string Trim(std::string text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\t')) text.pop_back();
  size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin);
}

// "1:EAX=0; x=1;" with its parts sorted and without brackets around locations, so that logs of different tools agree.
std::string Normal(const std::string& state) {
  std::vector<std::string> parts;
  std::istringstream in(state);
  for (std::string part; std::getline(in, part, ';');) {
    part = Trim(part);
    if (part.empty()) continue;
    std::erase_if(part, [](char c) { return c == '[' || c == ']' || c == ' '; });
    parts.push_back(part);
  }
  std::sort(parts.begin(), parts.end());
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : " ") + part + ";";
  return out;
}

bool StartsWith(const std::string& line, std::string_view word) { return line.starts_with(word); }

class Reader {
 public:
  explicit Reader(Log& log) : log_(log) {}

  void Line(std::string line) {
    line = Trim(std::move(line));
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == "Test" || StartsWith(line, "%%%")) {
      states_ = 0;
      if (first == "Test") {
        std::string name;
        words >> name;
        current_ = &log_.tests[name];
        *current_ = {};
      }
    } else if (current_ == nullptr) {
      return;
    } else if (first == "States") {
      words >> states_;
    } else if (first == "Histogram") {
      std::string count;
      words >> count;
      std::erase_if(count, [](char c) { return c == '('; });
      states_ = std::strtoull(count.c_str(), nullptr, 10);
    } else if (states_ > 0 && !line.empty()) {
      State(line);
    } else if (first == "Condition") {
      current_->condition = Trim(line.substr(9));
      for (std::string_view tail : {" is NOT validated", " is validated"}) {
        if (current_->condition.ends_with(tail)) current_->condition.resize(current_->condition.size() - tail.size());
      }
    } else if (first == "Observation") {
      std::string name;
      words >> name >> current_->observation >> current_->positive >> current_->negative;
    }
  }

 private:
  void State(const std::string& line) {
    --states_;
    size_t mark = line.find('>');
    uint64_t count = 1;
    std::string state = line;
    bool counted = mark != std::string::npos && mark > 0 && (line[mark - 1] == '*' || line[mark - 1] == ':');
    if (counted) {
      count = std::strtoull(line.c_str(), nullptr, 10);
      state = line.substr(mark + 1);
    }
    current_->states[Normal(state)] += count;
  }

  Log& log_;
  LoggedTest* current_ = nullptr;
  uint64_t states_ = 0;
};

std::string Cell(const Log& log, const std::string& name) {
  auto found = log.tests.find(name);
  if (found == log.tests.end()) return "";
  const LoggedTest& test = found->second;
  return fmt::format("{} {}/{}", test.observation, test.positive, test.positive + test.negative);
}

std::string LatexText(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (std::string_view("_&%#{}$").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

Result<Log> ReadLog(const std::string& name, const std::string& text) {
  Log log;
  log.name = name;
  Reader reader(log);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) reader.Line(std::move(line));
  if (log.tests.empty()) return MakeError(ErrorCode::kBadInput, name + ": there is no test in this log");
  return log;
}

std::string_view StrengthWord(Strength strength) {
  switch (strength) {
    case Strength::kEqual:
      return "equal";
    case Strength::kWeaker:
      return "weaker";
    case Strength::kStronger:
      return "stronger";
    case Strength::kIncomparable:
      return "incomparable";
  }
  return "";
}

Strength Compare(const LoggedTest& a, const LoggedTest& b) {
  auto contains = [](const LoggedTest& x, const LoggedTest& y) {
    return std::all_of(y.states.begin(), y.states.end(),
                       [&](const auto& state) { return x.states.contains(state.first); });
  };
  bool more = contains(a, b);
  bool less = contains(b, a);
  if (more && less) return Strength::kEqual;
  if (more) return Strength::kWeaker;
  return less ? Strength::kStronger : Strength::kIncomparable;
}

Log Merge(const std::vector<Log>& logs) {
  Log merged;
  for (const Log& log : logs) {
    for (const auto& [name, test] : log.tests) {
      LoggedTest& into = merged.tests[name];
      for (const auto& [state, count] : test.states) into.states[state] += count;
      into.positive += test.positive;
      into.negative += test.negative;
      if (into.condition.empty()) into.condition = test.condition;
      into.observation = into.positive == 0 ? "Never" : into.negative == 0 ? "Always" : "Sometimes";
    }
  }
  return merged;
}

std::string PrintLog(const Log& log) {
  std::string out;
  for (const auto& [name, test] : log.tests) {
    out += fmt::format("Test {} Allowed\nHistogram ({} states)\n", name, test.states.size());
    for (const auto& [state, count] : test.states) out += fmt::format("{:<8}:>{}\n", count, state);
    out += fmt::format("\nWitnesses\nPositive: {}, Negative: {}\n", test.positive, test.negative);
    if (!test.condition.empty()) out += fmt::format("Condition {}\n", test.condition);
    out += fmt::format("Observation {} {} {} {}\n\n", name, test.observation, test.positive, test.negative);
  }
  return out;
}

std::string PrintTable(const std::vector<Log>& logs, TableFormat format) {
  std::set<std::string> names;
  for (const Log& log : logs) {
    for (const auto& [name, test] : log.tests) names.insert(name);
  }
  std::string out;
  auto row = [&](std::string_view begin, std::string_view separator, std::string_view end, auto&& escape,
                 const std::string& name) {
    out += begin;
    out += escape(name);
    for (const Log& log : logs) {
      out += separator;
      out += escape(name.empty() ? log.name : Cell(log, name));
    }
    out += end;
  };
  auto plain = [](const std::string& text) { return text; };
  switch (format) {
    case TableFormat::kMarkdown:
      row("| ", " | ", " |\n", plain, "");
      out += "|---";
      for (size_t i = 0; i < logs.size(); ++i) out += "|---";
      out += "|\n";
      for (const std::string& name : names) row("| ", " | ", " |\n", plain, name);
      break;
    case TableFormat::kHtml:
      out += "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>Litmus tests</title>\n<table border=\"1\">\n";
      row("<tr><th>", "</th><th>", "</th></tr>\n", EscapeMarkup, "");
      for (const std::string& name : names) row("<tr><td>", "</td><td>", "</td></tr>\n", EscapeMarkup, name);
      out += "</table>\n";
      break;
    case TableFormat::kLatex:
      out += "\\begin{tabular}{l" + std::string(logs.size(), 'r') + "}\n";
      row("", " & ", " \\\\ \\hline\n", LatexText, "");
      for (const std::string& name : names) row("", " & ", " \\\\\n", LatexText, name);
      out += "\\end{tabular}\n";
      break;
  }
  return out;
}

}  // namespace heddle::litmus
