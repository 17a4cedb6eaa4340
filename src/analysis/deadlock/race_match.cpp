#include "analysis/deadlock/race_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace heddle::analysis {
namespace {

using findings::Finding;
using findings::Memory;

std::vector<std::string> LinesOfRace(const Finding& race) {
  std::vector<std::string> lines;
  for (const findings::Step* site : findings::Sites(race)) lines.push_back(LineOfAccess(*site));
  std::sort(lines.begin(), lines.end());
  return lines;
}

// `stats.last` of the step's operand, else of the memory; indices are not compared: "cells[].x".
std::string NameOf(const Finding& race) {
  std::vector<const findings::Step*> sites = findings::Sites(race);
  const std::string& name = !sites.empty() && !sites[0]->operand.empty() ? sites[0]->operand : race.memory.name;
  std::string plain;
  bool index = false;
  for (char c : name) {
    index = index && c != ']';
    if (!index) plain += c;
    index = index || c == '[';
  }
  return plain;
}

constexpr std::string_view kParts = ".[-+";  // with what the name of a part goes on

bool IsNamed(const Finding& race) { return race.memory.where == Memory::Where::kGlobal && !race.memory.name.empty(); }

// Two names of which neither is a part of the other: `s.a` is in `s`, but is not `s.b` or `s.ab`.
bool NamesDiffer(const std::string& a, const std::string& b) {
  const std::string& shorter = a.size() < b.size() ? a : b;
  const std::string& longer = a.size() < b.size() ? b : a;
  bool begins = longer.starts_with(shorter);
  bool ends_there = longer.size() == shorter.size() || kParts.find(longer[shorter.size()]) != kParts.npos;
  return !begins || !ends_there;
}

bool MemoryDiffers(const Finding& stated, const Finding& shown) {
  if (IsNamed(stated) && IsNamed(shown)) return NamesDiffer(NameOf(stated), NameOf(shown));
  bool heap = stated.memory.where == Memory::Where::kHeap || shown.memory.where == Memory::Where::kHeap;
  return heap && (IsNamed(stated) || IsNamed(shown));
}

}  // namespace

std::string LineOfAccess(const findings::Step& step) {
  const Frame* frame = UserFrame(step.stack);
  if (frame == nullptr || frame->line == 0) return "";
  return fmt::format("{}:{}", Basename(frame->file), frame->line);
}

std::string RaceLines(const Finding& race) {
  std::string text;
  for (const std::string& line : LinesOfRace(race)) {
    if (!line.empty()) text += (text.empty() ? " at " : " and ") + line;
  }
  return text;
}

bool SameRace(const Finding& stated, const Finding& shown) {
  if (stated.kind != findings::Kind::kDataRace || MemoryDiffers(stated, shown)) return false;
  std::vector<std::string> x = LinesOfRace(stated), y = LinesOfRace(shown);
  bool variable = IsNamed(stated) && IsNamed(shown);
  bool all_known = std::find(x.begin(), x.end(), "") == x.end();  // optimised code may have no line
  if (x == y && (all_known || variable)) return true;
  return variable && std::any_of(x.begin(), x.end(), [&](const std::string& line) {
           return !line.empty() && std::find(y.begin(), y.end(), line) != y.end();
         });
}

}  // namespace heddle::analysis
