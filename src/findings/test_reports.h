// Findings that several tests use: the race of the text report's contract, and random ones.
#pragma once

#include <random>
#include <string>

#include "findings/report.h"

namespace heddle::findings {

inline Frame UserAt(const std::string& function, uint32_t line, const std::string& file = "/home/me/src/hb.c") {
  Frame frame;
  frame.function = function;
  frame.file = file;
  frame.line = line;
  frame.column = 3;
  frame.function_line = line;
  frame.module = "/home/me/src/hb";
  frame.module_offset = 0x1100 + line;
  return frame;
}

inline Frame LibraryAt(const std::string& function) {
  Frame frame;
  frame.function = function;
  frame.file = "./nptl/pthread_create.c";
  frame.line = 442;
  frame.module = "/lib/x86_64-linux-gnu/libc.so.6";
  frame.module_offset = 0x89134;
  return frame;
}

inline Step StepOf(const std::string& thread, const std::string& what, const std::string& operand, uint32_t line,
                   uint32_t row, uint32_t site = 0, const std::string& code = "") {
  Step step;
  step.site = site;
  step.row = row;
  step.thread = thread;
  step.what = what;
  step.operand = operand;
  step.code = code;
  step.stack = {UserAt(thread == "T1" ? "w1" : "w2", line), LibraryAt("start_thread"), LibraryAt("clone3")};
  return step;
}

inline Finding RaceFinding() {
  Finding finding;
  finding.kind = Kind::kDataRace;
  finding.status = FindingStatus::kConfirmed;
  finding.status_note = "by replay";
  finding.message = "two unordered writes to `x`";
  finding.threads = {{"T1", "w1", "T0", {UserAt("main", 8)}}, {"T2", "w2", "T0", {UserAt("main", 9)}}};
  finding.steps = {StepOf("T2", "lock", "l", 5, 1), StepOf("T2", "unlock", "l", 5, 2), StepOf("T1", "lock", "l", 4, 3),
                   StepOf("T1", "write", "x", 4, 4, 2, "x = 0"), StepOf("T2", "write", "x", 5, 4, 1, "x = 1")};
  finding.steps[3].locks = {"l"};
  finding.memory.where = Memory::Where::kGlobal;
  finding.memory.name = "x";
  finding.memory.size = 4;
  finding.why = "the recorded run took `l` in the other order, which hides the race from happens-before detectors";
  finding.help = "hold `l` around hb.c:5, or make `x` atomic";
  finding.schedule = ".heddle/latest/F1.schedule";
  finding.replay = "heddle replay F1";
  return finding;
}

inline Report RaceReport() {
  Report report;
  report.tool_version = "0.1.0";
  report.program = "./hb";
  report.arguments = {"-n", "2"};
  report.exit = 0;
  report.coverage.complete = true;
  report.coverage.scope = "all reorderings of this trace checked";
  report.coverage.runs = 1;
  report.coverage.events = 12;
  report.coverage.threads = 2;
  report.coverage.seconds = 0.2;
  AddFinding(report, RaceFinding());
  return report;
}

// Any finding at all, from a small alphabet so that equal ones happen.
class RandomFindings {
 public:
  explicit RandomFindings(uint32_t seed) : random_(seed) {}

  Finding Next() {
    Finding finding;
    finding.kind = static_cast<Kind>(random_() % 12);
    finding.status = static_cast<FindingStatus>(random_() % 3);
    finding.message = Word();
    finding.count = 1 + random_() % 3;
    for (uint32_t i = 0; i < random_() % 4; ++i) finding.threads.push_back({Word(), Word(), Word(), NextStack()});
    for (uint32_t i = 0; i < random_() % 6; ++i) finding.steps.push_back(NextStep());
    finding.memory.where = static_cast<Memory::Where>(random_() % 5);
    finding.memory.offset = random_() % 2;
    finding.memory.allocation_stack = NextStack();
    finding.schedule = Word();
    if (random_() % 4 == 0) finding.suppressed = Suppressed{Word(), Word()};
    finding.known = random_() % 5 == 0;
    return finding;
  }

 private:
  std::string Word() {
    static const char* const kWords[] = {"",          "a",       "b c",   "\xe6\xbc\xa2",
                                         "e\xcc\x81", "\x1b[2J", "\"q\"", "line\nbreak"};
    return kWords[random_() % 8];
  }
  Stack NextStack() {
    Stack stack;
    for (uint32_t i = 0; i < random_() % 4; ++i) {
      Frame frame = random_() % 2 == 0 ? LibraryAt(Word()) : UserAt(Word(), static_cast<uint32_t>(random_() % 3));
      frame.inlined = random_() % 2 == 0;
      if (random_() % 4 == 0) frame.file.clear();
      stack.push_back(frame);
    }
    return stack;
  }
  Step NextStep() {
    Step step;
    step.site = static_cast<uint32_t>(random_() % 3);
    step.row = static_cast<uint32_t>(random_() % 5);
    step.thread = Word();
    step.what = Word();
    step.code = Word();
    step.stack = NextStack();
    if (random_() % 2 == 0) step.locks = {Word(), Word()};
    return step;
  }

  std::mt19937 random_;
};

}  // namespace heddle::findings
