// The soundness test: mutants of lock-disciplined programs. Each one that the explorer drives into a deadlock must be reported.
//
//   deadlock_mutants FOLDER_FOR_TEMPORARIES BASE.bc...
//
// A mutation swaps the operands of two nested acquisitions, removes a join, drops an unlock, or drops an unlock on one path only.
// Every single mutation of each program is tried, and pairs of them, chosen by a fixed sequence of numbers.
#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <random>

#include "deadlock/deadlock.h"
#include "explorer.h"

namespace heddle::deadlock {
namespace {

constexpr size_t kStateLimit = 60000;
constexpr size_t kPairsPerProgram = 24;
constexpr size_t kWanted = 300;

// A mutation names instructions by their number in the module, so that it applies to every copy.
struct Mutation {
  enum Kind { kSwap, kNoJoin, kNoUnlock, kNoUnlockOnePath } kind;
  size_t first, second;
};

std::vector<llvm::Instruction*> Numbered(llvm::Module& module) {
  std::vector<llvm::Instruction*> all;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) all.push_back(&instruction);
  }
  return all;
}

llvm::StringRef Called(const llvm::Instruction* instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(instruction);
  return call == nullptr || call->getCalledFunction() == nullptr ? "" : call->getCalledFunction()->getName();
}

bool Locks(llvm::StringRef name) {
  return name.starts_with("pthread_") && (name.ends_with("_lock") || name.ends_with("_rdlock") || name.ends_with("_wrlock"));
}
bool Unlocks(llvm::StringRef name) { return name.starts_with("pthread_") && name.ends_with("_unlock"); }

std::vector<Mutation> MutationsOf(llvm::Module& module) {
  std::vector<Mutation> list;
  std::vector<llvm::Instruction*> all = Numbered(module);
  for (size_t i = 0; i < all.size(); ++i) {
    llvm::StringRef name = Called(all[i]);
    if (name == "pthread_join") list.push_back({Mutation::kNoJoin, i, 0});
    if (Unlocks(name)) {
      list.push_back({Mutation::kNoUnlock, i, 0});
      list.push_back({Mutation::kNoUnlockOnePath, i, 0});
    }
    if (!Locks(name)) continue;
    // The next acquisition of the same kind in the block, with no release between.
    for (size_t j = i + 1; j < all.size() && all[j]->getParent() == all[i]->getParent(); ++j) {
      if (Unlocks(Called(all[j]))) break;
      if (Called(all[j]) != name || all[j]->getOperand(0) == all[i]->getOperand(0)) continue;
      const auto* operand = llvm::dyn_cast<llvm::Instruction>(all[j]->getOperand(0));
      if (operand == nullptr || operand->comesBefore(all[i]) || operand->getParent() != all[i]->getParent()) {
        list.push_back({Mutation::kSwap, i, j});
      }
      break;
    }
  }
  return list;
}

void Apply(const Mutation& mutation, const std::vector<llvm::Instruction*>& all) {
  llvm::Instruction* first = all[mutation.first];
  if (mutation.kind == Mutation::kSwap) {
    llvm::Instruction* second = all[mutation.second];
    llvm::Value* operand = first->getOperand(0);
    first->setOperand(0, second->getOperand(0));
    second->setOperand(0, operand);
    return;
  }
  if (!first->getType()->isVoidTy()) first->replaceAllUsesWith(llvm::Constant::getNullValue(first->getType()));
  if (mutation.kind != Mutation::kNoUnlockOnePath) {
    first->eraseFromParent();
    return;
  }
  // if (mutant_choice) unlock: which way it goes is a number that the program never writes; the explorer tries the forgetful way.
  llvm::Module& module = *first->getModule();
  llvm::Type* number = llvm::Type::getInt32Ty(module.getContext());
  auto* choice = llvm::cast<llvm::GlobalVariable>(module.getOrInsertGlobal("mutant_choice", number));
  if (!choice->hasInitializer()) choice->setInitializer(llvm::ConstantInt::get(number, 0));
  llvm::IRBuilder<> builder(first);
  llvm::Value* chosen = builder.CreateICmpNE(builder.CreateLoad(number, choice, true), llvm::ConstantInt::get(number, 0));
  llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(chosen, first->getIterator(), false);
  first->moveBefore(then);
}

struct Totals {
  size_t mutants = 0, deadlocking = 0, reported = 0, missed = 0, unknown = 0, alarms = 0;
};

bool Reported(const llvm::Module& module, const std::string& path) {
  std::error_code failure;
  {
    llvm::raw_fd_ostream out(path, failure);
    llvm::WriteBitcodeToFile(module, out);
  }
  Result<Analysis> analysis = Analyse({path}, {});
  if (!analysis) fmt::print("{}: {}\n", path, analysis.error().message);
  return analysis && !analysis->findings.empty();
}

void Try(const llvm::Module& base, const std::vector<Mutation>& mutations, const std::string& name, const std::string& folder, Totals* totals) {
  std::unique_ptr<llvm::Module> mutant = llvm::CloneModule(base);
  std::vector<llvm::Instruction*> all = Numbered(*mutant);
  for (const Mutation& mutation : mutations) Apply(mutation, all);
  if (llvm::verifyModule(*mutant, &llvm::errs())) {
    fmt::print("{}: the mutant is broken\n", name);
    ++totals->missed;
    return;
  }
  ++totals->mutants;
  Exploration explored = Explore(*mutant, kStateLimit);
  if (!explored.problem.empty()) fmt::print("{}: the explorer does not know {}\n", name, explored.problem);
  if (!explored.problem.empty() || (!explored.deadlock && !explored.complete)) ++totals->unknown;
  bool reported = Reported(*mutant, folder + "/mutant.bc");
  totals->alarms += reported && !explored.deadlock ? 1 : 0;
  if (!explored.deadlock) return;
  ++totals->deadlocking;
  if (reported) {
    ++totals->reported;
    return;
  }
  ++totals->missed;
  std::string kept = fmt::format("{}/missed-{}.bc", folder, totals->missed);
  std::error_code failure;
  llvm::raw_fd_ostream out(kept, failure);
  llvm::WriteBitcodeToFile(*mutant, out);
  fmt::print("MISSED: {}, kept as {}\n", name, kept);
}

int Main(int argc, char** argv) {
  std::string folder = argv[1];
  Totals totals;
  std::minstd_rand random(1);
  bool clean = true;
  for (int i = 2; i < argc; ++i) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> base = llvm::parseIRFile(argv[i], problem, context);
    if (base == nullptr) {
      fmt::print("{}: {}\n", argv[i], problem.getMessage().str());
      return 2;
    }
    Exploration original = Explore(*base, kStateLimit);
    bool reported = Reported(*base, folder + "/mutant.bc");
    if (original.deadlock || !original.problem.empty() || reported) {
      fmt::print("{}: the program itself: deadlock {}, reported {}, {}\n", argv[i], original.deadlock, reported, original.problem);
      clean = false;
    }
    std::vector<Mutation> mutations = MutationsOf(*base);
    for (size_t m = 0; m < mutations.size(); ++m) {
      Try(*base, {mutations[m]}, fmt::format("{} mutation {}", argv[i], m), folder, &totals);
    }
    for (size_t pair = 0; pair < kPairsPerProgram && mutations.size() > 3; ++pair) {
      size_t a = random() % mutations.size(), b = random() % mutations.size();
      bool disjoint = mutations[a].first != mutations[b].first && mutations[a].second != mutations[b].first &&
                      mutations[a].first != mutations[b].second;
      if (disjoint) Try(*base, {mutations[a], mutations[b]}, fmt::format("{} mutations {} and {}", argv[i], a, b), folder, &totals);
    }
  }
  fmt::print("{} mutants, {} deadlock, {} of them reported, {} missed; {} reported of the others; {} not decided by the explorer\n",
             totals.mutants, totals.deadlocking, totals.reported, totals.missed, totals.alarms, totals.unknown);
  bool enough = totals.mutants >= kWanted && totals.deadlocking >= kWanted / 3;
  if (!enough) fmt::print("too few mutants to mean anything\n");
  return totals.missed == 0 && enough && clean ? 0 : 1;
}

}  // namespace
}  // namespace heddle::deadlock

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: deadlock_mutants FOLDER BASE.bc...\n");
    return 2;
  }
  return heddle::deadlock::Main(argc, argv);
}
