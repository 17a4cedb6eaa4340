// An optimal search that several explore together: it hands out subtrees, hears what each of them asked for, and knows
// when nothing is left. docs/explore.md ("Several machines") says why the executions are those of one search.
//
// The states from which subtrees were handed out, and those above, are kept here. A branch that is handed out counts as
// explored for the branches of its state that are handed out after it (it sleeps there), whether it is finished or not.
// Who explores a subtree collects what its races ask of states above it; the states here take that in when the subtree
// is finished or given back. A subtree that is given back unfinished says what is left of it: its upper states become
// states here, so that their branches can be handed out, and the rest is a subtree again.
//
// A branch is *settled* when all behind it is explored, so that it will ask for nothing more. Behind a branch where one
// that is not settled still sleeps, sequences may have to be added that only that one's executions show. So such a
// branch is not handed out as a whole: its state is kept here too, with the branches that are known of it, down to
// where everybody who is not settled has woken up. The sequences that were asked for end behind that place.
//
// A subtree that is lost is handed out again as it was. Nothing of it has been taken in before, so nothing counts
// twice.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "explore/subtree.h"

namespace heddle::explore {

class SharedSearch {
 public:
  SharedSearch();
  ~SharedSearch();
  SharedSearch(SharedSearch&&) noexcept;
  SharedSearch& operator=(SharedSearch&&) noexcept;
  SharedSearch(const SharedSearch&) = delete;
  SharedSearch& operator=(const SharedSearch&) = delete;

  struct Given {
    uint64_t name = 0;
    Subtree subtree;
  };
  // A subtree to explore; nothing: all that are known are being explored.
  std::optional<Given> Take();
  // It was explored, or what is left of it is in `rest`. `wanted`: how many others have nothing to do.
  // False: there is no such subtree, or it cannot have left this.
  bool Finished(uint64_t name, SubtreeRest rest, size_t wanted);
  // Whoever had it is gone.
  void Lost(uint64_t name);
  size_t given() const { return given_.size(); }
  // Whether everything is explored.
  bool Done() const { return given_.empty() && waiting_.empty() && open_.empty(); }

  // As text: what is being explored counts as lost.
  std::string Save() const;
  static std::optional<SharedSearch> Load(std::string_view text);

 private:
  struct Node;
  struct Branch;
  using BranchPointer = std::shared_ptr<Branch>;
  // Nodes with branches left, those near the root first: their subtrees are large.
  struct Nearer {
    bool operator()(const Node* a, const Node* b) const;
  };
  struct Part {
    BranchPointer branch;        // what it explores; none: everything
    WakeupTree below;            // behind the branch
    std::vector<TreeState> own;  // or what is left
  };
  enum class Step : uint8_t { kPart, kExpanded, kBlocked, kNothing };
  struct Image;  // of everything, for Save
  class Loader;

  static size_t Depth(const BranchPointer& branch);
  static std::vector<ExploredEvent> Asleep(const Branch& branch);
  static Subtree SubtreeOf(const Part& part);
  static bool Settled(Branch& branch);
  static bool Unsettled(const Node& node, const ExploredEvent& event);
  static void AddWork(Branch* branch, int64_t count);
  std::optional<Part> NextPart();
  static BranchPointer OnlyBranch(const Node& node, bool* many);
  static bool IsPath(const Node& top);
  std::optional<Part> WholePath(Node& node);
  Part TakePath(Node& top);
  Step TakeFrom(Node& node, Part* part);
  Step TakeValue(Node& node, Part* part);
  BranchPointer AddBranch(Node& node, const ExploredEvent& event);
  static void Retire(Node& node);
  Node& AddNode(const BranchPointer& entered);
  void Expand(Node& node, const BranchPointer& branch, WakeupTree below);
  void Ask(Node& node, std::vector<ExploredEvent> sequence);
  void Keep(Part part, SubtreeRest rest, size_t wanted);
  void Reopen(Node& node);
  void Release(const BranchPointer& branch);
  void AddPart(Part part, bool first);

  uint64_t next_ = 1;
  uint64_t made_ = 0;  // nodes and branches so far
  std::map<uint64_t, Part> given_;
  std::deque<Part> waiting_;  // lost ones, and what was left of others
  std::set<Node*, Nearer> open_;
  std::unique_ptr<Node> root_;
};

}  // namespace heddle::explore
