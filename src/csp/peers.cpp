// Every process has a server, on which a thread of its own receives, and a connection to the server of each other one,
// on which it sends. So whoever sends never waits for somebody who sends. A message on the wire begins with what it is:
// 'R' and a rank (the first one on a connection), 'M' a message, 'E' the end of a round, 'G' and why the sender cannot
// go on, 'L' and why all cannot: whoever has lost a process leaves as well, and must not be taken for the first to
// leave.
#include "csp/peers.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "base/ranks.h"
#include "csp/large_stack.h"

namespace heddle::csp {
namespace {

constexpr std::chrono::seconds kToJoin(60);

class TcpPeers final : public Peers {
 public:
  TcpPeers(int rank, int count)
      : Peers(rank, count), clients_(static_cast<size_t>(count)), inbox_(static_cast<size_t>(count)) {}

  ~TcpPeers() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    if (thread_.joinable()) thread_.join();
  }

  Status Open(const std::string& prefix, double seconds) {
    Result<std::unique_ptr<RankServer>> server = RankServer::Listen(fmt::format("{}.{}", prefix, rank()));
    if (!server) return server.error();
    server_ = server.Take();
    thread_ = std::thread([this] { ReceiveAll(); });
    for (int to = 0; to < count(); ++to) {
      if (to == rank()) continue;
      Result<std::unique_ptr<RankClient>> client = RankClient::Connect(fmt::format("{}.{}", prefix, to), seconds);
      if (!client) return MakeError(client.error().code, fmt::format("rank {}: {}", to, client.error().message));
      clients_[static_cast<size_t>(to)] = client.Take();
      if (!clients_[static_cast<size_t>(to)]->Send(fmt::format("R{}", rank())))
        return MakeError(ErrorCode::kIo, Gone(to));
    }
    return {};
  }

  void Send(int to, std::string message) override {
    message.insert(message.begin(), 'M');
    Write(to, message);
  }

  void TakeCome(const Each& each) override {
    for (int from = 0; from < count(); ++from) {
      if (from == rank()) continue;
      while (true) {
        std::string message;
        {
          std::lock_guard<std::mutex> lock(mutex_);
          std::deque<std::string>& queue = inbox_[static_cast<size_t>(from)].messages;
          if (queue.empty() || queue.front()[0] != 'M') break;
          message = std::move(queue.front());
          queue.pop_front();
        }
        message.erase(0, 1);
        each(from, message);
      }
    }
  }

  void EndRound(const Each& each) override {
    for (int to = 0; to < count(); ++to) {
      if (to != rank()) Write(to, "E");
    }
    for (int from = 0; from < count(); ++from) {
      if (from == rank()) continue;
      while (true) {
        std::string message = Next(from);
        if (message[0] == 'E') break;
        if (message[0] != 'M') Lose(LastWord(from, message));
        message.erase(0, 1);
        each(from, message);
      }
    }
  }

  void GiveUp(const std::string& reason) override {
    if (lost_.empty()) {
      Tell("G" + reason);
      lost_ = reason;
    }
  }

 private:
  struct Inbox {
    std::deque<std::string> messages;
    bool joined = false;
    bool gone = false;
  };

  static std::string Gone(int rank) { return fmt::format("rank {} is gone", rank); }

  static std::string LastWord(int from, const std::string& message) {
    return message[0] == 'G' ? fmt::format("rank {}: {}", from, message.substr(1)) : message.substr(1);
  }

  // One that is gone need not hear it.
  void Tell(const std::string& message) {
    for (int to = 0; to < count(); ++to) {
      if (to != rank()) (void)clients_[static_cast<size_t>(to)]->Send(message);
    }
  }

  [[noreturn]] void Lose(const std::string& reason) {
    if (lost_.empty()) {
      lost_ = reason;
      Tell("L" + reason);
    }
    AboutToThrow();
    throw PeersLost{lost_};
  }

  void Write(int to, const std::string& message) {
    if (!lost_.empty()) Lose(lost_);
    if (!clients_[static_cast<size_t>(to)]->Send(message)) Lose(WhyGone(to));
  }

  // What a rank that does not listen any more said last, if anything.
  std::string WhyGone(int rank) {
    std::unique_lock<std::mutex> lock(mutex_);
    Inbox& inbox = inbox_[static_cast<size_t>(rank)];
    came_.wait_for(lock, kToJoin, [&] { return inbox.gone; });
    for (const std::string& message : inbox.messages) {
      if (message[0] == 'G' || message[0] == 'L') return LastWord(rank, message);
    }
    return Gone(rank);
  }

  // The next message of a rank; waits for it.
  std::string Next(int from) {
    std::unique_lock<std::mutex> lock(mutex_);
    Inbox& inbox = inbox_[static_cast<size_t>(from)];
    auto something = [&] { return !inbox.messages.empty() || inbox.gone; };
    // One that died before it connected to this process cannot be heard leaving.
    if (!came_.wait_for(lock, kToJoin, [&] { return something() || inbox.joined; }) || !inbox.joined) {
      lock.unlock();
      Lose(Gone(from));
    }
    came_.wait(lock, something);
    if (inbox.messages.empty()) {
      lock.unlock();
      Lose(Gone(from));
    }
    std::string message = std::move(inbox.messages.front());
    inbox.messages.pop_front();
    return message;
  }

  void ReceiveAll() {
    std::map<uint64_t, size_t> ranks;
    while (true) {
      std::vector<RankServer::Event> events = server_->Wait(50);
      std::lock_guard<std::mutex> lock(mutex_);
      if (stop_) return;
      for (RankServer::Event& event : events) Hear(event, ranks);
      if (!events.empty()) came_.notify_all();
    }
  }

  void Hear(RankServer::Event& event, std::map<uint64_t, size_t>& ranks) {
    auto known = ranks.find(event.member);
    if (event.what == RankServer::Event::kLeft && known != ranks.end()) inbox_[known->second].gone = true;
    if (event.what != RankServer::Event::kMessage || event.message.empty()) return;
    if (known != ranks.end()) {
      inbox_[known->second].messages.push_back(std::move(event.message));
    } else if (event.message[0] == 'R') {
      size_t rank = std::strtoul(event.message.c_str() + 1, nullptr, 10);
      if (rank >= inbox_.size() || inbox_[rank].joined) return;
      inbox_[rank].joined = true;
      ranks.emplace(event.member, rank);
    }
  }

  std::unique_ptr<RankServer> server_;
  std::vector<std::unique_ptr<RankClient>> clients_;  // by rank; null for this one
  std::string lost_;
  std::mutex mutex_;  // of what follows
  std::condition_variable came_;
  std::vector<Inbox> inbox_;  // by rank
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Peers>> ConnectPeers(const std::string& prefix, int rank, int count, double seconds) {
  auto peers = std::make_unique<TcpPeers>(rank, count);
  if (Status open = peers->Open(prefix, seconds); !open) return open.error();
  return std::unique_ptr<Peers>(std::move(peers));
}

}  // namespace heddle::csp
