#include "explore/shared_search.h"

#include <algorithm>
#include <unordered_map>

#include "explore/event_code.h"

namespace heddle::explore {

// Nodes own the branches that were taken from them, and branches the nodes behind them, if there are any.
struct SharedSearch::Branch {
  uint64_t number = 0;
  ExploredEvent event;
  Node* node = nullptr;               // from which it was taken; none once it is settled
  size_t sleepers = 0;                // so many slept there then
  uint64_t work = 0;                  // parts and open nodes behind it
  bool settled = false;               // nothing behind it will ask for anything more
  bool expanded = false;              // `child` is a state that nobody has been in yet
  std::vector<BranchPointer> before;  // that must be settled first: they may ask for something behind this one
  std::unique_ptr<Node> child;
};

struct SharedSearch::Node {
  uint64_t number = 0;
  size_t depth = 0;           // steps before it
  Branch* entered = nullptr;  // the branch that leads here; none: the root
  TreeState state;
  std::vector<BranchPointer> origins;   // of those that sleep: the branch; none: settled long ago
  std::vector<BranchPointer> branches;  // taken from here
  bool choosing = false;                // state.event is a choice with values left
  bool open = false;
};

bool SharedSearch::Nearer::operator()(const Node* a, const Node* b) const {
  return a->depth != b->depth ? a->depth < b->depth : a->number < b->number;
}

SharedSearch::SharedSearch() { waiting_.emplace_back(); }
SharedSearch::~SharedSearch() = default;
SharedSearch::SharedSearch(SharedSearch&&) noexcept = default;
SharedSearch& SharedSearch::operator=(SharedSearch&&) noexcept = default;

size_t SharedSearch::Depth(const BranchPointer& branch) { return branch == nullptr ? 0 : branch->node->depth + 1; }

void SharedSearch::AddWork(Branch* branch, int64_t count) {
  for (; branch != nullptr; branch = branch->node->entered) branch->work += static_cast<uint64_t>(count);
}

bool SharedSearch::Settled(Branch& branch) {
  if (branch.settled) return true;
  if (branch.work != 0) return false;
  if (!std::all_of(branch.before.begin(), branch.before.end(), [](const auto& b) { return Settled(*b); })) return false;
  branch.settled = true;
  branch.before.clear();
  branch.child.reset();
  branch.node = nullptr;
  return true;
}

// Whether somebody who is not settled still sleeps behind the event.
bool SharedSearch::Unsettled(const Node& node, const ExploredEvent& event) {
  for (size_t i = 0; i < node.origins.size(); ++i) {
    if (node.origins[i] == nullptr || Settled(*node.origins[i])) continue;
    if (!wire::Dependent(node.state.sleeping[i], event)) return true;
  }
  return false;
}

void SharedSearch::Reopen(Node& node) {
  const std::vector<std::unique_ptr<WakeupTree::Branch>>& branches = node.state.tree.branches();
  bool more = node.choosing || std::any_of(branches.begin(), branches.end(), [&](const auto& branch) {
                return !Sleeps(node.state.sleeping, branch->event.thread);
              });
  if (more == node.open) return;
  node.open = more;
  AddWork(node.entered, more ? 1 : -1);
  if (more) {
    open_.insert(&node);
  } else {
    open_.erase(&node);
  }
}

SharedSearch::BranchPointer SharedSearch::AddBranch(Node& node, const ExploredEvent& event) {
  auto branch = std::make_shared<Branch>();
  branch->number = ++made_;
  branch->event = event;
  branch->node = &node;
  branch->sleepers = node.state.sleeping.size();
  node.branches.push_back(branch);
  return branch;
}

SharedSearch::Node& SharedSearch::AddNode(const BranchPointer& entered) {
  auto node = std::make_unique<Node>();
  Node& made = *node;
  made.number = ++made_;
  made.depth = Depth(entered);
  made.entered = entered.get();
  (entered == nullptr ? root_ : entered->child) = std::move(node);
  return made;
}

// What the node took last need not be taken again.
void SharedSearch::Retire(Node& node) {
  if (Sleeps(node.state.sleeping, node.state.event.thread)) return;
  node.state.sleeping.push_back(node.state.event);
  node.origins.push_back(node.branches.empty() ? nullptr : node.branches.back());
}

// A state that nobody has been in yet: what is known are the sequences that go through it.
void SharedSearch::Expand(Node& node, const BranchPointer& branch, WakeupTree below) {
  Node& child = AddNode(branch);
  branch->expanded = true;
  for (size_t i = 0; i < node.origins.size(); ++i) {
    const BranchPointer& origin = node.origins[i];
    if (origin != nullptr && !Settled(*origin)) branch->before.push_back(origin);
    if (wire::Dependent(node.state.sleeping[i], branch->event)) continue;
    child.state.sleeping.push_back(node.state.sleeping[i]);
    child.origins.push_back(origin);
  }
  child.state.tree = std::move(below);
  Reopen(child);
}

// Another value of the same choice. The choice is explored when all are.
SharedSearch::Step SharedSearch::TakeValue(Node& node, Part* part) {
  if (Unsettled(node, node.state.event)) return Step::kBlocked;
  node.choosing = node.state.NextValue();
  if (!node.choosing) {
    Retire(node);
    return Step::kNothing;
  }
  BranchPointer last = node.branches.empty() ? nullptr : node.branches.back();
  part->branch = AddBranch(node, node.state.event);
  if (last != nullptr) part->branch->before.push_back(last);
  return Step::kPart;
}

SharedSearch::Step SharedSearch::TakeFrom(Node& node, Part* part) {
  TreeState& state = node.state;
  if (node.choosing) return TakeValue(node, part);
  while (!state.tree.empty() && Sleeps(state.sleeping, state.tree.branches().front()->event.thread)) {
    (void)state.tree.TakeFirst();
  }
  if (state.tree.empty()) return Step::kNothing;
  const WakeupTree::Branch& first = *state.tree.branches().front();
  bool choice = first.event.role == wire::Role::kChoice;
  bool whole = !Unsettled(node, first.event);
  if (!whole && (choice || first.below.empty())) return Step::kBlocked;
  std::erase_if(node.branches, [](const BranchPointer& branch) { return branch->settled; });
  if (!state.NextBranch(&part->below)) return Step::kNothing;
  part->branch = AddBranch(node, state.event);
  node.choosing = choice;
  if (!whole) Expand(node, part->branch, std::move(part->below));
  if (!choice) Retire(node);
  return whole ? Step::kPart : Step::kExpanded;
}

// The branch of a node that is not settled, if there is only one; `many`: there are more.
SharedSearch::BranchPointer SharedSearch::OnlyBranch(const Node& node, bool* many) {
  BranchPointer only;
  for (const BranchPointer& branch : node.branches) {
    if (Settled(*branch)) continue;
    *many = *many || only != nullptr;
    only = branch;
  }
  return only;
}

// Whether nobody explores anything behind the node, and what is left is one path: then it is a part as a whole, and
// whoever gets it answers what its own executions ask for.
bool SharedSearch::IsPath(const Node& top) {
  const Node* node = &top;
  for (;;) {
    bool many = false;
    BranchPointer only = OnlyBranch(*node, &many);
    for (const BranchPointer& origin : node->origins) many = many || (origin && origin != only && !Settled(*origin));
    if (many || node->choosing) return false;
    if (only == nullptr) return true;
    if (only->child == nullptr || only->expanded) return false;
    node = only->child.get();
  }
}

SharedSearch::Part SharedSearch::TakePath(Node& top) {
  Part part;
  std::unique_ptr<Node>* owner = &root_;
  if (top.entered != nullptr) {
    Node& above = *top.entered->node;
    part.branch = *std::find_if(above.branches.begin(), above.branches.end(),
                                [&](const BranchPointer& branch) { return branch.get() == top.entered; });
    owner = &part.branch->child;
  }
  for (Node* node = &top; node != nullptr;) {
    if (node->open) {
      open_.erase(node);
      AddWork(node->entered, -1);
    }
    bool many = false;
    BranchPointer only = OnlyBranch(*node, &many);
    if (only != nullptr) {
      // In a part, what is being explored does not sleep yet.
      for (size_t i = node->origins.size(); i-- > 0;) {
        if (node->origins[i] == only) node->state.sleeping.erase(node->state.sleeping.begin() + static_cast<long>(i));
      }
      node->state.event = only->event;
    }
    part.own.push_back(std::move(node->state));
    node = only == nullptr ? nullptr : only->child.get();
  }
  owner->reset();
  return part;
}

std::optional<SharedSearch::Part> SharedSearch::WholePath(Node& node) {
  if (!IsPath(node)) return std::nullopt;
  Node* top = &node;
  while (top->entered != nullptr && !top->entered->expanded && IsPath(*top->entered->node)) top = top->entered->node;
  if (top->entered != nullptr && top->entered->expanded) return std::nullopt;
  return TakePath(*top);
}

std::optional<SharedSearch::Part> SharedSearch::NextPart() {
  if (!waiting_.empty()) {
    Part part = std::move(waiting_.front());
    waiting_.pop_front();
    AddWork(part.branch.get(), -1);
    return part;
  }
  for (auto at = open_.begin(); at != open_.end();) {
    Node& node = **at;
    if (std::optional<Part> path = WholePath(node); path) return path;
    Part part;
    Step step = TakeFrom(node, &part);
    if (step == Step::kBlocked) {
      ++at;
      continue;
    }
    Reopen(node);
    if (step == Step::kPart) return part;
    at = open_.begin();
  }
  return std::nullopt;
}

// Who sleeps at the branch's own state is as it was when the branch was taken: later branches rely on this one. Above,
// it only says which sequences need not be asked for. There, later branches count too, unless sequences must be walked
// into them.
std::vector<ExploredEvent> SharedSearch::Asleep(const Branch& branch) {
  const Node& node = *branch.node;
  std::vector<ExploredEvent> asleep;
  bool later = false;
  for (size_t i = 0; i < node.origins.size(); ++i) {
    const Branch* origin = node.origins[i].get();
    later = later || origin == &branch;
    bool walked = later && origin != nullptr && origin->node == &node && origin->expanded;
    if (!walked && origin != &branch) asleep.push_back(node.state.sleeping[i]);
  }
  return asleep;
}

Subtree SharedSearch::SubtreeOf(const Part& part) {
  Subtree subtree;
  subtree.base = Depth(part.branch);
  subtree.path.resize(subtree.base);
  for (const Branch* branch = part.branch.get(); branch != nullptr; branch = branch->node->entered) {
    TreeState& state = subtree.path[branch->node->depth];
    state.event = branch->event;
    state.sleeping = Asleep(*branch);
    if (branch == part.branch.get()) {
      const std::vector<ExploredEvent>& all = branch->node->state.sleeping;
      state.sleeping.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(branch->sleepers));
    }
  }
  subtree.below = part.below.Copy();
  for (const TreeState& own : part.own) {
    subtree.path.push_back({own.event, own.sleeping, own.values, own.tree.Copy(), own.taken});
  }
  return subtree;
}

std::optional<SharedSearch::Given> SharedSearch::Take() {
  std::optional<Part> part = NextPart();
  if (!part) return std::nullopt;
  AddWork(part->branch.get(), 1);
  Given given{next_++, SubtreeOf(*part)};
  given_.emplace(given.name, std::move(*part));
  return given;
}

void SharedSearch::AddPart(Part part, bool first) {
  AddWork(part.branch.get(), 1);
  if (first) {
    waiting_.push_front(std::move(part));
  } else {
    waiting_.push_back(std::move(part));
  }
}

void SharedSearch::Lost(uint64_t name) {
  auto found = given_.find(name);
  if (found == given_.end()) return;
  Part part = std::move(found->second);
  given_.erase(found);
  AddWork(part.branch.get(), -1);
  AddPart(std::move(part), false);
}

// A branch that was kept here is walked into, as a tree's would be.
void SharedSearch::Ask(Node& node, std::vector<ExploredEvent> sequence) {
  for (size_t i = 0; i < node.state.sleeping.size(); ++i) {
    const ExploredEvent& sleeper = node.state.sleeping[i];
    if (!MayBegin(sleeper, ListOf(sequence))) continue;
    Branch* branch = node.origins[i].get();
    bool here = branch != nullptr && branch->node == &node && branch->expanded && branch->child != nullptr;
    if (!here) return;
    auto own = std::find_if(sequence.begin(), sequence.end(),
                            [&](const ExploredEvent& event) { return event.thread == sleeper.thread; });
    if (own != sequence.end()) sequence.erase(own);
    return Ask(*branch->child, std::move(sequence));
  }
  node.state.tree.Insert(ListOf(sequence));
  Reopen(node);
}

// One part less behind the branch; what is settled by this is not needed any more.
void SharedSearch::Release(const BranchPointer& branch) {
  AddWork(branch.get(), -1);
  for (Branch* at = branch.get(); at != nullptr;) {
    Branch* above = at->node->entered;
    if (!Settled(*at)) return;
    at = above;
  }
}

bool SharedSearch::Finished(uint64_t name, SubtreeRest rest, size_t wanted) {
  auto found = given_.find(name);
  if (found == given_.end()) return false;
  size_t base = Depth(found->second.branch);
  bool possible = std::all_of(rest.asks.begin(), rest.asks.end(),
                              [&](const AskedSequence& ask) { return ask.depth < base && !ask.events.empty(); });
  if (!possible) return false;
  Part part = std::move(found->second);
  given_.erase(found);
  std::vector<Node*> above(base);
  for (Branch* branch = part.branch.get(); branch != nullptr; branch = branch->node->entered) {
    above[branch->node->depth] = branch->node;
  }
  for (AskedSequence& ask : rest.asks) Ask(*above[ask.depth], std::move(ask.events));
  BranchPointer branch = part.branch;
  if (branch != nullptr && !rest.root.enabled.empty()) branch->event = rest.root;
  if (!rest.own.empty()) Keep(std::move(part), std::move(rest), wanted);
  if (branch != nullptr) Release(branch);
  return true;
}

// The upper states become nodes, until there is enough to hand out.
void SharedSearch::Keep(Part part, SubtreeRest rest, size_t wanted) {
  Part left;
  left.branch = std::move(part.branch);
  size_t at = 0;
  for (size_t branches = 0; at < rest.own.size() && branches < wanted; ++at) {
    Node& node = AddNode(left.branch);
    node.state = std::move(rest.own[at]);
    node.origins.resize(node.state.sleeping.size());
    branches += node.state.HasMore() ? std::max<size_t>(1, node.state.tree.size()) : 0;
    left.branch = AddBranch(node, node.state.event);
    node.choosing = node.state.event.role == wire::Role::kChoice;
    if (!node.choosing) Retire(node);
    Reopen(node);
  }
  if (at == rest.own.size()) return;
  left.own.assign(std::make_move_iterator(rest.own.begin() + static_cast<std::ptrdiff_t>(at)),
                  std::make_move_iterator(rest.own.end()));
  AddPart(std::move(left), true);
}

// Nodes and branches in the order in which they were made: each leads from one before it.
struct SharedSearch::Image {
  std::map<uint64_t, const Node*> nodes;
  std::map<uint64_t, const Branch*> branches;
  std::unordered_map<uint64_t, uint64_t> places;  // by number: in the file, from 1 on

  void Add(const Node& node) {
    nodes.emplace(node.number, &node);
    for (const BranchPointer& branch : node.branches) {
      if (branch->settled) continue;
      branches.emplace(branch->number, branch.get());
      if (branch->child != nullptr) Add(*branch->child);
    }
  }
  uint64_t Place(const Branch* branch) const {
    return branch == nullptr || branch->settled ? 0 : places.at(branch->number);
  }
  void WriteBranches(EventWriter& writer, const std::vector<BranchPointer>& list) const {
    writer.Number(list.size());
    for (const BranchPointer& branch : list) writer.Number(Place(branch.get()));
  }
};

std::string SharedSearch::Save() const {
  Image image;
  if (root_ != nullptr) image.Add(*root_);
  EventWriter writer;
  writer.Number(image.nodes.size() + image.branches.size());
  auto node = image.nodes.begin();
  auto branch = image.branches.begin();
  while (node != image.nodes.end() || branch != image.branches.end()) {
    bool is_node = branch == image.branches.end() || (node != image.nodes.end() && node->first < branch->first);
    image.places.emplace(is_node ? node->first : branch->first, image.places.size() + 1);
    writer.Number(is_node ? 1 : 0);
    if (is_node) {
      const Node& at = *(node++)->second;
      writer.Number(image.Place(at.entered));
      writer.State(at.state);
      writer.Number(at.choosing ? 1 : 0);
    } else {
      const Branch& at = *(branch++)->second;
      writer.Number(image.places.at(at.node->number));
      writer.Event(at.event);
      writer.Number(at.sleepers);
      writer.Number(at.expanded ? 1 : 0);
    }
  }
  for (const auto& [number, at] : image.branches) image.WriteBranches(writer, at->before);
  for (const auto& [number, at] : image.nodes) image.WriteBranches(writer, at->origins);
  std::vector<const Part*> parts;
  for (const auto& [name, part] : given_) parts.push_back(&part);
  for (const Part& part : waiting_) parts.push_back(&part);
  writer.Number(parts.size());
  for (const Part* part : parts) {
    writer.Number(image.Place(part->branch.get()));
    writer.Tree(part->below);
    writer.States(part->own);
  }
  return writer.Text();
}

// What Save wrote, and nothing that could not have been.
class SharedSearch::Loader {
 public:
  Loader(std::string_view text, SharedSearch& search) : reader_(text), search_(search) {}

  bool Load() {
    search_.waiting_.clear();
    for (size_t left = reader_.Count(); ok() && left > 0; --left) reader_.Below(2) == 1 ? LoadNode() : LoadBranch();
    for (const BranchPointer& branch : branches_) {
      if (ok() && branch != nullptr) LoadBefore(*branch);
    }
    for (Node* node : nodes_) {
      if (ok() && node != nullptr) LoadOrigins(*node);
    }
    for (size_t left = reader_.Count(); ok() && left > 0; --left) LoadPart();
    return ok() && reader_.AtEnd();
  }

 private:
  bool ok() const { return good_ && reader_.ok(); }

  BranchPointer ReadBranch() {
    uint64_t place = reader_.Below(branches_.size());
    good_ = good_ && (place == 0 || branches_[place] != nullptr);
    return branches_[place];
  }

  void LoadNode() {
    BranchPointer entered = ReadBranch();
    good_ = good_ && (entered == nullptr ? search_.root_ : entered->child) == nullptr;
    if (!ok()) return;
    Node& node = search_.AddNode(entered);
    node.state = reader_.State();
    node.choosing = reader_.Below(2) == 1;
    nodes_.push_back(&node);
    branches_.push_back(nullptr);
  }

  void LoadBranch() {
    Node* node = nodes_[reader_.Below(nodes_.size())];
    good_ = good_ && node != nullptr;
    if (!ok()) return;
    BranchPointer branch = search_.AddBranch(*node, reader_.Event());
    branch->sleepers = reader_.Below(node->state.sleeping.size() + 1);
    branch->expanded = reader_.Below(2) == 1;
    branches_.push_back(branch);
    nodes_.push_back(nullptr);
  }

  void LoadBefore(Branch& branch) {
    for (size_t left = reader_.Count(); ok() && left > 0; --left) {
      BranchPointer before = ReadBranch();
      good_ = good_ && (before == nullptr || before->number < branch.number);
      if (before != nullptr) branch.before.push_back(before);
    }
  }

  void LoadOrigins(Node& node) {
    for (size_t left = reader_.Count(); ok() && left > 0; --left) node.origins.push_back(ReadBranch());
    good_ = good_ && node.origins.size() == node.state.sleeping.size();
    if (ok()) search_.Reopen(node);
  }

  void LoadPart() {
    Part part;
    part.branch = ReadBranch();
    if (!ok()) return;
    part.below = reader_.Tree();
    part.own = reader_.States();
    if (ok()) search_.AddPart(std::move(part), false);
  }

  EventReader reader_;
  SharedSearch& search_;
  bool good_ = true;
  std::vector<Node*> nodes_ = {nullptr};  // by place; branches in between
  std::vector<BranchPointer> branches_ = {nullptr};
};

std::optional<SharedSearch> SharedSearch::Load(std::string_view text) {
  SharedSearch search;
  if (!Loader(text, search).Load()) return std::nullopt;
  return search;
}

}  // namespace heddle::explore
