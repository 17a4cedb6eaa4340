// Logs of `heddle litmus run` and `sim`, of herd and of litmus7: which states were seen in each test, and how often.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace heddle::litmus {

struct LoggedTest {
  std::map<std::string, uint64_t> states;  // "0:EAX=0; 1:EAX=0;" with its names sorted; herd's have the count 1
  std::string condition;                   // as written after Condition, without what follows it
  uint64_t positive = 0;
  uint64_t negative = 0;
  std::string observation;  // Always, Sometimes, Never
};

struct Log {
  std::string name;
  std::map<std::string, LoggedTest> tests;
};

// kBadInput when there is no test in it.
Result<Log> ReadLog(const std::string& name, const std::string& text);

enum class Strength { kEqual, kWeaker, kStronger, kIncomparable };
std::string_view StrengthWord(Strength strength);
// How a compares to b: weaker when it shows all that b shows, and more.
Strength Compare(const LoggedTest& a, const LoggedTest& b);

// Counts of the same states are added.
Log Merge(const std::vector<Log>& logs);
// The log as `run` would print it.
std::string PrintLog(const Log& log);

enum class TableFormat { kMarkdown, kHtml, kLatex };
// A row for each test, a column for each log: how often the condition held.
std::string PrintTable(const std::vector<Log>& logs, TableFormat format);

}  // namespace heddle::litmus
