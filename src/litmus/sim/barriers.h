// Which barriers of an execution meet: each possibility is put into the execution (the relation syncbar).
#pragma once

#include <functional>
#include <vector>

#include "litmus/sim/execution.h"

namespace heddle::litmus {

class BarrierMeetings {
 public:
  // Calls `next` for each way in which the barriers can meet such that every thread comes to its end, until it returns
  // false. Without barriers that is once.
  void ForEach(Execution& execution, const std::function<bool()>& next);

 private:
  struct Group {
    std::vector<int> events;
    size_t quorum = 0;  // arrivals that let a thread go on
  };

  void FindGroups();
  bool Meet(size_t group, const std::function<bool()>& next);
  bool Late(size_t number, const std::vector<int>& order, size_t place, const std::function<bool()>& next);
  void Put(int arrival, int wait, bool meet);
  bool AllEnd() const;

  Execution* execution_ = nullptr;
  std::vector<int> barriers_;
  std::vector<Group> groups_;
};

}  // namespace heddle::litmus
