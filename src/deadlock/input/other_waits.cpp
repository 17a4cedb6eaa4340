// Calls are known by name or by the table. A loop waits for memory if the condition of one of its exits is computed,
// inside the loop, from an atomic or volatile access. A compare-exchange that expects what was read in the same turn is
// a retry, not a wait: it fails only because another thread has got on.
#include "deadlock/input/other_waits.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>

#include "deadlock/input/primitives.h"

namespace heddle::deadlock {
namespace {

using llvm::dyn_cast;

// A wait without a limit of time that is no lock, join or once.
std::string WaitName(llvm::StringRef name, const Primitives& primitives) {
  for (const char* known : {"pthread_barrier_wait",
                            "sigwait",
                            "sigwaitinfo",
                            "sigsuspend",
                            "pause",
                            "flockfile",
                            "syscall",
                            "futex",
                            "lockf",
                            "flock",
                            "read",
                            "recv",
                            "recvmsg",
                            "recvfrom",
                            "accept",
                            "msgrcv",
                            "mq_receive",
                            "semop",
                            "wait",
                            "waitpid"}) {
    if (name == known) return known;
  }
  if (name.contains("_M_futex_wait_until")) return "std::future";
  const Primitive* primitive = primitives.Find(name.str());
  if (primitive == nullptr || name.contains("timed") || name.contains("until") || name.contains("clockwait")) return "";
  bool waits = primitive->action == Action::kCondWait || name == "sem_wait";
  return waits && primitive->action != Action::kSemWait ? name.str() : "";
}

bool ReadsWhatOthersWrite(const llvm::Instruction& at, const llvm::Loop& loop) {
  if (const auto* load = dyn_cast<llvm::LoadInst>(&at)) return load->isAtomic() || load->isVolatile();
  if (llvm::isa<llvm::AtomicRMWInst>(at)) return true;
  const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&at);
  return exchange != nullptr && loop.isLoopInvariant(exchange->getCompareOperand());
}

bool DependsOnMemory(const llvm::Value* condition, const llvm::Loop& loop) {
  std::set<const llvm::Value*> seen;
  std::vector<const llvm::Value*> work{condition};
  while (!work.empty()) {
    const auto* at = dyn_cast<llvm::Instruction>(work.back());
    work.pop_back();
    if (at == nullptr || !loop.contains(at) || !seen.insert(at).second) continue;
    if (ReadsWhatOthersWrite(*at, loop)) return true;
    if (llvm::isa<llvm::PHINode>(at) && at->getParent() == loop.getHeader()) continue;
    for (const llvm::Value* operand : at->operands()) work.push_back(operand);
  }
  return false;
}

bool WaitsForMemory(const llvm::Loop& loop) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exits;
  loop.getExitingBlocks(exits);
  for (const llvm::BasicBlock* block : exits) {
    const llvm::Instruction* end = block->getTerminator();
    const auto* branch = dyn_cast<llvm::BranchInst>(end);
    const auto* choice = dyn_cast<llvm::SwitchInst>(end);
    const llvm::Value* condition = nullptr;
    if (branch != nullptr && branch->isConditional()) condition = branch->getCondition();
    if (choice != nullptr) condition = choice->getCondition();
    if (condition != nullptr && DependsOnMemory(condition, loop)) return true;
  }
  return false;
}

size_t WaitingLoops(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  size_t count = 0;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) count += WaitsForMemory(*loop) ? 1 : 0;
  return count;
}

}  // namespace

std::vector<std::string> OtherWaits(const llvm::Module& module, const Primitives& primitives) {
  std::map<std::string, size_t> places;
  size_t loops = 0;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    bool atomic = false;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      atomic |= instruction.isAtomic() || instruction.isVolatile();
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee == nullptr || !callee->isDeclaration()) continue;
      std::string name = WaitName(callee->getName(), primitives);
      if (!name.empty()) ++places[name];
    }
    if (atomic) loops += WaitingLoops(const_cast<llvm::Function&>(function));
  }
  std::vector<std::string> list;
  for (const auto& [name, count] : places) list.push_back(fmt::format("{} ({})", name, count));
  if (loops > 0) list.push_back(fmt::format("loops until memory changes ({})", loops));
  return list;
}

}  // namespace heddle::deadlock
