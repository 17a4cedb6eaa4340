// litmus sim --model rc20 against exploration: for random programs of C11 atomics, as many executions as there are
// graphs that exploration's axioms allow (explore/rc11_axioms.h, which explore/c11_test.cpp compares with the search
// itself).
#include <gtest/gtest.h>

#include <random>

#include "explore/rc11_axioms.h"
#include "litmus/testing/models.h"

namespace heddle::cli {
namespace {

using explore::Instruction;
using trace::Order;

const char* Name(Order order) {
  static constexpr const char* kNames[] = {"memory_order_relaxed", "memory_order_consume", "memory_order_acquire",
                                           "memory_order_release", "memory_order_acq_rel", "memory_order_seq_cst"};
  return kNames[static_cast<size_t>(order)];
}

template <size_t N>
Order Pick(std::mt19937& random, const Order (&orders)[N]) {
  return orders[random() % N];
}

Instruction RandomInstruction(std::mt19937& random, uint32_t value) {
  Instruction instruction{};
  instruction.object = random() % 2;
  instruction.a = value;
  switch (random() % 8) {
    case 0:
    case 1:
    case 2:
      instruction.what = Instruction::kLoad;
      instruction.order = Pick(random, {Order::Relaxed, Order::Acquire, Order::SeqCst});
      break;
    case 3:
    case 4:
    case 5:
      instruction.what = Instruction::kStore;
      instruction.order = Pick(random, {Order::Relaxed, Order::Release, Order::SeqCst});
      break;
    case 6:
      instruction.what = Instruction::kAdd;
      instruction.order = Pick(random, {Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst});
      break;
    default:
      instruction.what = Instruction::kFence;
      instruction.order = Pick(random, {Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst});
  }
  return instruction;
}

std::string Text(const explore::ModelProgram& program) {
  static constexpr const char* kPlaces[] = {"x", "y"};
  std::string text = "C t\n{ [x]=0; [y]=0; }\n";
  for (size_t t = 0; t < program.threads.size(); ++t) {
    text += "P" + std::to_string(t) + " (atomic_int* x, atomic_int* y) {\n";
    int reads = 0;
    for (const Instruction& i : program.threads[t]) {
      std::string place = kPlaces[i.object];
      std::string value = std::to_string(i.a);
      if (i.what == Instruction::kLoad) {
        text +=
            "  int r" + std::to_string(reads++) + " = atomic_load_explicit(" + place + ", " + Name(i.order) + ");\n";
      } else if (i.what == Instruction::kStore) {
        text += "  atomic_store_explicit(" + place + ", " + value + ", " + Name(i.order) + ");\n";
      } else if (i.what == Instruction::kAdd) {
        text += "  int r" + std::to_string(reads++) + " = atomic_fetch_add_explicit(" + place + ", " + value + ", " +
                Name(i.order) + ");\n";
      } else {
        text += std::string("  atomic_thread_fence(") + Name(i.order) + ");\n";
      }
    }
    text += "}\n";
  }
  return text + "exists (true)\n";
}

void Compare(uint32_t seed, size_t threads, size_t length) {
  std::mt19937 random(seed);
  explore::ModelProgram program;
  program.c11 = true;
  uint32_t value = 1;
  for (size_t t = 0; t < threads; ++t) {
    program.threads.emplace_back();
    for (size_t i = 0; i < length; ++i) {
      program.threads.back().push_back(RandomInstruction(random, value));
      value *= 2;
    }
  }
  std::string text = Text(program);
  litmus::SimResult result = litmus::SimulateText(text, "rc20");
  ASSERT_EQ(result.positive, explore::AllGraphs(program).size()) << "seed " << seed << "\n" << text;
}

TEST(LitmusAndExploration, TwoThreads) {
  for (uint32_t seed = 0; seed < 500 && !HasFatalFailure(); ++seed) Compare(seed, 2, 3);
}

TEST(LitmusAndExploration, ThreeThreads) {
  for (uint32_t seed = 1000; seed < 1300 && !HasFatalFailure(); ++seed) Compare(seed, 3, 2);
}

}  // namespace
}  // namespace heddle::cli
