// The processes that share a search (refine/searcher_ranks.h), and how they talk: in rounds. In a round each may send
// messages to each; a round ends for a process when all have ended it and it has got what they sent. All processes end
// the same rounds in the same order.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"

namespace heddle::csp {

// Thrown when a process is gone, or has given up: the search cannot go on.
struct PeersLost {
  std::string reason;
};

class Peers {
 public:
  using Each = std::function<void(int from, const std::string& message)>;

  virtual ~Peers() = default;
  int rank() const { return rank_; }
  int count() const { return count_; }

  virtual void Send(int to, std::string message) = 0;
  // The messages of this round that have come; does not wait.
  virtual void TakeCome(const Each& each) = 0;
  virtual void EndRound(const Each& each) = 0;
  // Tells all that this process cannot go on. Whoever uses its Peers from now on gets PeersLost with the reason.
  virtual void GiveUp(const std::string& reason) = 0;

  void SendToAll(const std::string& message) {
    for (int to = 0; to < count_; ++to) {
      if (to != rank_) Send(to, message);
    }
  }

 protected:
  Peers(int rank, int count) : rank_(rank), count_(count) {}

 private:
  int rank_;
  int count_;
};

// Over TCP (base/ranks.h). Each process listens and writes its address to the file PREFIX.RANK, which all can read.
// Waits so long for all the others.
Result<std::unique_ptr<Peers>> ConnectPeers(const std::string& prefix, int rank, int count, double seconds);

}  // namespace heddle::csp
