// Calls are known by name, by src/calls/libc.calls or by the table. A function that can wait counts wherever its name
// is used: it may be called through a pointer, or be what a thread runs.
//
// A loop waits for another thread if the condition of one of its exits is computed, inside the loop, from something
// that another thread decides: an atomic or volatile access, the outcome of a try, the result of a function that does
// one of these, or, in a loop that takes a lock, a plain load of a variable. A compare-exchange that expects what was
// read in the turn before is a retry, not a wait: it fails only because another thread has got on. Nor does a loop wait
// that counts towards a limit.
#include "deadlock/input/other_waits.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "deadlock/input/primitives.h"

namespace heddle::deadlock {
namespace {

using llvm::dyn_cast;
using llvm::Function;

struct KnownCall {
  std::string_view name, prototype, ranges, facts;
};
constexpr KnownCall kCalls[] = {
#include "calls_table.inc"
};

// Waits that the table of calls does not have.
constexpr std::string_view kWaits[] = {"pthread_barrier_wait",
                                       "sem_wait",
                                       "sigwait",
                                       "sigwaitinfo",
                                       "sigsuspend",
                                       "pause",
                                       "flockfile",
                                       "syscall",
                                       "futex",
                                       "lockf",
                                       "flock",
                                       "accept",
                                       "accept4",
                                       "connect",
                                       "msgrcv",
                                       "msgsnd",
                                       "mq_receive",
                                       "mq_send",
                                       "semop",
                                       "wait",
                                       "wait3",
                                       "wait4",
                                       "waitpid",
                                       "waitid",
                                       "epoll_pwait",
                                       "epoll_pwait2",
                                       "ppoll",
                                       "pselect",
                                       "__poll",
                                       "__select",
                                       "eventfd_read",
                                       "eventfd_write",
                                       "splice",
                                       "sendfile",
                                       "sendfile64",
                                       "tee",
                                       "vmsplice",
                                       "pclose",
                                       "aio_suspend",
                                       "io_getevents",
                                       "getmsg",
                                       "putmsg",
                                       "tcdrain",
                                       "lckpwdf",
                                       "recvmmsg",
                                       "sendmmsg",
                                       "preadv2",
                                       "fgetwc",
                                       "fgetws",
                                       "getwchar",
                                       "getwc",
                                       "gets",
                                       "getpass",
                                       "vscanf",
                                       "vfscanf",
                                       "wscanf",
                                       "fwscanf",
                                       "__isoc99_vscanf",
                                       "__isoc99_vfscanf",
                                       "__isoc23_scanf",
                                       "__isoc23_fscanf",
                                       "__isoc23_vfscanf",
                                       "fgets_unlocked",
                                       "fgetc_unlocked",
                                       "getchar_unlocked",
                                       "dprintf",
                                       "vdprintf"};

bool Blocks(std::string_view name) {
  static const auto* names = [] {
    auto* made = new std::unordered_set<std::string_view>(std::begin(kWaits), std::end(kWaits));
    for (const KnownCall& call : kCalls) {
      if ((" " + std::string(call.facts) + " ").find(" blocks ") != std::string::npos) made->insert(call.name);
    }
    return made;
  }();
  return names->count(name) != 0;
}

// fcntl waits only with F_SETLKW or F_OFD_SETLKW.
bool IsFileLock(const Function& function) {
  constexpr uint64_t kSetLockWait = 7, kOpenFileWait = 38;
  if (function.getName() != "fcntl" && function.getName() != "fcntl64") return false;
  return std::any_of(function.user_begin(), function.user_end(), [&](const llvm::User* user) {
    const auto* call = dyn_cast<llvm::CallBase>(user);
    if (call == nullptr || call->getCalledFunction() != &function || call->arg_size() < 2) return true;
    const auto* command = dyn_cast<llvm::ConstantInt>(call->getArgOperand(1));
    return command == nullptr || command->getZExtValue() == kSetLockWait || command->getZExtValue() == kOpenFileWait;
  });
}

// A wait without a limit of time that is no lock, join or once.
std::string WaitName(const Function& function, const Primitives& primitives) {
  llvm::StringRef name = function.getName();
  const Primitive* primitive = primitives.Find(name.str());
  if (primitive != nullptr && primitive->action == Action::kSemWait) return "";  // a lock, as asked for
  if (Blocks(std::string_view(name.data(), name.size())) || IsFileLock(function)) return name.str();
  if (name.contains("_M_futex_wait_until")) return "std::future";
  if (name.starts_with("_ZNSi") || name.starts_with("_ZSt7getline") || name.starts_with("_ZStrs"))
    return "std::istream";
  if (primitive == nullptr || name.contains("timed") || name.contains("until") || name.contains("clockwait")) return "";
  return primitive->action == Action::kCondWait ? name.str() : "";
}

// The library's own loops behind std::lock, which is a primitive.
bool BelongsToLock(llvm::StringRef name) {
  return name.starts_with("_ZNSt8__detail11__lock_impl") || name.starts_with("_ZNSt8__detail15__try_lock_impl");
}

class Loops {
 public:
  Loops(const llvm::Module& module, const Primitives& primitives) : primitives_(primitives) { FindObservers(module); }

  size_t Waiting(Function& function) {
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    size_t count = 0;
    for (const llvm::Loop* loop : loops.getLoopsInPreorder()) count += Waits(*loop) ? 1 : 0;
    return count;
  }

 private:
  const Primitive* PrimitiveOf(const llvm::CallBase& call) const {
    const Function* callee = call.getCalledFunction();
    return callee == nullptr ? nullptr : primitives_.Find(callee->getName().str());
  }

  // The result says what another thread has done so far.
  bool IsTry(const llvm::CallBase& call) const {
    const Function* callee = call.getCalledFunction();
    if (callee == nullptr) return false;
    llvm::StringRef name = callee->getName();
    for (const char* part : {"tryjoin", "timedjoin", "sem_try", "sem_timed", "sem_clock", "sem_getvalue", "timedwait",
                             "clockwait", "wait_until", "ftrylockfile"}) {
      if (name.contains(part)) return true;
    }
    const Primitive* primitive = PrimitiveOf(call);
    return primitive != nullptr && (primitive->action == Action::kTryLock || primitive->action == Action::kTimedLock ||
                                    primitive->action == Action::kSemTry);
  }

  bool TakesLock(const llvm::CallBase& call) const {
    const Primitive* primitive = PrimitiveOf(call);
    return primitive != nullptr && (primitive->action == Action::kLock || primitive->action == Action::kLockAll ||
                                    primitive->action == Action::kSemWait);
  }

  static bool IsAtomicRead(const llvm::Instruction& at) {
    if (const auto* load = dyn_cast<llvm::LoadInst>(&at)) return load->isAtomic() || load->isVolatile();
    return llvm::isa<llvm::AtomicRMWInst>(at) || llvm::isa<llvm::AtomicCmpXchgInst>(at);
  }

  // Functions whose result, or what they leave in memory, may depend on what another thread has done.
  void FindObservers(const llvm::Module& module) {
    std::map<const Function*, std::vector<const Function*>> callers;
    std::vector<const Function*> work;
    auto add = [&](const Function* function) {
      if (observers_.insert(function).second) work.push_back(function);
    };
    for (const Function& function : module) {
      for (const llvm::Instruction& at : llvm::instructions(function)) {
        const auto* call = dyn_cast<llvm::CallBase>(&at);
        if (IsAtomicRead(at)) add(&function);
        if (call == nullptr || call->isInlineAsm()) continue;
        const Function* callee = call->getCalledFunction();
        if (callee == nullptr || IsTry(*call) || TakesLock(*call)) add(&function);
        if (callee != nullptr && !callee->isDeclaration()) callers[callee].push_back(&function);
      }
    }
    while (!work.empty()) {
      const Function* function = work.back();
      work.pop_back();
      for (const Function* caller : callers[function]) add(caller);
    }
  }

  bool Observes(const llvm::CallBase& call) const {
    if (call.isInlineAsm()) return false;
    const Function* callee = call.getCalledFunction();
    return callee == nullptr || IsTry(call) || (!callee->isDeclaration() && observers_.count(callee) != 0);
  }

  bool OthersDecide(const llvm::Instruction& at, const llvm::Loop& loop, bool locks) const {
    if (const auto* load = dyn_cast<llvm::LoadInst>(&at)) {
      return IsAtomicRead(at) || (locks && loop.isLoopInvariant(load->getPointerOperand()));
    }
    if (llvm::isa<llvm::AtomicRMWInst>(at)) return true;
    if (const auto* call = dyn_cast<llvm::CallBase>(&at)) return Observes(*call);
    const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&at);
    return exchange != nullptr && loop.isLoopInvariant(exchange->getCompareOperand());
  }

  // The value of the turn that a variable of the loop counts: the variable, or it and a step.
  static bool Counts(const llvm::Value* value, const llvm::Loop& loop) {
    while (const auto* cast = dyn_cast<llvm::CastInst>(value)) value = cast->getOperand(0);
    const auto* step = dyn_cast<llvm::BinaryOperator>(value);
    const auto* phi = dyn_cast<llvm::PHINode>(step == nullptr ? value : step->getOperand(0));
    if (phi == nullptr || phi->getParent() != loop.getHeader()) return false;
    return std::all_of(phi->block_begin(), phi->block_end(), [&](const llvm::BasicBlock* from) {
      if (!loop.contains(from)) return true;
      const auto* next = dyn_cast<llvm::BinaryOperator>(phi->getIncomingValueForBlock(from));
      bool steps = next != nullptr &&
                   (next->getOpcode() == llvm::Instruction::Add || next->getOpcode() == llvm::Instruction::Sub);
      const auto* by = steps ? dyn_cast<llvm::ConstantInt>(next->getOperand(1)) : nullptr;
      return by != nullptr && !by->isZero() && next->getOperand(0) == phi;
    });
  }

  bool DependsOnOthers(const llvm::Value* condition, const llvm::Loop& loop, bool locks) const {
    std::set<const llvm::Value*> seen;
    std::vector<const llvm::Value*> work{condition};
    while (!work.empty()) {
      const auto* at = dyn_cast<llvm::Instruction>(work.back());
      work.pop_back();
      if (at == nullptr || !loop.contains(at) || !seen.insert(at).second) continue;
      if (OthersDecide(*at, loop, locks)) return true;
      if (llvm::isa<llvm::AtomicCmpXchgInst>(at)) continue;  // a retry
      const auto* compare = dyn_cast<llvm::ICmpInst>(at);
      bool counts =
          compare != nullptr && (Counts(compare->getOperand(0), loop) || Counts(compare->getOperand(1), loop));
      if (counts) continue;
      for (const llvm::Value* operand : at->operands()) work.push_back(operand);
      // Which way was taken to here is part of what a value that ways bring together depends on.
      const auto* phi = dyn_cast<llvm::PHINode>(at);
      for (unsigned i = 0; phi != nullptr && i < phi->getNumIncomingValues(); ++i) {
        AddBranchesBefore(phi->getIncomingBlock(i), phi->getParent(), loop, &work);
      }
    }
    return false;
  }

  static const llvm::Value* ConditionOf(const llvm::Instruction& end) {
    const auto* branch = dyn_cast<llvm::BranchInst>(&end);
    const auto* choice = dyn_cast<llvm::SwitchInst>(&end);
    if (branch != nullptr && branch->isConditional()) return branch->getCondition();
    return choice == nullptr ? nullptr : choice->getCondition();
  }

  // Conditions that decide whether `from` is where control comes from: backwards along single predecessors.
  static void AddBranchesBefore(const llvm::BasicBlock* from, const llvm::BasicBlock* to, const llvm::Loop& loop,
                                std::vector<const llvm::Value*>* work) {
    const llvm::BasicBlock* next = to;
    for (int steps = 0; from != nullptr && from != next && loop.contains(from) && steps < 64; ++steps) {
      if (const llvm::Value* condition = ConditionOf(*from->getTerminator())) work->push_back(condition);
      next = from;
      from = from->getSinglePredecessor();
    }
  }

  bool Waits(const llvm::Loop& loop) const {
    bool locks = false;
    for (const llvm::BasicBlock* block : loop.blocks()) {
      for (const llvm::Instruction& at : *block) {
        const auto* call = dyn_cast<llvm::CallBase>(&at);
        locks |= call != nullptr && (TakesLock(*call) || Observes(*call));
      }
    }
    llvm::SmallVector<llvm::BasicBlock*, 4> exits;
    loop.getExitingBlocks(exits);
    return std::any_of(exits.begin(), exits.end(), [&](const llvm::BasicBlock* block) {
      const llvm::Value* condition = ConditionOf(*block->getTerminator());
      return condition != nullptr && DependsOnOthers(condition, loop, locks);
    });
  }

  const Primitives& primitives_;
  std::set<const Function*> observers_;
};

}  // namespace

std::vector<std::string> OtherWaits(const llvm::Module& module, const Primitives& primitives) {
  std::map<std::string, size_t> places;
  Loops finder(module, primitives);
  size_t loops = 0;
  for (const Function& function : module) {
    if (function.isDeclaration()) {
      std::string name = function.use_empty() ? "" : WaitName(function, primitives);
      if (!name.empty()) places[name] += function.getNumUses();
    } else if (primitives.Find(function.getName().str()) == nullptr && !BelongsToLock(function.getName())) {
      loops += finder.Waiting(const_cast<Function&>(function));
    }
  }
  std::vector<std::string> list;
  for (const auto& [name, count] : places) list.push_back(fmt::format("{} ({})", name, count));
  if (loops > 0) list.push_back(fmt::format("loops until another thread has done something ({})", loops));
  return list;
}

}  // namespace heddle::deadlock
