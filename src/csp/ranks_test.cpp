// A search by several ranks against one by one process: verdicts, lengths, numbers of states and transitions. The ranks
// are threads here, each with a script of its own; one test has them talk over TCP. tests/csp/ranks.py has processes.
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <random>
#include <thread>

#include "csp/csp.h"
#include "csp/peers.h"
#include "csp/testing/random_network.h"

namespace heddle::csp {
namespace {

// Messages through memory.
class Exchange {
 public:
  explicit Exchange(int count) : count_(count), queues_(static_cast<size_t>(count) * static_cast<size_t>(count)) {}

  class Member final : public Peers {
   public:
    Member(Exchange& exchange, int rank) : Peers(rank, exchange.count_), exchange_(exchange) {}
    void Send(int to, std::string message) override { exchange_.Put(rank(), to, "M" + message); }
    void TakeCome(const Each& each) override {
      for (int from = 0; from < count(); ++from) {
        for (std::string message; from != rank() && exchange_.TakeIfMessage(from, rank(), message);) {
          each(from, message.substr(1));
        }
      }
    }
    void EndRound(const Each& each) override {
      if (lost_ != "") throw PeersLost{lost_};
      for (int to = 0; to < count(); ++to) {
        if (to != rank()) exchange_.Put(rank(), to, "E");
      }
      for (int from = 0; from < count(); ++from) {
        if (from == rank()) continue;
        for (std::string message = exchange_.Take(from, rank()); message != "E";
             message = exchange_.Take(from, rank())) {
          if (message[0] == 'G') throw PeersLost{lost_ = message.substr(1)};
          each(from, message.substr(1));
        }
      }
    }
    void GiveUp(const std::string& reason) override {
      for (int to = 0; to < count(); ++to) {
        if (to != rank()) exchange_.Put(rank(), to, "G" + reason);
      }
    }

   private:
    Exchange& exchange_;
    std::string lost_;
  };

 private:
  std::deque<std::string>& Queue(int from, int to) {
    return queues_[static_cast<size_t>(from) * static_cast<size_t>(count_) + static_cast<size_t>(to)];
  }
  void Put(int from, int to, std::string message) {
    std::lock_guard<std::mutex> lock(mutex_);
    Queue(from, to).push_back(std::move(message));
    came_.notify_all();
  }
  std::string Take(int from, int to) {
    std::unique_lock<std::mutex> lock(mutex_);
    came_.wait(lock, [&] { return !Queue(from, to).empty(); });
    std::string message = std::move(Queue(from, to).front());
    Queue(from, to).pop_front();
    return message;
  }
  bool TakeIfMessage(int from, int to, std::string& message) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::deque<std::string>& queue = Queue(from, to);
    if (queue.empty() || queue.front()[0] != 'M') return false;
    message = std::move(queue.front());
    queue.pop_front();
    return true;
  }

  int count_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<std::deque<std::string>> queues_;
};

std::vector<CheckResult> Outcome(const std::string& text, Peers* peers) {
  Result<std::unique_ptr<Script>> script = Script::FromText("ranks.csp", text, {});
  EXPECT_TRUE(script.ok()) << text;
  if (!script) return {};
  CheckOptions options;
  options.max_states = 50'000;
  options.peers = peers;
  return (*script)->CheckAll(options);
}

std::vector<std::vector<CheckResult>> InRanks(const std::string& text, int count) {
  Exchange exchange(count);
  std::vector<std::vector<CheckResult>> results(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      Exchange::Member member(exchange, rank);
      results[static_cast<size_t>(rank)] = Outcome(text, &member);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

// How many assertions were decided by the ranks.
size_t Compare(const std::vector<CheckResult>& alone, const std::vector<CheckResult>& shared, const std::string& text) {
  EXPECT_EQ(alone.size(), shared.size());
  size_t decided = 0;
  for (size_t i = 0; i < alone.size() && i < shared.size(); ++i) {
    const CheckResult& a = alone[i];
    const CheckResult& b = shared[i];
    if (b.verdict == Verdict::kUndecided) continue;
    ++decided;
    EXPECT_EQ(a.verdict, b.verdict) << a.text << "\n" << text;
    EXPECT_EQ(a.kind == "", b.kind == "") << a.text << "\n" << text;
    EXPECT_EQ(a.steps.size(), b.steps.size()) << a.text << "\n" << text;
    if (a.kind != "") continue;
    EXPECT_EQ(a.states, b.states) << a.text << "\n" << text;
    EXPECT_EQ(a.transitions, b.transitions) << a.text << "\n" << text;
  }
  return decided;
}

TEST(Ranks, RandomNetworksAgreeWithOneProcess) {
  size_t decided = 0;
  size_t all = 0;
  for (uint32_t seed = 0; seed < 120 && !::testing::Test::HasFailure(); ++seed) {
    std::mt19937 random(seed);
    std::string text = seed % 3 == 0 ? testing::RandomChains(random) : testing::RandomScript(random, false);
    std::vector<CheckResult> alone = Outcome(text, nullptr);
    std::vector<std::vector<CheckResult>> shared = InRanks(text, 2 + static_cast<int>(seed % 3));
    for (const std::vector<CheckResult>& one : shared) {
      decided += Compare(alone, one, text);
      all += one.size();
    }
  }
  EXPECT_GT(decided * 10, all * 8);
}

constexpr const char* kCounters =
    "channel a : {0..3}.{0..7}\nchannel bad\nC(i,k) = a.i.k -> C(i,(k+1)%8)\n"
    "SYS = ||| i : {0..3} @ C(i,0)\n"
    "BOTH = a?i!7 -> a?j!7 -> bad -> STOP [] a?i?x:{0..6} -> BOTH\n"
    "assert SYS :[deadlock free]\nassert CHAOS(Events) [FD= SYS\nassert SYS \\ {|a|} :[divergence free]\n"
    "assert RUN({|a|}) [T= SYS [| {|a|} |] BOTH\nassert BOTH [F= SYS\n";

TEST(Ranks, OverTcpToo) {
  std::string folder = ::testing::TempDir() + "/heddle_csp_ranks_test";
  std::filesystem::create_directories(folder);
  std::vector<CheckResult> alone = Outcome(kCounters, nullptr);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 4; ++rank) {
    threads.emplace_back([&, rank] {
      Result<std::unique_ptr<Peers>> peers = ConnectPeers(folder + "/address", rank, 4, 60);
      ASSERT_TRUE(peers.ok()) << peers.error().message;
      EXPECT_EQ(Compare(alone, Outcome(kCounters, peers->get()), kCounters), 5u);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

// Two ranks with scripts that differ notice it; so does one whose other gives up.
TEST(Ranks, NoticeADifference) {
  std::string other = kCounters;
  other.replace(other.find("%8"), 2, "%7");
  Exchange exchange(2);
  std::vector<CheckResult> results[2];
  std::thread first([&] {
    Exchange::Member member(exchange, 0);
    results[0] = Outcome(kCounters, &member);
  });
  Exchange::Member member(exchange, 1);
  results[1] = Outcome(other, &member);
  first.join();
  EXPECT_EQ(results[0][0].verdict, Verdict::kUndecided);
  EXPECT_EQ(results[1][0].verdict, Verdict::kUndecided);
  EXPECT_NE(results[0][0].reason.find("difference between the ranks"), std::string::npos) << results[0][0].reason;
}

TEST(Ranks, OneThatGivesUpEndsTheOthers) {
  Exchange exchange(2);
  Exchange::Member quitter(exchange, 1);
  quitter.GiveUp("rank 1: no more");
  Exchange::Member member(exchange, 0);
  std::vector<CheckResult> results = Outcome(kCounters, &member);
  EXPECT_EQ(results[0].verdict, Verdict::kUndecided);
  EXPECT_EQ(results[0].reason, "rank 1: no more");
}

// Over TCP: the one that leaves because another was lost is not taken for the cause.
TEST(Ranks, TheFirstToLeaveIsNamed) {
  std::string folder = ::testing::TempDir() + "/first_to_leave";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::unique_ptr<Peers> peers[3];
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      Result<std::unique_ptr<Peers>> connected = ConnectPeers(folder + "/address", rank, 3, 60);
      if (connected) peers[rank] = connected.Take();
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(peers[0] != nullptr && peers[1] != nullptr && peers[2] != nullptr);
  auto reason = [](auto&& use) -> std::string {
    try {
      use();
    } catch (const PeersLost& lost) {
      return lost.reason;
    }
    return "";
  };
  peers[2].reset();
  // The first message after the end may still be taken by the system.
  std::string second = reason([&] {
    while (true) peers[1]->Send(2, "x");
  });
  EXPECT_EQ(second, "rank 2 is gone");
  peers[1].reset();
  EXPECT_EQ(reason([&] { peers[0]->EndRound([](int, const std::string&) {}); }), "rank 2 is gone");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace heddle::csp
