// Accesses of different sizes against machines that share nothing with the simulation: memory is words, a doubleword is
// two of them. One machine interleaves (sc); the other has a store buffer for each thread, from which a load takes each
// word that is there, the rest from memory (x86tso). Programs of two threads with two accesses each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <deque>

#include "litmus/testing/models.h"

namespace heddle::litmus {
namespace {

struct Step {
  bool store = false;
  int first = 0;  // word: 0 and 1 are x, 2 and 3 are y
  int words = 1;
};

// All loads and stores of the low word, the high word and the whole of x and of y.
std::vector<Step> Steps() {
  std::vector<Step> steps;
  for (bool store : {false, true}) {
    for (int location : {0, 2}) {
      steps.push_back({store, location, 1});
      steps.push_back({store, location + 1, 1});
      steps.push_back({store, location, 2});
    }
  }
  return steps;
}

using Program = std::array<std::array<Step, 2>, 2>;
constexpr const char* kRegisters[2][2] = {{"eax", "rax"}, {"ebx", "rbx"}};

int64_t Stored(int thread, int place) { return 1 + thread * 2 + place; }

std::string TextOf(const Program& program) {
  std::string rows[2];
  std::string observed;
  for (int place = 0; place < 2; ++place) {
    for (int thread = 0; thread < 2; ++thread) {
      const Step& step = program[static_cast<size_t>(thread)][static_cast<size_t>(place)];
      std::string memory = fmt::format("{}({})", step.first % 2 == 0 ? "" : "4", step.first < 2 ? "x" : "y");
      int64_t value = Stored(thread, place);
      const char* reg = kRegisters[place][step.words - 1];
      std::string code = step.store ? fmt::format("mov{} ${},{}", step.words == 2 ? "q" : "l",
                                                  step.words == 2 ? value << 32 | value : value, memory)
                                    : fmt::format("mov{} {},%{}", step.words == 2 ? "q" : "l", memory, reg);
      rows[place] += (thread == 0 ? " " : " | ") + code;
      if (!step.store) observed += fmt::format("{}:{};", thread, kRegisters[place][1]);
    }
    rows[place] += " ;\n";
  }
  return "X86_64 m\n{ uint64_t x; uint64_t y; }\n P0 | P1 ;\n" + rows[0] + rows[1] + "locations [" + observed +
         "x;y;]\nexists (true)\n";
}

class WordMachine {
 public:
  WordMachine(const Program& program, bool buffers) : program_(program), buffers_(buffers) { Run({}); }
  const std::set<std::vector<int64_t>>& states() const { return states_; }

 private:
  struct Entry {
    Step step;
    int64_t value;
    bool operator<(const Entry& o) const {
      return std::tuple(step.first, step.words, value) < std::tuple(o.step.first, o.step.words, o.value);
    }
  };
  struct State {
    std::array<int64_t, 4> memory{};
    std::array<size_t, 2> at{};
    std::array<std::deque<Entry>, 2> buffer;
    std::array<std::array<int64_t, 2>, 2> read{};
    bool operator<(const State& o) const {
      return std::tie(memory, at, buffer, read) < std::tie(o.memory, o.at, o.buffer, o.read);
    }
  };

  static void Write(State& state, const Entry& entry) {
    for (int w = 0; w < entry.step.words; ++w) state.memory[static_cast<size_t>(entry.step.first + w)] = entry.value;
  }

  static int64_t WordOf(const State& state, size_t thread, int word) {
    for (auto entry = state.buffer[thread].rbegin(); entry != state.buffer[thread].rend(); ++entry) {
      if (word >= entry->step.first && word < entry->step.first + entry->step.words) return entry->value;
    }
    return state.memory[static_cast<size_t>(word)];
  }

  void Run(const State& state) {
    if (!seen_.insert(state).second) return;
    bool ended = true;
    for (size_t thread = 0; thread < 2; ++thread) {
      if (!state.buffer[thread].empty()) {
        State next = state;
        Write(next, next.buffer[thread].front());
        next.buffer[thread].pop_front();
        Run(next);
        ended = false;
      }
      if (state.at[thread] == 2) continue;
      ended = false;
      State next = state;
      size_t place = next.at[thread]++;
      const Step& step = program_[thread][place];
      Entry entry{step, Stored(static_cast<int>(thread), static_cast<int>(place))};
      if (step.store && buffers_) {
        next.buffer[thread].push_back(entry);
      } else if (step.store) {
        Write(next, entry);
      } else {
        int64_t value = WordOf(state, thread, step.first);
        if (step.words == 2) value |= WordOf(state, thread, step.first + 1) << 32;
        next.read[thread][place] = value;
      }
      Run(next);
    }
    if (ended) Record(state);
  }

  // In the order of TextOf.
  void Record(const State& state) {
    std::vector<int64_t> values;
    for (size_t place = 0; place < 2; ++place) {
      for (size_t thread = 0; thread < 2; ++thread) {
        if (!program_[thread][place].store) values.push_back(state.read[thread][place]);
      }
    }
    for (size_t word = 0; word < 4; word += 2) values.push_back(state.memory[word] | state.memory[word + 1] << 32);
    states_.insert(values);
  }

  const Program& program_;
  bool buffers_;
  std::set<State> seen_;
  std::set<std::vector<int64_t>> states_;
};

TEST(MixedMachines, TwoThreadsOfTwo) {
  std::vector<Step> steps = Steps();
  std::vector<std::array<Step, 2>> threads;
  for (const Step& a : steps) {
    for (const Step& b : steps) threads.push_back({a, b});
  }
  bool all = std::getenv("HEDDLE_LITMUS_ALL") != nullptr;
  size_t count = 0;
  for (size_t i = 0; i < threads.size(); ++i) {
    for (size_t j = i; j < threads.size(); ++j) {
      if (!all && (i * 31 + j * 7) % 13 != 0) continue;
      Program program = {threads[i], threads[j]};
      std::string text = TextOf(program);
      ASSERT_EQ(StatesOf(SimulateText(text, "sc")), WordMachine(program, false).states()) << text;
      ASSERT_EQ(StatesOf(SimulateText(text, "x86tso")), WordMachine(program, true).states()) << text;
      ++count;
    }
  }
  EXPECT_GT(count, all ? 10000U : 700U);
}

}  // namespace
}  // namespace heddle::litmus
