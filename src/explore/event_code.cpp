#include "explore/event_code.h"

#include <cstring>

namespace heddle::explore {
namespace {

constexpr std::string_view kMagic = "hs2";

void PutNumber(std::string& text, uint64_t number) {
  for (; number >= 0x80; number >>= 7U) text += static_cast<char>(0x80U | (number & 0x7FU));
  text += static_cast<char>(number);
}

bool Possible(const ExploredEvent& event) {
  return event.thread < wire::kMaxExplored && event.role <= wire::Role::kUpdate &&
         event.condition <= wire::Condition::kNotGreater && event.commutes <= wire::Commutes::kArrives;
}

}  // namespace

void EventWriter::Number(uint64_t number) { PutNumber(payload_, number); }

void EventWriter::Event(const ExploredEvent& event) {
  std::string bytes(reinterpret_cast<const char*>(&event), sizeof event);
  auto [place, fresh] = places_.emplace(std::move(bytes), table_.size());
  if (fresh) table_.push_back(event);
  Number(place->second);
}

void EventWriter::Events(const std::vector<ExploredEvent>& events) {
  Number(events.size());
  for (const ExploredEvent& event : events) Event(event);
}

void EventWriter::Sequence(const std::vector<ExploredEvent>& events) {
  Number(events.size());
  for (ExploredEvent event : events) {
    event.enabled = {};
    Event(event);
  }
}

// Each branch and how many come below it, in the order of a walk; without recursion, since trees are deep.
void EventWriter::Tree(const WakeupTree& tree) {
  Number(tree.size());
  std::vector<std::pair<const WakeupTree*, size_t>> places = {{&tree, 0}};
  while (!places.empty()) {
    auto& [at, next] = places.back();
    if (next == at->size()) {
      places.pop_back();
      continue;
    }
    const WakeupTree::Branch& branch = *at->branches()[next++];
    ExploredEvent event = branch.event;
    event.enabled = {};  // the state knows
    Event(event);
    Number(branch.below.size());
    places.emplace_back(&branch.below, 0);
  }
}

void EventWriter::State(const TreeState& state) {
  Event(state.event);
  Events(state.sleeping);
  Number(state.values);
  Number(state.taken);
  Tree(state.tree);
}

void EventWriter::States(const std::vector<TreeState>& states) {
  Number(states.size());
  for (const TreeState& state : states) State(state);
}

std::string EventWriter::Text() const {
  std::string text(kMagic);
  PutNumber(text, table_.size());
  text.append(reinterpret_cast<const char*>(table_.data()), table_.size() * sizeof(ExploredEvent));
  return text + payload_;
}

EventReader::EventReader(std::string_view text) : rest_(text) {
  ok_ = rest_.starts_with(kMagic);
  if (!ok_) return;
  rest_.remove_prefix(kMagic.size());
  uint64_t count = Number();
  ok_ = ok_ && count <= rest_.size() / sizeof(ExploredEvent);
  if (!ok_) return;
  table_.resize(count);
  if (count > 0) std::memcpy(table_.data(), rest_.data(), count * sizeof(ExploredEvent));
  rest_.remove_prefix(count * sizeof(ExploredEvent));
  for (const ExploredEvent& event : table_) ok_ = ok_ && Possible(event);
}

uint64_t EventReader::Number() {
  uint64_t number = 0;
  for (uint32_t shift = 0; ok_ && shift < 64; shift += 7) {
    if (rest_.empty()) break;
    auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    number |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return number;
  }
  ok_ = false;
  return 0;
}

uint64_t EventReader::Below(uint64_t limit) {
  uint64_t number = Number();
  ok_ = ok_ && number < limit;
  return ok_ ? number : 0;
}

size_t EventReader::Count() { return Below(rest_.size() + 1); }

ExploredEvent EventReader::Event() {
  uint64_t place = Below(table_.size());
  return ok_ ? table_[place] : ExploredEvent{};
}

std::vector<ExploredEvent> EventReader::Events() {
  std::vector<ExploredEvent> events;
  for (size_t left = Count(); ok_ && left > 0; --left) events.push_back(Event());
  return events;
}

WakeupTree EventReader::Tree() {
  constexpr size_t kDeepest = size_t{1} << 16U;  // the steps of an execution
  WakeupTree tree;
  std::vector<std::pair<WakeupTree*, size_t>> places = {{&tree, Count()}};
  while (ok_ && !places.empty()) {
    auto& [at, left] = places.back();
    if (left == 0) {
      places.pop_back();
      continue;
    }
    --left;
    WakeupTree* below = at->Append(Event());
    places.emplace_back(below, Count());
    ok_ = ok_ && places.size() <= kDeepest;
  }
  return ok_ ? std::move(tree) : WakeupTree();
}

TreeState EventReader::State() {
  TreeState state;
  state.event = Event();
  state.sleeping = Events();
  state.values = Number();
  state.taken = static_cast<uint32_t>(Below(uint64_t{1} << 32U));
  state.tree = Tree();
  ok_ = ok_ && state.sleeping.size() <= wire::kMaxExplored;
  return state;
}

std::vector<TreeState> EventReader::States() {
  std::vector<TreeState> states;
  for (size_t left = Count(); ok_ && left > 0; --left) states.push_back(State());
  return states;
}

}  // namespace heddle::explore
