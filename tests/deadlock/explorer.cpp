#include "explorer.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <map>
#include <unordered_set>
#include <vector>

namespace heddle::deadlock {
namespace {

using llvm::dyn_cast;
using llvm::isa;

// A number, or a pointer: an object and an offset in it.
struct Word {
  int64_t number = 0;
  int32_t object = -1;
  auto operator<=>(const Word&) const = default;
};
using Address = std::pair<int32_t, int64_t>;

struct Activation {
  const llvm::Function* function = nullptr;
  const llvm::BasicBlock* block = nullptr;
  const llvm::BasicBlock* from = nullptr;
  llvm::BasicBlock::const_iterator next;
  std::map<const llvm::Value*, Word> values;
  const llvm::CallBase* call = nullptr;  // in the caller
};

struct Thread {
  std::vector<Activation> stack;
  bool done = false;
};

struct Lock {
  int owner = -1;
  int count = 0;
  std::multiset<int> readers;
};

struct World {
  std::vector<Thread> threads;
  std::map<Address, Word> memory;
  std::map<Address, Lock> locks;
  int32_t objects = 0;
  bool ended = false;
};

class Interpreter {
 public:
  Interpreter(const llvm::Module& module, size_t limit, bool all)
      : module_(module), layout_(module.getDataLayout()), limit_(limit), all_(all) {}

  Exploration Run() {
    World world;
    for (const llvm::GlobalVariable& global : module_.globals()) globals_[&global] = world.objects++;
    for (const llvm::Function& function : module_) {
      globals_[&function] = world.objects++;
      functions_[globals_[&function]] = &function;
    }
    for (const llvm::GlobalVariable& global : module_.globals()) {
      if (global.hasInitializer()) Fill(&world, {globals_[&global], 0}, global.getInitializer());
    }
    const llvm::Function* entry = module_.getFunction("main");
    Push(&world, 0, entry, {}, true);
    if (Advance(&world, 0)) Visit(world);
    return result_;
  }

 private:
  bool Fail(const std::string& what) {
    if (result_.problem.empty()) result_.problem = what;
    return false;
  }

  void Fill(World* world, Address at, const llvm::Constant* value) {
    llvm::Type* type = value->getType();
    if (isa<llvm::ConstantAggregateZero>(value) || isa<llvm::UndefValue>(value)) return;
    if (isa<llvm::ConstantDataSequential>(value) || isa<llvm::ConstantAggregate>(value)) {
      unsigned count = 0;
      while (const llvm::Constant* part = value->getAggregateElement(count)) {
        uint64_t offset = 0;
        if (auto* record = dyn_cast<llvm::StructType>(type)) offset = layout_.getStructLayout(record)->getElementOffset(count);
        else offset = count * layout_.getTypeAllocSize(type->getContainedType(0));
        Fill(world, {at.first, at.second + static_cast<int64_t>(offset)}, part);
        ++count;
      }
      return;
    }
    world->memory[at] = Constant(value);
  }

  Word Constant(const llvm::Constant* value) {
    if (const auto* number = dyn_cast<llvm::ConstantInt>(value)) return {number->getSExtValue(), -1};
    auto found = globals_.find(value);
    if (found != globals_.end()) return {0, found->second};
    if (const auto* gep = dyn_cast<llvm::GEPOperator>(value)) {
      llvm::APInt offset(64, 0);
      gep->accumulateConstantOffset(layout_, offset);
      Word base = Constant(llvm::cast<llvm::Constant>(gep->getPointerOperand()));
      return {base.number + offset.getSExtValue(), base.object};
    }
    const auto* cast = dyn_cast<llvm::ConstantExpr>(value);
    if (cast != nullptr && cast->isCast()) return Constant(cast->getOperand(0));
    return {};
  }

  Word Get(const Activation& in, const llvm::Value* value) {
    if (const auto* constant = dyn_cast<llvm::Constant>(value)) return Constant(constant);
    auto found = in.values.find(value);
    return found == in.values.end() ? Word{} : found->second;
  }

  void Push(World* world, size_t thread, const llvm::Function* function, const std::vector<Word>& arguments, bool fresh) {
    if (fresh) world->threads.emplace_back();
    Activation activation;
    activation.function = function;
    activation.block = &function->getEntryBlock();
    activation.next = activation.block->begin();
    for (const llvm::Argument& parameter : function->args()) {
      if (parameter.getArgNo() < arguments.size()) activation.values[&parameter] = arguments[parameter.getArgNo()];
    }
    world->threads[thread].stack.push_back(std::move(activation));
  }

  static bool Visible(llvm::StringRef name) {
    return name.starts_with("pthread_mutex_") || name.starts_with("pthread_rwlock_") || name.starts_with("pthread_spin_") ||
           name == "pthread_create" || name == "pthread_join" || name == "pthread_exit";
  }

  // Runs a thread up to its next visible operation.
  bool Advance(World* world, size_t id) {
    for (size_t steps = 0; steps < 100000; ++steps) {
      Thread& thread = world->threads[id];
      if (thread.done || world->ended) return true;
      Activation& in = thread.stack.back();
      const llvm::Instruction& at = *in.next;
      const auto* call = dyn_cast<llvm::CallBase>(&at);
      if (call != nullptr && call->getCalledFunction() != nullptr && Visible(call->getCalledFunction()->getName())) return true;
      if (!Step(world, id, at)) return false;
    }
    return Fail("a thread runs without end");
  }

  void Jump(Activation* in, const llvm::BasicBlock* to) {
    std::map<const llvm::Value*, Word> fresh;
    for (const llvm::PHINode& phi : to->phis()) fresh[&phi] = Get(*in, phi.getIncomingValueForBlock(in->block));
    for (const auto& [phi, value] : fresh) in->values[phi] = value;
    in->from = in->block;
    in->block = to;
    in->next = to->getFirstNonPHIIt();
  }

  void Return(World* world, size_t id, Word value) {
    Thread& thread = world->threads[id];
    const llvm::CallBase* call = thread.stack.back().call;
    thread.stack.pop_back();
    if (thread.stack.empty()) {
      thread.done = true;
      if (id == 0) world->ended = true;
      return;
    }
    thread.stack.back().values[call] = value;
  }

  bool Step(World* world, size_t id, const llvm::Instruction& at) {
    Activation& in = world->threads[id].stack.back();
    ++in.next;
    if (const auto* branch = dyn_cast<llvm::BranchInst>(&at)) {
      bool taken = branch->isUnconditional() || Get(in, branch->getCondition()).number != 0;
      Jump(&in, branch->getSuccessor(taken ? 0 : 1));
      return true;
    }
    if (const auto* choice = dyn_cast<llvm::SwitchInst>(&at)) {
      const llvm::BasicBlock* to = choice->getDefaultDest();
      for (const auto& one : choice->cases()) {
        if (one.getCaseValue()->getSExtValue() == Get(in, choice->getCondition()).number) to = one.getCaseSuccessor();
      }
      Jump(&in, to);
      return true;
    }
    if (const auto* ret = dyn_cast<llvm::ReturnInst>(&at)) {
      Return(world, id, ret->getReturnValue() == nullptr ? Word{} : Get(in, ret->getReturnValue()));
      return true;
    }
    if (const auto* call = dyn_cast<llvm::CallBase>(&at)) return Call(world, id, *call);
    return Compute(world, &in, at);
  }

  bool Call(World* world, size_t id, const llvm::CallBase& call) {
    Activation& in = world->threads[id].stack.back();
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr) {
      auto found = functions_.find(Get(in, call.getCalledOperand()).object);
      if (found == functions_.end()) return Fail("a call of an unknown pointer");
      callee = found->second;
    }
    if (callee->isIntrinsic()) return Intrinsic(world, &in, llvm::cast<llvm::IntrinsicInst>(call));
    if (callee->isDeclaration()) {
      llvm::StringRef name = callee->getName();
      if (name == "malloc" || name == "calloc") in.values[&call] = {0, world->objects++};
      else if (name != "free" && !name.starts_with("pthread_")) return Fail("external function " + name.str());
      else in.values[&call] = {};
      return true;
    }
    std::vector<Word> arguments;
    for (const llvm::Value* argument : call.args()) arguments.push_back(Get(in, argument));
    Push(world, id, callee, arguments, false);
    world->threads[id].stack.back().call = &call;
    return true;
  }

  bool Intrinsic(World* world, Activation* in, const llvm::IntrinsicInst& call) {
    if (const auto* copy = dyn_cast<llvm::MemTransferInst>(&call)) {
      Copy(world, Get(*in, copy->getRawDest()), Get(*in, copy->getRawSource()), Get(*in, copy->getLength()).number);
      return true;
    }
    if (const auto* choice = dyn_cast<llvm::MinMaxIntrinsic>(&call)) {
      Word a = Get(*in, choice->getLHS()), b = Get(*in, choice->getRHS());
      in->values[&call] = Compare(choice->getPredicate(), a, b) ? a : b;
      return true;
    }
    if (const auto* set = dyn_cast<llvm::MemSetInst>(&call)) {
      if (Get(*in, set->getValue()).number != 0) return Fail("memset to another value than 0");
      Erase(world, Get(*in, set->getRawDest()), Get(*in, set->getLength()).number);
      return true;
    }
    bool harmless = call.isAssumeLikeIntrinsic() || isa<llvm::DbgInfoIntrinsic>(call) || call.isLifetimeStartOrEnd();
    return harmless || Fail("intrinsic " + call.getCalledFunction()->getName().str());
  }

  static void Copy(World* world, Word to, Word from, int64_t bytes) {
    std::map<Address, Word> copied;
    for (auto at = world->memory.lower_bound({from.object, from.number}); at != world->memory.end(); ++at) {
      if (at->first.first != from.object || at->first.second >= from.number + bytes) break;
      copied[{to.object, to.number + at->first.second - from.number}] = at->second;
    }
    Erase(world, to, bytes);
    world->memory.insert(copied.begin(), copied.end());
  }

  static void Erase(World* world, Word at, int64_t bytes) {
    auto old = world->memory.lower_bound({at.object, at.number});
    while (old != world->memory.end() && old->first.first == at.object && old->first.second < at.number + bytes) {
      old = world->memory.erase(old);
    }
  }

  static int64_t Cut(int64_t number, const llvm::Type* type) {
    unsigned bits = type->isIntegerTy() ? type->getIntegerBitWidth() : 64;
    if (bits >= 64) return number;
    auto shifted = static_cast<uint64_t>(number) << (64 - bits);
    return static_cast<int64_t>(shifted) >> (64 - bits);
  }

  bool Compute(World* world, Activation* in, const llvm::Instruction& at) {
    Word& result = in->values[&at];
    auto operand = [&](unsigned i) { return Get(*in, at.getOperand(i)); };
    if (isa<llvm::AllocaInst>(at)) {
      result = {0, world->objects++};
    } else if (isa<llvm::LoadInst>(at)) {
      Word address = operand(0);
      result = world->memory[{address.object, address.number}];
    } else if (isa<llvm::StoreInst>(at)) {
      Word address = operand(1);
      world->memory[{address.object, address.number}] = operand(0);
    } else if (const auto* gep = dyn_cast<llvm::GetElementPtrInst>(&at)) {
      llvm::MapVector<llvm::Value*, llvm::APInt> variables;
      llvm::APInt constant(64, 0);
      if (!gep->collectOffset(layout_, 64, variables, constant)) return Fail("an address");
      result = operand(0);
      result.number += constant.getSExtValue();
      for (const auto& [index, scale] : variables) result.number += Get(*in, index).number * scale.getSExtValue();
    } else if (const auto* compare = dyn_cast<llvm::ICmpInst>(&at)) {
      result = {Compare(compare->getPredicate(), operand(0), operand(1)) ? -1 : 0, -1};
    } else if (isa<llvm::SelectInst>(at)) {
      result = operand(0).number != 0 ? operand(1) : operand(2);
    } else if (isa<llvm::ZExtInst>(at)) {
      unsigned bits = at.getOperand(0)->getType()->getIntegerBitWidth();
      result = operand(0);
      if (bits < 64) result.number &= (int64_t{1} << bits) - 1;
    } else if (isa<llvm::CastInst>(at) || isa<llvm::FreezeInst>(at)) {
      result = operand(0);
      if (result.object < 0) result.number = Cut(result.number, at.getType());
    } else if (const auto* operation = dyn_cast<llvm::BinaryOperator>(&at)) {
      return Arithmetic(*operation, operand(0), operand(1), &result);
    } else {
      return Fail(std::string("instruction ") + at.getOpcodeName());
    }
    return true;
  }

  static bool Compare(llvm::CmpInst::Predicate predicate, Word a, Word b) {
    switch (predicate) {
      case llvm::CmpInst::ICMP_EQ:
        return a == b;
      case llvm::CmpInst::ICMP_NE:
        return a != b;
      case llvm::CmpInst::ICMP_SLT:
      case llvm::CmpInst::ICMP_ULT:
        return a.object != b.object ? a.object < b.object : a.number < b.number;
      case llvm::CmpInst::ICMP_SGT:
      case llvm::CmpInst::ICMP_UGT:
        return Compare(llvm::CmpInst::ICMP_ULT, b, a);
      case llvm::CmpInst::ICMP_SLE:
      case llvm::CmpInst::ICMP_ULE:
        return !Compare(llvm::CmpInst::ICMP_ULT, b, a);
      default:
        return !Compare(llvm::CmpInst::ICMP_ULT, a, b);
    }
  }

  bool Arithmetic(const llvm::BinaryOperator& operation, Word a, Word b, Word* result) {
    int64_t x = a.number, y = b.number, z = 0;
    switch (operation.getOpcode()) {
      case llvm::Instruction::Add: z = x + y; break;
      case llvm::Instruction::Sub: z = x - y; break;
      case llvm::Instruction::Mul: z = x * y; break;
      case llvm::Instruction::And: z = x & y; break;
      case llvm::Instruction::Or: z = x | y; break;
      case llvm::Instruction::Xor: z = x ^ y; break;
      case llvm::Instruction::Shl: z = x << (y & 63); break;
      case llvm::Instruction::SRem:
      case llvm::Instruction::URem:
        if (y == 0) return Fail("division by zero");
        z = x % y;
        break;
      default:
        return Fail(std::string("operation ") + operation.getOpcodeName());
    }
    *result = {Cut(z, operation.getType()), a.object};
    return true;
  }

  struct Op {
    llvm::StringRef name;
    std::vector<Word> arguments;
    const llvm::CallBase* call;
  };
  Op Next(const World& world, size_t id) {
    const Activation& in = world.threads[id].stack.back();
    const auto& call = llvm::cast<llvm::CallBase>(*in.next);
    Op op{call.getCalledFunction()->getName(), {}, &call};
    for (const llvm::Value* argument : call.args()) op.arguments.push_back(Get(in, argument));
    return op;
  }

  static bool Recursive(const World& world, Address lock) {
    auto found = world.memory.find({lock.first, lock.second + 16});
    return found != world.memory.end() && found->second.number == 1;
  }

  static bool Ends(llvm::StringRef name, const char* ending) { return name.ends_with(ending); }

  bool Enabled(const World& world, size_t id) {
    if (world.threads[id].done) return false;
    Op op = Next(world, id);
    if (op.name == "pthread_join") {
      auto target = static_cast<size_t>(op.arguments[0].number);
      return target < world.threads.size() && world.threads[target].done;
    }
    bool write = Ends(op.name, "_lock") || Ends(op.name, "_wrlock"), read = Ends(op.name, "_rdlock");
    if (!write && !read) return true;
    auto found = world.locks.find({op.arguments[0].object, op.arguments[0].number});
    if (found == world.locks.end()) return true;
    const Lock& lock = found->second;
    if (read) return lock.owner < 0;
    if (lock.owner == static_cast<int>(id) && Recursive(world, found->first)) return true;
    return lock.owner < 0 && lock.readers.empty();
  }

  // Executes the visible operation at which the thread stands.
  bool Execute(World* world, size_t id) {
    Op op = Next(*world, id);
    ++world->threads[id].stack.back().next;
    Word result;
    Address address = op.arguments.empty() ? Address{} : Address{op.arguments[0].object, op.arguments[0].number};
    auto me = static_cast<int>(id);
    if (op.name == "pthread_create") {
      auto found = functions_.find(op.arguments[2].object);
      if (found == functions_.end()) return Fail("a thread with an unknown routine");
      size_t child = world->threads.size();
      world->memory[address] = {static_cast<int64_t>(child), -1};
      world->threads[id].stack.back().values[op.call] = {};
      Push(world, child, found->second, {op.arguments[3]}, true);
      if (!Advance(world, child)) return false;
      return Advance(world, id);
    }
    if (op.name == "pthread_exit") {
      world->threads[id].stack.clear();
      world->threads[id].done = true;
      return true;
    }
    Lock& lock = world->locks[address];
    if (Ends(op.name, "_tryrdlock") || Ends(op.name, "_trylock") || Ends(op.name, "_trywrlock")) {
      bool mine = lock.owner == me && Recursive(*world, address);
      bool free = mine || (lock.owner < 0 && (Ends(op.name, "_tryrdlock") || lock.readers.empty()));
      if (!free) result.number = 16;
      else Take(&lock, me, Ends(op.name, "_tryrdlock"));
    } else if (Ends(op.name, "_lock") || Ends(op.name, "_wrlock") || Ends(op.name, "_rdlock")) {
      Take(&lock, me, Ends(op.name, "_rdlock"));
    } else if (Ends(op.name, "_unlock")) {
      if (lock.owner == me && --lock.count == 0) lock.owner = -1;
      else if (auto reader = lock.readers.find(me); reader != lock.readers.end()) lock.readers.erase(reader);
    }
    world->threads[id].stack.back().values[op.call] = result;
    return Advance(world, id);
  }

  static void Take(Lock* lock, int who, bool read) {
    if (read) {
      lock->readers.insert(who);
      return;
    }
    lock->owner = who;
    ++lock->count;
  }

  static uint64_t Hash(const World& world) {
    uint64_t hash = 1;
    auto mix = [&hash](uint64_t value) {
      hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    };
    for (const Thread& thread : world.threads) {
      mix(thread.done ? 1 : 2);
      for (const Activation& in : thread.stack) {
        mix(reinterpret_cast<uint64_t>(in.next.getNodePtr()));
        for (const auto& [value, word] : in.values) {
          mix(reinterpret_cast<uint64_t>(value));
          mix(static_cast<uint64_t>(word.number) * 31 + static_cast<uint64_t>(word.object));
        }
      }
    }
    for (const auto& [address, word] : world.memory) {
      mix(static_cast<uint64_t>(address.first) * 4096 + static_cast<uint64_t>(address.second));
      mix(static_cast<uint64_t>(word.number) * 31 + static_cast<uint64_t>(word.object));
    }
    for (const auto& [address, lock] : world.locks) {
      mix(static_cast<uint64_t>(address.first) * 4096 + static_cast<uint64_t>(address.second));
      mix(static_cast<uint64_t>(lock.owner * 64 + lock.count));
      for (int reader : lock.readers) mix(static_cast<uint64_t>(reader));
    }
    return hash;
  }

  void Visit(const World& world) {
    if ((result_.deadlock && !all_) || !result_.problem.empty() || world.ended) return;
    if (result_.states >= limit_) {
      result_.complete = false;
      return;
    }
    if (!seen_.insert(Hash(world)).second) return;
    ++result_.states;
    bool any = false, unfinished = false;
    for (size_t id = 0; id < world.threads.size(); ++id) {
      unfinished |= !world.threads[id].done;
      if (!Enabled(world, id)) continue;
      any = true;
      World next = world;
      if (!Execute(&next, id)) return;
      Visit(next);
      if (result_.deadlock && !all_) return;
    }
    if (any || !unfinished) return;
    result_.deadlock = true;
    if (all_) NoteCycle(world);
  }

  // A thread that keeps the other waiting; -1 when it waits for no lock.
  int Keeper(const World& world, size_t id, Address* lock) {
    Op op = Next(world, id);
    if (op.name == "pthread_join") return -1;
    *lock = {op.arguments[0].object, op.arguments[0].number};
    const Lock& wanted = world.locks.at(*lock);
    return wanted.owner >= 0 ? wanted.owner : *wanted.readers.begin();
  }

  std::string NameOf(Address lock) const {
    for (const auto& [value, object] : globals_) {
      if (object == lock.first) return fmt::format("{}+{}", value->getName().str(), lock.second);
    }
    return "";
  }

  // From any thread that waits for a lock to whom it waits for, until one comes again.
  void NoteCycle(const World& world) {
    for (size_t start = 0; start < world.threads.size(); ++start) {
      std::vector<std::pair<int, Address>> way;
      int at = world.threads[start].done ? -1 : static_cast<int>(start);
      auto known = way.end();
      while (at >= 0 && !world.threads[static_cast<size_t>(at)].done) {
        known = std::find_if(way.begin(), way.end(), [at](const auto& one) { return one.first == at; });
        if (known != way.end()) break;
        Address lock;
        int next = Keeper(world, static_cast<size_t>(at), &lock);
        way.emplace_back(at, lock);
        at = next;
        known = way.end();
      }
      if (known == way.end()) continue;
      Deadlock cycle;
      for (; known != way.end(); ++known) {
        cycle.locks.insert(NameOf(known->second));
        cycle.waits.insert(Lines(world.threads[static_cast<size_t>(known->first)]));
      }
      result_.cycles.insert(std::move(cycle));
      return;
    }
  }

  // Of the operation and its callers.
  static std::set<unsigned> Lines(const Thread& thread) {
    std::set<unsigned> lines;
    for (const Activation& in : thread.stack) {
      const llvm::Instruction& at = &in == &thread.stack.back() ? *in.next : *std::prev(in.next);
      if (at.getDebugLoc()) lines.insert(at.getDebugLoc().getLine());
    }
    return lines;
  }

  const llvm::Module& module_;
  const llvm::DataLayout& layout_;
  size_t limit_;
  bool all_;
  std::map<const llvm::Value*, int32_t> globals_;
  std::map<int32_t, const llvm::Function*> functions_;
  std::unordered_set<uint64_t> seen_;
  Exploration result_;
};

}  // namespace

Exploration Explore(const llvm::Module& module, size_t limit, bool all) { return Interpreter(module, limit, all).Run(); }

}  // namespace heddle::deadlock
