#include "deadlock/locksets/join_loops.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <set>

namespace heddle::deadlock {
namespace {

using llvm::dyn_cast;

// A call in a loop, with the address of the array element that it uses there.
struct Use {
  const llvm::CallBase* call;
  const llvm::Value* address;
};

// The address that a join's handle is loaded from.
const llvm::Value* LoadedFrom(const llvm::Value* value) {
  while (const auto* cast = dyn_cast<llvm::CastInst>(value)) value = cast->getOperand(0);
  const auto* load = dyn_cast<llvm::LoadInst>(value);
  return load == nullptr ? nullptr : load->getPointerOperand();
}

class Matcher {
 public:
  using Edge = std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>;

  explicit Matcher(llvm::Function& function)
      : library_(llvm::TargetLibraryInfoImpl(llvm::Triple(function.getParent()->getTargetTriple()))),
        assumptions_(function),
        dominators_(function),
        loops_(dominators_),
        evolution_(function, library_, assumptions_, dominators_, loops_) {}

  llvm::Loop* LoopOf(const Use& use) { return loops_.getLoopFor(use.call->getParent()); }

  bool Match(const Use& create, const Use& join) {
    llvm::Loop *a = LoopOf(create), *b = LoopOf(join);
    if (a == nullptr || b == nullptr || a == b || a->getParentLoop() != b->getParentLoop()) return false;
    passed_.clear();
    return EveryTurn(*a, create) && EveryTurn(*b, join) && JoinsFollow(*a, *b) && SameTurns(*a, *b) &&
           SameStart(create, *a, join, *b);
  }

  // Between the two loops, and in both, nothing else writes handles there; only that of a thread that was just joined.
  bool Kept(const Use& create, const Use& join, PointsTo& points) {
    llvm::Loop *a = LoopOf(create), *b = LoopOf(join);
    std::set<const llvm::BasicBlock*> blocks = Between(a->getHeader(), b->getHeader());
    blocks.insert(b->block_begin(), b->block_end());
    auto there = [&](const llvm::Value* address) {
      for (LocId x : points.Of(address)) {
        for (LocId y : points.Of(create.address)) {
          if (points.locations().Overlap(x, y)) return true;
        }
      }
      return false;
    };
    for (const llvm::BasicBlock* block : blocks) {
      for (const llvm::Instruction& at : *block) {
        const auto* store = dyn_cast<llvm::StoreInst>(&at);
        const auto* call = dyn_cast<llvm::CallBase>(&at);
        bool joined = store != nullptr && dominators_.dominates(join.call, store) && b->contains(block) &&
                      evolution_.getSCEV(const_cast<llvm::Value*>(store->getPointerOperand())) ==
                          evolution_.getSCEV(const_cast<llvm::Value*>(join.address));
        if (store != nullptr && !joined && there(store->getPointerOperand())) return false;
        if (call == nullptr || call == create.call || call == join.call || call->onlyReadsMemory()) continue;
        for (const llvm::Value* argument : call->args()) {
          if (argument->getType()->isPointerTy() && !llvm::isa<llvm::LifetimeIntrinsic>(call) && there(argument))
            return false;
        }
      }
    }
    return true;
  }

  // Where every thread is joined: behind the last turn, and where a branch goes around the join loop because the create
  // loop had no turn.
  std::vector<Edge> Exits(const Use& join) {
    llvm::SmallVector<llvm::Loop::Edge, 4> edges;
    LoopOf(join)->getExitEdges(edges);
    std::vector<Edge> all = passed_;
    const llvm::BasicBlock* last = LastBlock(*LoopOf(join));
    for (const auto& edge : edges) {
      if (edge.first == last) all.emplace_back(edge.first, edge.second);
    }
    return all;
  }

 private:
  bool EveryTurn(llvm::Loop& loop, const Use& use) {
    return loop.getLoopLatch() != nullptr && dominators_.dominates(use.call->getParent(), loop.getLoopLatch());
  }

  // Without what is behind branches that go around the second.
  std::set<const llvm::BasicBlock*> Between(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const {
    std::set<const llvm::BasicBlock*> seen;
    std::vector<const llvm::BasicBlock*> work = {from};
    while (!work.empty()) {
      const llvm::BasicBlock* block = work.back();
      work.pop_back();
      if (block == to || !seen.insert(block).second) continue;
      for (const llvm::BasicBlock* next : llvm::successors(block)) {
        if (std::find(passed_.begin(), passed_.end(), Edge(block, next)) == passed_.end()) work.push_back(next);
      }
    }
    return seen;
  }

  // Whether no way on from here leads out of the function or back into the loop: an error that ends the process.
  static bool EndsAll(const llvm::BasicBlock* from, const llvm::Loop& loop) {
    std::set<const llvm::BasicBlock*> seen;
    std::vector<const llvm::BasicBlock*> work = {from};
    while (!work.empty()) {
      const llvm::BasicBlock* block = work.back();
      work.pop_back();
      if (!seen.insert(block).second) continue;
      const llvm::Instruction* end = block->getTerminator();
      if (loop.contains(block) || llvm::isa<llvm::ReturnInst>(end) || llvm::isa<llvm::ResumeInst>(end)) return false;
      for (const llvm::BasicBlock* next : llvm::successors(block)) work.push_back(next);
    }
    return true;
  }

  // The only block from which the loop can be left, but for errors that end the process.
  static llvm::BasicBlock* LastBlock(const llvm::Loop& loop) {
    llvm::SmallVector<llvm::Loop::Edge, 4> edges;
    loop.getExitEdges(edges);
    llvm::BasicBlock* last = nullptr;
    for (const auto& edge : edges) {
      if (EndsAll(edge.second, loop)) continue;
      if (last != nullptr && last != edge.first) return nullptr;
      last = edge.first;
    }
    return last;
  }

  // Whether a branch never goes this way once the loop has been entered: the loop was entered under the opposite.
  bool Excluded(const llvm::Loop& entered, const llvm::Instruction& end, unsigned successor) {
    const auto* branch = dyn_cast<llvm::BranchInst>(&end);
    if (branch == nullptr || !branch->isConditional() || entered.contains(branch)) return false;
    auto* compare = dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (compare == nullptr || !evolution_.isSCEVable(compare->getOperand(0)->getType())) return false;
    const llvm::SCEV *left = evolution_.getSCEV(compare->getOperand(0)),
                     *right = evolution_.getSCEV(compare->getOperand(1));
    if (!evolution_.isLoopInvariant(left, &entered) || !evolution_.isLoopInvariant(right, &entered)) return false;
    llvm::ICmpInst::Predicate opposite = successor == 0 ? compare->getInversePredicate() : compare->getPredicate();
    return evolution_.isLoopEntryGuardedByCond(&entered, opposite, left, right);
  }

  // Every way on from the create loop that does not end the process comes to the join loop.
  bool JoinsFollow(const llvm::Loop& create, const llvm::Loop& join) {
    const llvm::BasicBlock* around = create.getParentLoop() == nullptr ? nullptr : create.getParentLoop()->getHeader();
    std::set<const llvm::BasicBlock*> seen = {join.getHeader()};
    std::vector<const llvm::BasicBlock*> work = {create.getHeader()};
    while (!work.empty()) {
      const llvm::BasicBlock* block = work.back();
      work.pop_back();
      if (!seen.insert(block).second) continue;
      const llvm::Instruction* end = block->getTerminator();
      if (block == around || llvm::isa<llvm::ReturnInst>(end) || llvm::isa<llvm::ResumeInst>(end)) return false;
      for (unsigned i = 0; i < end->getNumSuccessors(); ++i) {
        if (Excluded(create, *end, i)) {
          passed_.emplace_back(end->getParent(), end->getSuccessor(i));
        } else {
          work.push_back(end->getSuccessor(i));
        }
      }
    }
    return true;
  }

  // A join loop may end only by its counter, or with the process. The create loop may end early (then fewer were
  // created than are joined, and joining what was not created is undefined), so its exits do not matter as long as its
  // count is an upper bound.
  bool SameTurns(llvm::Loop& create, llvm::Loop& join) {
    const llvm::BasicBlock* last = LastBlock(join);
    if (last == nullptr) return false;
    const llvm::SCEV* turns = evolution_.getExitCount(&join, last);
    const llvm::SCEV* most = evolution_.getBackedgeTakenCount(&create);
    if (llvm::isa<llvm::SCEVCouldNotCompute>(most)) most = evolution_.getSymbolicMaxBackedgeTakenCount(&create);
    if (llvm::isa<llvm::SCEVCouldNotCompute>(turns) || llvm::isa<llvm::SCEVCouldNotCompute>(most)) return false;
    if (turns == most) return true;
    const llvm::SCEV* less = evolution_.getMinusSCEV(turns, most);
    return !llvm::isa<llvm::SCEVCouldNotCompute>(less) && less->isZero();
  }

  bool SameStart(const Use& create, llvm::Loop& a, const Use& join, llvm::Loop& b) {
    const auto* x = dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(const_cast<llvm::Value*>(create.address)));
    const auto* y = dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(const_cast<llvm::Value*>(join.address)));
    if (x == nullptr || y == nullptr || x->getLoop() != &a || y->getLoop() != &b) return false;
    return x->getStart() == y->getStart() && x->getStepRecurrence(evolution_) == y->getStepRecurrence(evolution_);
  }

  llvm::TargetLibraryInfo library_;
  llvm::AssumptionCache assumptions_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  llvm::ScalarEvolution evolution_;
  std::vector<Edge> passed_;  // see Exits
};

}  // namespace

void JoinLoops::FindIn(llvm::Function& function, const Facts& facts, Unchanged* unchanged) {
  std::vector<Use> creates, joins;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || !facts.InCycle(call->getParent())) continue;
    const Primitive* primitive = facts.Meaning(*call).primitive;
    if (primitive == nullptr) continue;
    bool create = primitive->action == Action::kCreate || primitive->action == Action::kStdStart;
    if (create && primitive->handle >= 0) {
      creates.push_back({call, call->getArgOperand(static_cast<unsigned>(primitive->handle))});
    } else if (primitive->action == Action::kJoin) {
      const llvm::Value* handle = call->getArgOperand(static_cast<unsigned>(primitive->lock));
      const llvm::Value* address = primitive->deref == 1 ? handle : LoadedFrom(handle);
      if (address != nullptr) joins.push_back({call, address});
    }
  }
  if (creates.empty() || joins.empty()) return;
  unchanged->UniteLoads(function);
  Matcher matcher(function);
  for (const Use& create : creates) {
    for (const Use& join : joins) {
      if (!matcher.Match(create, join) || !matcher.Kept(create, join, facts.points())) continue;
      if (unchanged->StoredDuring(function, facts.points().Of(create.address))) continue;
      for (const auto& edge : matcher.Exits(join)) edges_[{edge.first, edge.second}].push_back(create.call);
      joins_.emplace(create.call, join.call);
    }
  }
}

void JoinLoops::Find(llvm::Module& module, const Facts& facts) {
  Unchanged unchanged(module, facts);
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && facts.Matters(&function)) FindIn(function, facts, &unchanged);
  }
}

std::vector<const llvm::CallBase*> JoinLoops::JoinsOf(const llvm::CallBase* create) const {
  std::vector<const llvm::CallBase*> joins;
  auto [begin, end] = joins_.equal_range(create);
  for (auto at = begin; at != end; ++at) joins.push_back(at->second);
  return joins;
}

const std::vector<const llvm::CallBase*>& JoinLoops::JoinedOnEdge(const llvm::BasicBlock* from,
                                                                  const llvm::BasicBlock* to) const {
  if (edges_.empty()) return none_;
  auto found = edges_.find({from, to});
  return found == edges_.end() ? none_ : found->second;
}

}  // namespace heddle::deadlock
