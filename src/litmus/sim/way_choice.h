// Chooses a way through each thread: every combination in which each value that must be read is also written.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "litmus/model/bits.h"
#include "litmus/sim/ways.h"

namespace heddle::litmus {

class WayChoice {
 public:
  // `ways`: of each thread. Both must outlive this.
  WayChoice(const Test& test, const std::vector<std::vector<Way>>& ways);

  // Calls `next` with one way for each thread, until `stop` says so; it is asked for combinations that do not fit too.
  void ForEach(const std::function<void(const std::vector<const Way*>&)>& next, const std::function<bool()>& stop) {
    Choose(0, next, stop);
  }

 private:
  using Key = std::pair<int, int64_t>;  // physical cell, value
  using Set = std::vector<Word>;        // of keys, by number

  struct Profile {
    Set needs;
    Set gives;
  };

  void NumberValues();
  size_t IdOf(const Key& key) { return ids_.emplace(key, ids_.size()).first->second; }
  Key InitialOf(const Cell& cell) const;
  int Physical(const Event& event) const { return test_.cells[static_cast<size_t>(event.cell)].physical; }
  void Add(Set& set, const Key& key) { set[IdOf(key) / 64] |= Word{1} << (IdOf(key) % 64); }
  Profile ProfileOf(const Trace& trace);
  Profile ProfileOf(const Way& way);
  void Choose(size_t thread, const std::function<void(const std::vector<const Way*>&)>& next,
              const std::function<bool()>& stop);

  const Test& test_;
  const std::vector<std::vector<Way>>& ways_;
  std::map<Key, size_t> ids_;
  size_t words_ = 1;
  std::vector<std::vector<Profile>> profiles_;
  // By thread: what the ways of this and later threads may give; what those chosen for earlier threads give and need.
  std::vector<Set> later_;
  std::vector<Set> given_;
  std::vector<Set> needed_;
  std::vector<const Way*> chosen_;
};

}  // namespace heddle::litmus
