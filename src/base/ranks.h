// Processes of one job that were started together by `mpirun` (or by hand), on one machine or several.
//
// The leader (rank 0) listens and writes its address into a small file that all can read; the others connect and talk
// to it over TCP. There is no MPI library in between: a rank that dies closes its connection, which the leader hears,
// and what it was doing can be given to another one. MPI's own messages do not allow that. A message is any string of
// bytes; what it means is the matter of those who send it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace heddle {

struct Rank {
  int number = 0;
  int count = 1;
};

// From the environment that mpirun sets (Open MPI, MPICH, Slurm); {0, 1} without one.
Rank RankOfProcess();

// What all ranks of this job have in common and those of another have not; "" without mpirun.
std::string JobOfProcess();

// Takes what mpirun has set out of the environment, so that programs which are started see the same in every rank.
void ForgetRank();

// The leader's side. Not thread-safe.
class RankServer {
 public:
  struct Event {
    enum What : uint8_t { kJoined, kMessage, kLeft } what;
    uint64_t member;  // a name for the connection, never used again
    std::string message;
  };

  static Result<std::unique_ptr<RankServer>> Listen(const std::string& address_file);
  ~RankServer();
  RankServer(const RankServer&) = delete;
  RankServer& operator=(const RankServer&) = delete;

  // What has come; waits at most so long for the first.
  std::vector<Event> Wait(int milliseconds);
  // Never waits: what the network does not take yet is sent by Wait.
  void Send(uint64_t member, std::string_view message);
  // Gives the network up to so long to take what was sent.
  void Flush(int milliseconds);
  size_t members() const { return members_.size(); }
  uint64_t bytes() const { return bytes_; }        // sent and received, of messages
  uint64_t messages() const { return messages_; }  // sent and received

 private:
  struct Member {
    int fd = -1;
    bool known = false;  // has said the word that the address file has
    std::string input;
    std::string output;
  };
  explicit RankServer(std::string address_file) : address_file_(std::move(address_file)) {}
  Status Open();
  void Accept();
  bool Read(uint64_t name, Member& member, std::vector<Event>& events);
  static bool Write(Member& member);
  void Drop(uint64_t name, std::vector<Event>& events);

  std::string address_file_;
  std::string word_;
  int listener_ = -1;
  uint64_t next_ = 1;
  std::map<uint64_t, Member> members_;
  uint64_t bytes_ = 0;
  uint64_t messages_ = 0;
};

// The side of the others.
class RankClient {
 public:
  // Looks for the leader for so long. kNotFound: it did not answer.
  static Result<std::unique_ptr<RankClient>> Connect(const std::string& address_file, double seconds);
  ~RankClient();
  RankClient(const RankClient&) = delete;
  RankClient& operator=(const RankClient&) = delete;

  bool Send(std::string_view message);  // false: the leader is gone
  // Nothing: the leader is gone, or a signal came and `stop` says so.
  std::optional<std::string> Receive(const std::function<bool()>& stop);
  bool Waiting() const;  // whether Receive would return at once

 private:
  explicit RankClient(int fd) : fd_(fd) {}
  int fd_;
  std::string input_;
};

}  // namespace heddle
