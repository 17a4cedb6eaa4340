// Whole-program pointer analysis: inclusion-based, without contexts, fields by byte offset (locations.h).
//
// The constraints come from the instructions (constraints.cpp) and from the models of external functions
// (externals.cpp); the solver (solver.cpp) works in waves: cycles of copy edges are collapsed, differences propagated
// in topological order, then loads, stores, offsets and indirect calls applied to what is new, which adds edges for the
// next wave.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "deadlock/input/primitives.h"
#include "deadlock/pointers/carriers.h"
#include "deadlock/pointers/locations.h"
#include "deadlock/pointers/object_types.h"
#include "deadlock/pointers/virtual_tables.h"

namespace llvm {
class CallBase;
class Function;
class Instruction;
class Module;
class Value;
}  // namespace llvm

namespace heddle::deadlock {

// Sorted, no duplicates.
using LocSet = std::vector<LocId>;

struct PointsToStats {
  size_t nodes = 0;
  size_t constraints = 0;
  size_t dropped = 0;  // constraints that the dependency analysis left out
  size_t waves = 0;
  size_t collapsed = 0;
  size_t joined = 0;     // nodes with large sets that were taken together
  uint64_t work = 0;     // steps of the solver; the same for the same program
  bool gave_up = false;  // the budget was used up: every pointer may point to every object (solver_coarse.cpp)
};

class Relevance;

class PointsTo {
 public:
  // `relevance` may be null: then every value gets its constraints.
  PointsTo(llvm::Module& module, const Primitives& primitives, bool is_library, const Relevance* relevance);
  ~PointsTo();
  PointsTo(const PointsTo&) = delete;
  PointsTo& operator=(const PointsTo&) = delete;

  // More work than this, and the answer is one that takes next to none: a pointer that is not plainly the address of a
  // variable or of an allocation may point to every object.
  static constexpr uint64_t kBudget = 60'000'000;
  void Solve(uint64_t budget = kBudget);

  // Stays valid.
  const LocSet& Of(const llvm::Value* value);
  // Whether the dependency cut has left the value in: else Of says nothing about it.
  bool Followed(const llvm::Value* value) const;
  // What a load with this tag may find in the eight bytes at the location.
  const LocSet& Contents(LocId loc, TagId tag = kAnyTag);
  // What the memory at these locations may hold.
  LocSet Behind(const LocSet& addresses);
  // What is stored anywhere in the object.
  LocSet ContentsOf(ObjectId object);
  // The same, cell by cell: by offset / 8; -1 for what may be anywhere in it.
  std::vector<std::pair<int64_t, LocSet>> Cells(ObjectId object);
  AccessTags& tags() { return tags_; }
  // Whether the instruction may access memory there, by the types of both.
  bool CanAccess(LocId loc, const llvm::Instruction& access);
  // The functions that a call may reach, sorted by name; also those without a body.
  std::vector<llvm::Function*> Callees(const llvm::CallBase& call);
  // The functions among the locations.
  std::vector<llvm::Function*> Functions(const LocSet& set) const;

  Locations& locations() { return locations_; }
  const Locations& locations() const { return locations_; }
  LocId LocOfThread(const llvm::CallBase& create);
  LocId LocOfGlobal(const llvm::Value& global);
  const PointsToStats& stats() const { return stats_; }

  // Functions that external code has got hold of, and may call from any thread at any time (outside.cpp).
  const std::set<llvm::Function*>& kept_callbacks() const { return kept_callbacks_; }
  // What external code may have got hold of: addresses, and everything that memory behind them leads to.
  const LocSet& outside();
  // Whether the call may reach code outside of the program that nothing is known about.
  bool CallsOutside(const llvm::CallBase& call) const { return outside_calls_.count(&call) != 0; }
  const std::set<llvm::Function*>& signal_handlers() const { return signal_handlers_; }
  // Of the kept ones, those that are called at the end of the program.
  const std::set<llvm::Function*>& exit_functions() const { return exit_functions_; }
  // External functions without a model, for the list of assumptions.
  const std::set<std::string>& unknown_externals() const { return unknown_externals_; }
  size_t inline_assembly() const { return inline_assembly_; }
  // Exclusive ors whose result can become an address, which is then not known.
  size_t mixed_addresses() const { return mixed_addresses_; }

 private:
  friend class ConstraintBuilder;
  friend class ExternalModels;
  using NodeId = uint32_t;

  struct Load {
    NodeId to;
    int64_t bytes;
    TagId tag;
    PathId path = kNoPath;
  };
  struct Store {
    NodeId from;
    int64_t bytes;
    TagId tag;
    PathId path = kNoPath;
  };
  struct Offset {
    NodeId to;
    int64_t bytes;   // added
    int64_t stride;  // 0: none; else any multiple of it as well
    bool forward;
    PathId expected = kNoPath;  // only to where this may be accessed
  };
  struct Hop {  // what is read so many bytes further on
    int64_t bytes;
    TagId tag;
    auto operator<=>(const Hop&) const = default;
  };
  struct Callback {  // functions of this node are called with one node for every argument
    NodeId argument;
    int parameter;  // -1: every parameter
    NodeId result;
    std::set<llvm::Function*>* registry;  // may be null
  };
  struct CopyFrom {  // memory that this node points to gets what `other` points to, or the other way round
    NodeId other;
    bool is_target;
    uint32_t copy;  // index into memory_copies_: both sides have the same
  };
  // One memcpy. While both sets are small, cell by cell; then everything behind the source may be everywhere behind the
  // target.
  struct MemoryCopy {
    int64_t bytes = Locations::kUnbounded;
    std::set<std::pair<LocId, LocId>> exact;
    bool blurred = false;
    std::map<TagId, NodeId> all;  // what flows, when no longer exact
    std::set<ObjectId> from, to;
  };
  // A call of a function that the argument holds, or its table does (virtual_calls.cpp): each object that this node
  // points to goes only to its own functions.
  struct Receiver {
    const llvm::CallBase* call;
    unsigned argument;
    std::vector<Hop> path;  // of loads, from the object to the function
  };
  // The functions of this node are called with this object.
  struct Received {
    const llvm::CallBase* call;
    unsigned argument;
    LocId object;
  };
  struct Complex {
    std::vector<Load> loads;
    std::vector<Store> stores;
    std::vector<Offset> offsets;
    std::vector<const llvm::CallBase*> calls;
    std::vector<Callback> callbacks;
    std::vector<CopyFrom> copies;
    std::vector<Receiver> receivers;
    std::vector<Received> received;
  };
  struct Node;  // solver_node.h

  NodeId NewNode();
  NodeId Find(NodeId node) const;
  NodeId NodeOf(const llvm::Value* value);
  // Where what comes from elsewhere (memory, callers, callees) flows to, on its way to the node of the value.
  NodeId EntryOf(const llvm::Value* value);
  NodeId StoredNode(ObjectId object, int64_t granule, TagId tag);
  NodeId SeenNode(ObjectId object, int64_t granule, TagId tag);
  NodeId AnywhereNode(ObjectId object, TagId tag);
  NodeId BlurredNode(uint32_t copy, TagId tag);
  void FlowOn(ObjectId object, NodeId node, TagId tag);
  void MergeCells(Cell* into, const Cell& from);
  NodeId ReturnNode(const llvm::Function* function);
  NodeId VarargNode(const llvm::Function* function);
  bool CanPointAt(const llvm::Value* value) const;
  Complex& ComplexOf(NodeId node);
  void AddLoc(NodeId node, LocId loc);
  void AddCopy(NodeId from, NodeId to);
  void Merge(NodeId a, NodeId b);
  void Collapse();
  void Propagate();
  void JoinLarge();
  void Deduplicate(Complex* complex);
  bool ApplyComplex();
  bool ApplyTo(NodeId node);
  void AddMemoryCopy(NodeId target, NodeId source, int64_t bytes);
  void ApplyCopies(NodeId node, const CopyFrom& copy);
  void BlurCopy(uint32_t copy, const std::vector<LocId>& targets, const std::vector<LocId>& sources);
  struct ExactCopy {
    LocId target, source;
    int64_t bytes;
  };
  void CopyMemory(const ExactCopy& copy);
  std::vector<int64_t> CellsAt(LocId loc, int64_t bytes);
  void LoadFrom(LocId loc, const Load& load);
  void StoreTo(LocId loc, const Store& store);
  void ConnectCall(const llvm::CallBase& call, llvm::Function& callee);
  void AddIndirectCall(const llvm::CallBase& call);
  void PassArgument(const llvm::CallBase& call, unsigned argument, llvm::Function& callee);
  void ForgetReceivers(NodeId node);
  void ApplyReceiver(LocId object, const Receiver& receiver);
  void Receive(const Received& received, llvm::Function& callee);
  void ConnectCallback(const Callback& callback, llvm::Function& callee);
  bool Spent() const { return stats_.work > budget_; }
  void GiveUp();
  void TakeOver(NodeId from, std::vector<const llvm::CallBase*>* calls, std::vector<Callback>* callbacks);
  LocSet CoarseOf(const llvm::Value* value);
  NodeId Outside();
  void Escape(LocId loc);
  void CallOutside(const llvm::CallBase& call, LocId handed_out);
  void StartOutside(const Callback& callback, const llvm::Function& callee);

  llvm::Module& module_;
  const Primitives& primitives_;
  const Relevance* relevance_;
  Locations locations_;
  std::vector<Node> nodes_;
  std::vector<NodeId> order_;  // topological, from the last Collapse
  std::unordered_map<const llvm::Value*, NodeId> value_nodes_;
  std::unordered_map<const llvm::Value*, NodeId> entries_;  // of values with an expected type
  std::unordered_map<const llvm::Function*, NodeId> return_nodes_;
  std::unordered_map<const llvm::Function*, NodeId> vararg_nodes_;
  std::unordered_map<const llvm::Value*, ObjectId> site_objects_;
  std::unordered_map<const llvm::CallBase*, ObjectId> thread_objects_;
  std::unordered_map<std::string, ObjectId> caller_objects_;
  std::unordered_map<const llvm::CallBase*, std::set<llvm::Function*>> callees_;
  std::unordered_map<const llvm::CallBase*, unsigned> received_arguments_;  // those that a Receiver brings
  std::map<std::pair<LocId, std::vector<Hop>>, NodeId> held_functions_;
  std::unordered_set<const llvm::CallBase*> callees_waiting_;  // calls that GiveUp has taken over
  std::vector<MemoryCopy> memory_copies_;
  std::unordered_map<ObjectId, std::vector<ExactCopy>> copies_from_;
  std::unordered_map<ObjectId, std::vector<uint32_t>> blurred_from_;  // copies, as indices
  std::set<llvm::Function*> kept_callbacks_, signal_handlers_, exit_functions_;
  std::set<std::string> unknown_externals_;
  std::unordered_set<ObjectId> escaped_;                     // objects that external code may read and write
  std::unordered_set<const llvm::CallBase*> outside_calls_;  // of external functions without a model
  std::set<std::pair<const llvm::CallBase*, LocId>> outside_results_;
  LocSet outside_set_;                             // asked after Solve
  std::map<LocSet, LocSet> behind_;                // the same
  std::unordered_map<uint64_t, LocSet> contents_;  // asked after Solve, by location and tag
  std::unordered_map<const llvm::Value*, LocSet> answers_;
  LocSet everything_;  // when the budget was used up
  AccessTags tags_;
  ObjectTypes types_;
  VirtualTables tables_;
  Carriers carriers_;
  static constexpr NodeId kNoNode = UINT32_MAX;
  static constexpr unsigned kLarge = 400;  // locations
  static constexpr unsigned kMaxReceived = 48;
  NodeId large_ = kNoNode;    // what all nodes with more became
  NodeId outside_ = kNoNode;  // addresses that external code may have; made when the first one gets out
  NodeId channel_ = kNoNode;  // points to what is written to descriptors
  NodeId specific_ = 0, thrown_ = 0, thread_results_ = 0;
  size_t inline_assembly_ = 0;
  size_t mixed_addresses_ = 0;
  bool changed_ = false;
  uint64_t budget_ = UINT64_MAX;
  NodeId all_ = kNoNode;  // the only node, once the budget is used up
  PointsToStats stats_;
};

// Whether a library hands the function to its users: it is exported, and not an instance of a template of the C++
// library that is only called by name, of which users have their own.
bool IsEntryOfLibrary(const llvm::Function& function);

}  // namespace heddle::deadlock
