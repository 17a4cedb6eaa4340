#include "stream/text/merged_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace heddle::stream {
namespace {

using Unknown = std::vector<std::pair<std::string, uint64_t>>;

// Adds events to a step; an error when a stream has one already.
Status Join(std::vector<InputEvent>& step, std::vector<InputEvent>& more, int64_t time, const Graph& graph) {
  for (InputEvent& event : more) {
    auto same = [&](const InputEvent& other) { return other.input == event.input; };
    if (std::any_of(step.begin(), step.end(), same)) {
      const std::string& name = graph.nodes[graph.inputs[event.input]].name;
      return MakeError(ErrorCode::kBadInput, fmt::format("Multiple events \"{}\" at timestamp {}", name, time));
    }
    step.push_back(std::move(event));
  }
  more.clear();
  return {};
}

class Merged : public EventSource {
 public:
  Merged(std::vector<std::unique_ptr<EventSource>> sources, const Graph& graph) : graph_(graph) {
    for (auto& source : sources) inputs_.push_back({std::move(source), 0, {}, State::kEmpty});
  }

  Result<bool> NextStep(int64_t* time, std::vector<InputEvent>* events) override {
    events->clear();
    const Input* first = nullptr;
    for (Input& input : inputs_) {
      if (Status status = Fill(input); !status) return status.error();
      if (input.state == State::kFull && (first == nullptr || input.time < first->time)) first = &input;
    }
    if (first == nullptr) return false;
    *time = first->time;
    for (Input& input : inputs_) {
      if (input.state != State::kFull || input.time != *time) continue;
      if (Status status = Join(*events, input.events, *time, graph_); !status) return status.error();
      input.state = State::kEmpty;
    }
    return true;
  }

  Unknown UnknownStreams() const override {
    std::map<std::string, uint64_t> all;
    for (const Input& input : inputs_) {
      for (const auto& [name, count] : input.source->UnknownStreams()) all[name] += count;
    }
    return {all.begin(), all.end()};
  }

  uint64_t EventCount() const override {
    uint64_t count = 0;
    for (const Input& input : inputs_) count += input.source->EventCount();
    return count;
  }

 private:
  enum class State { kEmpty, kFull, kEnded };
  struct Input {
    std::unique_ptr<EventSource> source;
    int64_t time;
    std::vector<InputEvent> events;
    State state;
  };

  static Status Fill(Input& input) {
    if (input.state != State::kEmpty) return {};
    Result<bool> more = input.source->NextStep(&input.time, &input.events);
    if (!more) return more.error();
    input.state = *more ? State::kFull : State::kEnded;
    return {};
  }

  const Graph& graph_;
  std::vector<Input> inputs_;
};

class Reordered : public EventSource {
 public:
  Reordered(std::unique_ptr<EventSource> source, int64_t window, const Graph& graph)
      : source_(std::move(source)), window_(window), graph_(graph) {}

  Result<bool> NextStep(int64_t* time, std::vector<InputEvent>* events) override {
    events->clear();
    while (!ended_ && !Ready()) {
      if (Status status = Read(); !status) return status.error();
    }
    if (waiting_.empty()) return false;
    auto first = waiting_.begin();
    *time = given_ = first->first;
    *events = std::move(first->second);
    waiting_.erase(first);
    return true;
  }

  Unknown UnknownStreams() const override { return source_->UnknownStreams(); }
  uint64_t EventCount() const override { return source_->EventCount(); }

 private:
  bool Ready() const { return !waiting_.empty() && newest_ - waiting_.begin()->first >= window_; }

  Status Read() {
    int64_t time = 0;
    std::vector<InputEvent> events;
    Result<bool> more = source_->NextStep(&time, &events);
    if (!more) return more.error();
    ended_ = !*more;
    if (ended_) return {};
    if (time <= given_) {
      return MakeError(
          ErrorCode::kBadInput,
          fmt::format("an event at {} came after one at {}: more than --reorder {} too late", time, newest_, window_));
    }
    newest_ = std::max(newest_, time);
    return Join(waiting_[time], events, time, graph_);
  }

  std::unique_ptr<EventSource> source_;
  int64_t window_;
  const Graph& graph_;
  std::map<int64_t, std::vector<InputEvent>> waiting_;
  int64_t newest_ = 0;
  int64_t given_ = -1;  // the newest timestamp that was given out
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<EventSource> MergeSources(std::vector<std::unique_ptr<EventSource>> sources, const Graph& graph) {
  return std::make_unique<Merged>(std::move(sources), graph);
}

std::unique_ptr<EventSource> ReorderSource(std::unique_ptr<EventSource> source, int64_t window, const Graph& graph) {
  return std::make_unique<Reordered>(std::move(source), window, graph);
}

}  // namespace heddle::stream
