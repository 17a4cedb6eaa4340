#include "deadlock/cycles/lock_graph.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

namespace heddle::deadlock {

using llvm::dyn_cast;

namespace {

const llvm::Value* Strip(const llvm::Value* value) {
  while (llvm::isa<llvm::SExtInst>(value) || llvm::isa<llvm::ZExtInst>(value) || llvm::isa<llvm::PtrToIntInst>(value)) {
    value = llvm::cast<llvm::CastInst>(value)->getOperand(0);
  }
  return value;
}

// Two elements of one array: only the last index differs.
bool OnlyLastDiffers(const llvm::GEPOperator& x, const llvm::GEPOperator& y) {
  if (x.getNumOperands() != y.getNumOperands() || x.getSourceElementType() != y.getSourceElementType()) return false;
  for (unsigned i = 0; i + 1 < x.getNumOperands(); ++i) {
    if (x.getOperand(i) != y.getOperand(i)) return false;
  }
  return true;
}

// Pointers, or the indices of two elements of one array.
std::pair<const llvm::Value*, const llvm::Value*> Compared(const llvm::Value* a, const llvm::Value* b) {
  const auto* x = dyn_cast<llvm::GEPOperator>(a);
  const auto* y = dyn_cast<llvm::GEPOperator>(b);
  if (x == nullptr || y == nullptr || !OnlyLastDiffers(*x, *y)) return {a, b};
  return {Strip(x->getOperand(x->getNumOperands() - 1)), Strip(y->getOperand(y->getNumOperands() - 1))};
}

// 1 if the comparison says first < second when it is `outcome`, -1 if first > second, else 0.
int Says(const llvm::Value* condition, bool outcome, const llvm::Value* first, const llvm::Value* second) {
  const auto* compare = dyn_cast<llvm::ICmpInst>(condition);
  if (compare == nullptr || compare->isEquality()) return 0;
  const llvm::Value *x = Strip(compare->getOperand(0)), *y = Strip(compare->getOperand(1));
  first = Strip(first);
  second = Strip(second);
  int sign = x == first && y == second ? 1 : x == second && y == first ? -1 : 0;
  if (sign == 0) return 0;
  // Equal operands would be one lock, which is the caller's own mistake to exclude: an order of equals is no order, so
  // only strict outcomes and their exact negations count.
  llvm::CmpInst::Predicate predicate = outcome ? compare->getPredicate() : compare->getInversePredicate();
  switch (predicate) {
    case llvm::CmpInst::ICMP_ULT:
    case llvm::CmpInst::ICMP_SLT:
    case llvm::CmpInst::ICMP_ULE:
    case llvm::CmpInst::ICMP_SLE:
      return sign;
    default:
      return -sign;
  }
}

// Of two addresses, by a comparison of these or of their indices.
int SaysOfAddresses(const llvm::Value* condition, bool outcome, const llvm::Value* first, const llvm::Value* second) {
  if (int says = Says(condition, outcome, first, second); says != 0) return says;
  auto [x, y] = Compared(first, second);
  return x == first ? 0 : Says(condition, outcome, x, y);
}

// The order that a dominating branch fixes.
int OrderedByBranch(const llvm::Value* first, const llvm::Value* second, const llvm::Instruction& at) {
  llvm::DominatorTree dominators(*const_cast<llvm::Function*>(at.getFunction()));
  const llvm::BasicBlock* block = at.getParent();
  for (const auto* node = dominators.getNode(block); node != nullptr && node->getIDom() != nullptr;
       node = node->getIDom()) {
    const llvm::BasicBlock* above = node->getIDom()->getBlock();
    const auto* branch = dyn_cast<llvm::BranchInst>(above->getTerminator());
    if (branch == nullptr || !branch->isConditional()) continue;
    for (unsigned i = 0; i < 2; ++i) {
      llvm::BasicBlockEdge edge(above, branch->getSuccessor(i));
      if (!dominators.dominates(edge, block)) continue;
      if (int says = SaysOfAddresses(branch->getCondition(), i == 0, first, second); says != 0) return says;
    }
  }
  return 0;
}

// first = c ? a : b and second = c ? b : a, with c comparing a and b; as select or as phi.
int OrderedByChoice(const llvm::Value* first, const llvm::Value* second) {
  const auto* x = dyn_cast<llvm::SelectInst>(first);
  const auto* y = dyn_cast<llvm::SelectInst>(second);
  if (x != nullptr && y != nullptr) {
    bool swapped = x->getCondition() == y->getCondition() && x->getTrueValue() == y->getFalseValue() &&
                   x->getFalseValue() == y->getTrueValue();
    return swapped ? SaysOfAddresses(x->getCondition(), true, x->getTrueValue(), y->getTrueValue()) : 0;
  }
  const auto* low = dyn_cast<llvm::MinMaxIntrinsic>(first);
  const auto* high = dyn_cast<llvm::MinMaxIntrinsic>(second);
  if (low != nullptr && high != nullptr) {
    bool same = (low->getLHS() == high->getLHS() && low->getRHS() == high->getRHS()) ||
                (low->getLHS() == high->getRHS() && low->getRHS() == high->getLHS());
    bool opposite = llvm::MinMaxIntrinsic::getPredicate(low->getIntrinsicID()) ==
                    llvm::CmpInst::getSwappedPredicate(llvm::MinMaxIntrinsic::getPredicate(high->getIntrinsicID()));
    bool first_is_low =
        low->getIntrinsicID() == llvm::Intrinsic::smin || low->getIntrinsicID() == llvm::Intrinsic::umin;
    return same && opposite ? (first_is_low ? 1 : -1) : 0;
  }
  const auto* p = dyn_cast<llvm::PHINode>(first);
  const auto* q = dyn_cast<llvm::PHINode>(second);
  if (p == nullptr || q == nullptr || p->getParent() != q->getParent() || p->getNumIncomingValues() != 2) return 0;
  const llvm::Value *a = p->getIncomingValue(0), *b = p->getIncomingValue(1);
  if (q->getIncomingValueForBlock(p->getIncomingBlock(0)) != b ||
      q->getIncomingValueForBlock(p->getIncomingBlock(1)) != a)
    return 0;
  const llvm::BasicBlock* join = p->getParent();
  for (unsigned i = 0; i < 2; ++i) {
    const llvm::BasicBlock* from = p->getIncomingBlock(i);
    const llvm::BasicBlock* above = from->getSinglePredecessor();
    const llvm::BasicBlock* other = p->getIncomingBlock(1 - i);
    const auto* branch = above == nullptr ? nullptr : dyn_cast<llvm::BranchInst>(above->getTerminator());
    bool diamond =
        branch != nullptr && branch->isConditional() && (above == other || other->getSinglePredecessor() == above);
    if (!diamond || from->getSingleSuccessor() != join) continue;
    bool outcome = branch->getSuccessor(0) == from;
    return SaysOfAddresses(branch->getCondition(), outcome, p->getIncomingValue(i), q->getIncomingValueForBlock(from));
  }
  return 0;
}

}  // namespace

LockGraph::LockGraph(const Locksets& locksets)
    : locksets_(locksets), locations_(locksets.facts().points().locations()) {
  for (const Wait& wait : locksets_.waits()) AddEdges(wait);
  AddHandlerEdges();
  stats_.edges = edges_.size();
  stats_.locks = locksets_.locks().size();
  Connect();
  FindSelf();
  FindLeaks();
  FindCycles();
  for (Cycle& cycle : cycles_) cycle.rank = Rank(cycle);
  std::vector<Cycle> sorted;
  for (int rank = 0; sorted.size() < cycles_.size(); ++rank) {
    for (const Cycle& cycle : cycles_) {
      if (cycle.rank == rank) sorted.push_back(cycle);
    }
  }
  cycles_ = std::move(sorted);
}

int LockGraph::Ordered(const MayLock& held, const Wait& wait) const {
  // The operands as they were written: the first one at its own call, which must be in the same function.
  if (held.site == nullptr || held.site->getFunction() != wait.call->getFunction()) return 0;
  if (held.site->arg_size() == 0 || wait.call->arg_size() == 0) return 0;
  if (held.root == nullptr || wait.symbol.root == nullptr || held.offset != wait.symbol.offset) return 0;
  auto [first, second] = Compared(held.root, wait.symbol.root);
  if (int order = OrderedByChoice(first, second); order != 0) return order;
  if (int order = OrderedByBranch(held.root, wait.symbol.root, *wait.call); order != 0) return order;
  return OrderedByBranch(held.site->getArgOperand(0), wait.call->getArgOperand(0), *wait.call);
}

// Both operands are chosen by one condition, or by the way into one block, and these two locks by different outcomes.
bool LockGraph::Contradict(const MayLock& held, LocId want, const Wait& wait) const {
  if (held.root == nullptr || wait.symbol.root == nullptr) return false;
  std::vector<std::pair<const llvm::Value*, const llvm::Value*>> outcomes;
  const auto* x = dyn_cast<llvm::SelectInst>(held.root);
  const auto* y = dyn_cast<llvm::SelectInst>(wait.symbol.root);
  if (x != nullptr && y != nullptr && x->getCondition() == y->getCondition()) {
    outcomes = {{x->getTrueValue(), y->getTrueValue()}, {x->getFalseValue(), y->getFalseValue()}};
  }
  const auto* p = dyn_cast<llvm::PHINode>(held.root);
  const auto* q = dyn_cast<llvm::PHINode>(wait.symbol.root);
  if (p != nullptr && q != nullptr && p->getParent() == q->getParent()) {
    for (unsigned i = 0; i < p->getNumIncomingValues(); ++i) {
      outcomes.push_back({p->getIncomingValue(i), q->getIncomingValueForBlock(p->getIncomingBlock(i))});
    }
  }
  if (outcomes.empty()) return false;
  PointsTo& points = locksets_.facts().points();
  auto has = [&](const llvm::Value* value, LocId loc) {
    const LocSet& set = points.Of(value);
    // A location may stand for one of several, and an operand that points nowhere may be any lock.
    const std::vector<LocId>& members = locations_.object_of(loc).members;
    auto is = [&](LocId a, LocId b) { return locations_.loc(a).object == locations_.loc(b).object; };
    return set.empty() || std::any_of(set.begin(), set.end(), [&](LocId l) {
             return is(l, loc) || std::any_of(members.begin(), members.end(), [&](LocId m) { return is(l, m); });
           });
  };
  return std::none_of(outcomes.begin(), outcomes.end(),
                      [&](const auto& pair) { return has(pair.first, held.loc) && has(pair.second, want); });
}

// The state behind a future of std::async joins its thread, which never destroys that state itself: it is not an owner.
static bool JoinsItself(const Wait& wait, LocId held, LocId want) {
  llvm::StringRef name = wait.call->getFunction()->getName();
  bool by_state = name.contains("__future_base") || name.contains("call_onceIMSt6thread");
  return held == want && wait.kind == WaitKind::kJoin && by_state;
}

void LockGraph::AddEdges(const Wait& wait) {
  if (wait.kind == WaitKind::kTry) return;
  const State& state = locksets_.states()[wait.before];
  auto must = [&](LocId loc) {
    return std::any_of(state.must.begin(), state.must.end(), [&](const MustLock& m) { return m.loc == loc; });
  };
  for (LocId want : wait.locks) {
    // A recursive mutex that is held already is not waited for.
    bool recursive = locksets_.transfer().Recursive(want) || locksets_.facts().RecursiveOperation(*wait.call);
    if (recursive && must(want)) continue;
    for (const MayLock& held : state.held) {
      if (Contradict(held, want, wait) || JoinsItself(wait, held.loc, want)) continue;
      auto edge = std::make_unique<Edge>();
      edge->held = held.loc;
      edge->held_mode = held.mode;
      edge->held_site = held.site;
      edge->want = want;
      edge->want_mode = wait.mode;
      edge->wait = &wait;
      edge->origins = locksets_.OriginsOf(wait.context);
      edge->same_symbol = held.root != nullptr && held.root == wait.symbol.root && held.offset == wait.symbol.offset;
      edge->surely_held = must(held.loc);
      if (locations_.Overlap(held.loc, want) && !edge->same_symbol) edge->ordered = Ordered(held, wait);
      edges_.push_back(std::move(edge));
    }
  }
}

bool LockGraph::InHandler(const Wait& wait) const {
  const std::set<OriginId>& origins = locksets_.OriginsOf(wait.context);
  return std::any_of(origins.begin(), origins.end(),
                     [&](OriginId id) { return locksets_.origins()[id].note == "signal handler"; });
}

// The handler may run on top of the other code: not of itself alone, while it runs its signal is blocked.
bool LockGraph::CanInterrupt(const Wait& handler, const Wait& other) const {
  for (OriginId on_top : locksets_.OriginsOf(handler.context)) {
    if (locksets_.origins()[on_top].note != "signal handler") continue;
    for (OriginId below : locksets_.OriginsOf(other.context)) {
      const Origin& handled = locksets_.origins()[on_top];
      if (below != on_top || handled.others > 0 || locksets_.facts().HandlesSeveral(handled.start)) return true;
    }
  }
  return false;
}

// A handler runs on top of a thread that holds something: from every lock that anyone acquires to every lock it waits
// for.
void LockGraph::AddHandlerEdges() {
  for (const Wait& handler : locksets_.waits()) {
    if (handler.kind == WaitKind::kTry || !InHandler(handler)) continue;
    std::set<LocId> seen;
    for (const Wait& other : locksets_.waits()) {
      if (other.kind == WaitKind::kJoin || !CanInterrupt(handler, other)) continue;
      for (LocId held : other.locks) {
        if (!seen.insert(held).second) continue;
        for (LocId want : handler.locks) {
          auto edge = std::make_unique<Edge>();
          edge->held = held;
          edge->held_mode = other.mode;
          edge->held_site = other.call;
          edge->holder = other.context;
          edge->want = want;
          edge->want_mode = handler.mode;
          edge->wait = &handler;
          edge->origins = locksets_.OriginsOf(other.context);
          edge->same_symbol = held == want && locksets_.facts().Single(held);
          edges_.push_back(std::move(edge));
        }
      }
    }
  }
}

void LockGraph::Connect() {
  std::set<LocId> held;
  for (const auto& edge : edges_) held.insert(edge->held);
  std::map<LocId, std::vector<LocId>> same;  // of a wanted location: the held ones that it may be
  for (const auto& edge : edges_) {
    auto [place, fresh] = same.try_emplace(edge->want);
    if (fresh) {
      for (LocId loc : held) {
        if (locations_.Overlap(loc, edge->want)) place->second.push_back(loc);
      }
    }
    for (LocId to : place->second) {
      between_[{edge->held, to}].push_back(edge.get());
      if (to != edge->held) next_[edge->held].insert(to);
    }
  }
}

bool LockGraph::Follows(const Edge& a, const Edge& b) const {
  return locations_.Overlap(a.want, b.held) && !(a.want_mode == Mode::kRead && b.held_mode == Mode::kRead);
}

// A lock that both surely hold keeps them apart.
bool LockGraph::Gated(const Edge& a, const Edge& b) const {
  if (a.holder != kNoContext || b.holder != kNoContext) return false;
  const State &x = locksets_.states()[a.wait->before], &y = locksets_.states()[b.wait->before];
  for (const MustLock& p : x.must) {
    for (const MustLock& q : y.must) {
      if (p.loc == q.loc && !(p.mode == Mode::kRead && q.mode == Mode::kRead)) return true;
    }
  }
  return false;
}

bool LockGraph::CanMeet(const Edge& a, OriginId x, const Edge& b, OriginId y) const {
  if (locksets_.Parallel(x, y)) return true;
  if (x == y) return false;
  return locksets_.Running(locksets_.states()[a.wait->before]).count(y) != 0 ||
         locksets_.Running(locksets_.states()[b.wait->before]).count(x) != 0;
}

bool LockGraph::Compatible(const Edge& a, const Edge& b, std::pair<OriginId, OriginId>* threads) {
  ++stats_.checks;
  if (Gated(a, b)) return false;
  for (OriginId x : a.origins) {
    for (OriginId y : b.origins) {
      ++stats_.checks;
      if (!CanMeet(a, x, b, y)) continue;
      *threads = {x, y};
      return true;
    }
  }
  return false;
}

}  // namespace heddle::deadlock
