// Simulation against operational machines that share no code with it: interleaving for SC, a store buffer for each
// thread for TSO. Every program of two threads with up to three instructions, and of three threads with up to two.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "litmus/testing/models.h"

namespace heddle::litmus {
namespace {

struct Op {
  char kind;  // R, W, F, X (exchange)
  int place;  // 0 or 1
};
using Program = std::vector<std::vector<Op>>;
using States = std::set<std::vector<int64_t>>;

// Values written are numbered through the whole program. Registers of each thread in order, then the two locations.
struct Machine {
  const Program& program;
  bool buffers;
  States states;
  std::set<std::vector<int64_t>> seen;

  struct State {
    std::vector<size_t> at;
    std::vector<std::vector<std::pair<int, int64_t>>> buffer;
    std::vector<std::vector<int64_t>> registers;
    int64_t memory[2] = {0, 0};
  };

  int64_t ValueOf(size_t thread, size_t index) const {
    int64_t value = 1;
    for (size_t t = 0; t < program.size(); ++t) {
      for (size_t i = 0; i < program[t].size(); ++i) {
        if (t == thread && i == index) return value;
        if (program[t][i].kind == 'W' || program[t][i].kind == 'X') ++value;
      }
    }
    return value;
  }

  static std::vector<int64_t> Key(const State& s) {
    std::vector<int64_t> key(s.memory, s.memory + 2);
    for (size_t t = 0; t < s.at.size(); ++t) {
      key.push_back(static_cast<int64_t>(s.at[t]));
      for (const auto& [place, value] : s.buffer[t]) key.push_back(100 + place), key.push_back(value);
      key.push_back(-1);
      for (int64_t value : s.registers[t]) key.push_back(value);
      key.push_back(-2);
    }
    return key;
  }

  void Visit(const State& s) {
    if (!seen.insert(Key(s)).second) return;
    bool done = true;
    for (size_t t = 0; t < program.size(); ++t) {
      if (!s.buffer[t].empty()) {
        done = false;
        State next = s;
        auto [place, value] = next.buffer[t].front();
        next.buffer[t].erase(next.buffer[t].begin());
        next.memory[place] = value;
        Visit(next);
      }
      if (s.at[t] == program[t].size()) continue;
      done = false;
      Step(s, t);
    }
    if (!done) return;
    std::vector<int64_t> state;
    for (const auto& registers : s.registers) state.insert(state.end(), registers.begin(), registers.end());
    state.insert(state.end(), s.memory, s.memory + 2);
    states.insert(state);
  }

  void Step(const State& s, size_t t) {
    const Op& op = program[t][s.at[t]];
    if ((op.kind == 'F' || op.kind == 'X') && !s.buffer[t].empty()) return;
    State next = s;
    ++next.at[t];
    if (op.kind == 'W') {
      int64_t value = ValueOf(t, s.at[t]);
      if (buffers) {
        next.buffer[t].emplace_back(op.place, value);
      } else {
        next.memory[op.place] = value;
      }
    } else if (op.kind == 'R' || op.kind == 'X') {
      int64_t value = s.memory[op.place];
      for (const auto& [place, buffered] : s.buffer[t]) {
        if (place == op.place) value = buffered;
      }
      next.registers[t].push_back(value);
      if (op.kind == 'X') next.memory[op.place] = ValueOf(t, s.at[t]);
    }
    Visit(next);
  }

  States Run() {
    State s;
    s.at.resize(program.size());
    s.buffer.resize(program.size());
    s.registers.resize(program.size());
    Visit(s);
    return states;
  }
};

std::string Litmus(const Program& program, const Machine& machine) {
  static constexpr const char* kRegisters[] = {"EAX", "EBX", "ECX", "EDX"};
  static constexpr const char* kPlaces[] = {"x", "y"};
  std::vector<std::vector<std::string>> columns;
  std::string observed;
  for (size_t t = 0; t < program.size(); ++t) {
    columns.emplace_back();
    int reads = 0;
    for (size_t i = 0; i < program[t].size(); ++i) {
      const Op& op = program[t][i];
      std::string place = std::string("[") + kPlaces[op.place] + "]";
      if (op.kind == 'W') columns[t].push_back("MOV " + place + ",$" + std::to_string(machine.ValueOf(t, i)));
      if (op.kind == 'F') columns[t].push_back("MFENCE");
      if (op.kind == 'R' || op.kind == 'X') {
        std::string reg = kRegisters[reads++];
        if (op.kind == 'R') columns[t].push_back("MOV " + reg + "," + place);
        if (op.kind == 'X') {
          columns[t].push_back("MOV " + reg + ",$" + std::to_string(machine.ValueOf(t, i)));
          columns[t].push_back("XCHG " + place + "," + reg);
        }
        observed += std::to_string(t) + ":" + reg + ";";
      }
    }
  }
  std::string text = "X86 t\n{ x=0; y=0; }\n";
  size_t rows = 0;
  for (size_t t = 0; t < columns.size(); ++t) {
    text += (t == 0 ? "P" : "| P") + std::to_string(t);
    rows = std::max(rows, columns[t].size());
  }
  text += ";\n";
  for (size_t r = 0; r < rows; ++r) {
    for (size_t t = 0; t < columns.size(); ++t) {
      text += (t == 0 ? " " : " | ") + (r < columns[t].size() ? columns[t][r] : std::string());
    }
    text += ";\n";
  }
  return text + "locations [" + observed + "x;y;]\nexists (true)\n";
}

void Compare(const Program& program) {
  for (bool buffers : {false, true}) {
    Machine machine{program, buffers, {}, {}};
    States expected = machine.Run();
    std::string text = Litmus(program, machine);
    ASSERT_EQ(StatesOf(SimulateText(text, buffers ? "x86tso" : "sc")), expected)
        << (buffers ? "TSO\n" : "SC\n") << text;
  }
}

void EachThread(const std::vector<Op>& ops, size_t length, const std::function<void(const std::vector<Op>&)>& f) {
  std::vector<Op> thread;
  std::function<void()> extend = [&] {
    if (!thread.empty()) f(thread);
    if (thread.size() == length) return;
    for (const Op& op : ops) {
      thread.push_back(op);
      extend();
      thread.pop_back();
    }
  };
  extend();
}

// One in `n` programs, or all of them with HEDDLE_LITMUS_ALL=1 in the environment.
size_t Share(size_t n) {
  static const bool all = std::getenv("HEDDLE_LITMUS_ALL") != nullptr;
  return all ? 1 : n;
}

bool Less(const std::vector<Op>& a, const std::vector<Op>& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](const Op& x, const Op& y) {
    return std::pair(x.kind, x.place) < std::pair(y.kind, y.place);
  });
}

TEST(LitmusMachines, TwoThreadsOfThree) {
  std::vector<Op> ops = {{'R', 0}, {'R', 1}, {'W', 0}, {'W', 1}};
  size_t programs = 0;
  EachThread(ops, 3, [&](const std::vector<Op>& first) {
    if (HasFatalFailure() || first[0].place != 0) return;  // the other half is the same with the locations exchanged
    EachThread(ops, 3, [&](const std::vector<Op>& second) {
      if (HasFatalFailure() || (first[0].place == second[0].place && Less(second, first))) return;
      if (++programs % Share(6) == 0) Compare({first, second});
    });
  });
  EXPECT_GT(programs, 2000U);
}

TEST(LitmusMachines, TwoThreadsWithFencesAndExchanges) {
  std::vector<Op> ops = {{'R', 0}, {'W', 1}, {'F', 0}, {'X', 0}, {'X', 1}};
  size_t programs = 0;
  EachThread(ops, 3, [&](const std::vector<Op>& first) {
    EachThread(ops, 3, [&](const std::vector<Op>& second) {
      if (HasFatalFailure() || Less(second, first)) return;
      if (++programs % Share(11) == 0) Compare({first, second});
    });
  });
}

TEST(LitmusMachines, ThreeThreadsOfTwo) {
  std::vector<Op> ops = {{'R', 0}, {'R', 1}, {'W', 0}, {'W', 1}};
  size_t programs = 0;
  EachThread(ops, 2, [&](const std::vector<Op>& first) {
    EachThread(ops, 2, [&](const std::vector<Op>& second) {
      if (Less(second, first)) return;
      EachThread(ops, 2, [&](const std::vector<Op>& third) {
        if (HasFatalFailure() || Less(third, second)) return;
        if (++programs % Share(4) == 0) Compare({first, second, third});
      });
    });
  });
}

}  // namespace
}  // namespace heddle::litmus
