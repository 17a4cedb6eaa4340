// One candidate execution: the events of the chosen paths, reads-from and coherence, and the relations that a model may
// ask for (model/base_names.h). The initial writes come first, then the threads in order.
#pragma once

#include <vector>

#include "litmus/model/cat_eval.h"
#include "litmus/sim/trace.h"

namespace heddle::litmus {

class Execution : public ExecutionFacts {
 public:
  explicit Execution(const Test& test) : test_(test) {}

  // Takes over one trace for each thread; reads-from and coherence are empty after this.
  void Build(const std::vector<const Trace*>& traces);
  // The read takes the value of the write; -1: not chosen yet.
  void SetReadFrom(int read, int write) {
    source_[static_cast<size_t>(read)] = write;
    if (write >= 0) events_[static_cast<size_t>(read)].read_value = events_[static_cast<size_t>(write)].written_value;
  }
  // Into co: the initial write of each location before its other writes, which is so in every order.
  void StartCoherence();
  // The coherence order as pairs; must be transitive.
  Word* co() { return co_.data(); }
  const Word* co() const { return co_.data(); }
  Word* sync_fence() { return sync_fence_.data(); }
  // The nth use of one barrier by threads of one scope.
  bool SameBarrier(int a, int b) const;
  // The wait b ends after the arrival a.
  void SetMeeting(int a, int b, bool meet);
  bool Meeting(int a, int b) const { return Has(meetings_.data(), shape_, a, b); }

  const Test& test() const { return test_; }
  const std::vector<Event>& events() const { return events_; }
  int first_of(size_t thread) const { return first_[thread]; }
  int source(int read) const { return source_[static_cast<size_t>(read)]; }
  int physical(int event) const { return physical_[static_cast<size_t>(event)]; }
  const std::vector<const Trace*>& traces() const { return traces_; }
  bool PoBefore(int a, int b) const;

  Shape shape() const override { return shape_; }
  const Word* Relation(Base base, Arena& arena) const override;
  const Word* Tagged(Tag tag) const override {
    return tag_bits_.data() + size_t{tag} * static_cast<size_t>(shape_.words);  // without events there are none
  }
  int LocationOf(int event) const override { return physical(event); }
  int64_t ValueOf(int event) const override;
  bool Divided() const override { return divided_; }

 private:
  void AddEvents();
  void AddTags();
  bool SameScope(int a, int b, Base base) const;
  bool Includes(int a, int b) const;  // the scope of a includes the thread of b
  void FillPairs(Word* out, Trace::Pairs Trace::* pairs) const;
  const Word* Communication(Base base, Arena& arena) const;

  const Test& test_;
  Shape shape_;
  bool divided_ = false;
  std::vector<const Trace*> traces_;
  std::vector<Event> events_;
  std::vector<int> first_;
  std::vector<int> physical_;
  std::vector<int> source_;
  std::vector<Word> co_;
  std::vector<Word> sync_fence_;
  std::vector<Word> meetings_;
  std::vector<Word> tag_bits_;
};

}  // namespace heddle::litmus
