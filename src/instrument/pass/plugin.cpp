// The pass plugin that `heddle cc` loads into clang 19.
//
// It runs before the compiler's own ThreadSanitizer pass and takes over its part: it runs that pass itself, changes
// what it emitted, and marks the function as done: taking the attribute away would not do, as the pass instruments
// atomics, entry and exit of every function.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Instrumentation/ThreadSanitizer.h>

#include <cstdlib>

#include "instrument/pass/assembly.h"
#include "instrument/pass/awaits.h"
#include "instrument/pass/cycles.h"
#include "instrument/pass/embed.h"
#include "instrument/pass/escapes.h"
#include "instrument/pass/marks.h"
#include "instrument/pass/prune.h"
#include "instrument/pass/spin_once.h"
#include "instrument/pass/tbb_tasks.h"
#include "instrument/pass/unused_results.h"
#include "instrument/pass/versions.h"
#include "instrument/pass/volatiles.h"
#include "instrument/pass/weave.h"
#include "wire/environment.h"

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace {

// ThreadSanitizer leaves the atomic loads that it has replaced in place, without uses.
void EraseReplacedLoads(Function& function) {
  SmallVector<Instruction*, 16> replaced;
  for (Instruction& instruction : instructions(function)) {
    if (isa<LoadInst>(instruction) && instruction.isAtomic() && instruction.use_empty()) {
      replaced.push_back(&instruction);
    }
  }
  for (Instruction* load : replaced) load->eraseFromParent();
}

// What `heddle cc --prune` says must not be watched. A list that is stale leaves nothing out, and says so.
void LeaveOut(Module& module) {
  const char* list = std::getenv(heddle::wire::variable::kPrune);  // set by heddle cc for the compiler it starts
  if (list == nullptr || *list == '\0') return;
  heddle::instrument::Pruned pruned = heddle::instrument::Prune(module, list);
  if (!pruned.refused.empty()) {
    errs() << "heddle cc: " << list << " is not used: " << pruned.refused << "\n";
  } else if (std::getenv(heddle::wire::variable::kPruneStats) != nullptr) {
    errs() << "heddle cc: " << module.getSourceFileName() << ": " << pruned.left_out << " of " << pruned.all
           << " loads and stores are not watched\n";
  }
}

// The bitcode that `heddle cc --bitcode` made of the same source.
void Carry(Module& module) {
  const char* bitcode = std::getenv(heddle::wire::variable::kEmbed);  // set by heddle cc for the compiler it starts
  if (bitcode == nullptr || *bitcode == '\0') return;
  std::string wrong = heddle::instrument::EmbedBitcode(module, bitcode);
  if (!wrong.empty()) report_fatal_error(Twine("heddle cc: ") + wrong, false);
}

class HeddlePass : public PassInfoMixin<HeddlePass> {
 public:
  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    FunctionAnalysisManager& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    bool changed = false;
    LeaveOut(module);
    for (Function& function : module) {
      if (function.isDeclaration() || !function.hasFnAttribute(Attribute::SanitizeThread)) continue;
      heddle::instrument::ReplaceCycleCounters(function);
      heddle::instrument::AcquireTask(function);
      if (heddle::instrument::AnnounceAssembly(function)) functions.invalidate(function, PreservedAnalyses::none());
      SmallVector<Instruction*, 16> left_out = heddle::instrument::LeftOutAlthoughShared(function);
      ThreadSanitizerPass().run(function, functions);
      heddle::instrument::AnnounceAccesses(left_out);
      EraseReplacedLoads(function);
      function.addFnAttr(Attribute::DisableSanitizerInstrumentation);
      heddle::instrument::TellUnusedResults(function);
      heddle::instrument::PerformVolatilesInTurn(function);
      heddle::instrument::MarkForSearch(function);
      heddle::instrument::SplitVersions(function);
      functions.invalidate(function, PreservedAnalyses::none());
      changed = true;
    }
    if (changed) heddle::instrument::MarkUnit(module);
    Carry(module);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// When functions have been inlined and before loops are rotated.
class AwaitPass : public PassInfoMixin<AwaitPass> {
 public:
  PreservedAnalyses run(Function& function, FunctionAnalysisManager&) {
    bool changed = function.hasFnAttribute(Attribute::SanitizeThread) && heddle::instrument::MarkAwaits(function);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// Before calls are inlined, too.
class SpinPass : public PassInfoMixin<SpinPass> {
 public:
  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    return heddle::instrument::SpinOnce(module) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// First of all passes: later ones inline the calls and merge the accesses that an aspect names.
class AspectPass : public PassInfoMixin<AspectPass> {
 public:
  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    const char* orders = std::getenv(heddle::wire::variable::kAspect);  // set by heddle cc for the compiler it starts
    bool changed = orders != nullptr && heddle::instrument::Weave(module, orders);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "heddle", "1", [](PassBuilder& builder) {
            builder.registerPipelineStartEPCallback([](ModulePassManager& passes, OptimizationLevel) {
              passes.addPass(AspectPass());
              passes.addPass(SpinPass());
            });
            builder.registerPeepholeEPCallback(
                [](FunctionPassManager& passes, OptimizationLevel) { passes.addPass(AwaitPass()); });
            builder.registerOptimizerLastEPCallback(
                [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(HeddlePass()); });
          }};
}
