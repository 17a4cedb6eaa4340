#include "refine/campaign/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <sstream>

#include "refine/campaign/message.h"

namespace heddle::refine {
namespace {

struct Worker {
  SeedRange range;  // count 0: none
  bool waits = false;
};

class Leader {
 public:
  Leader(const LeaderOptions& options, RankServer& server) : options_(options), server_(server) {}

  Status Run() {
    while (!Finished()) {
      if (Status turn = Turn(); !turn) return turn;
    }
    for (const auto& [member, worker] : workers_) server_.Send(member, "stop");
    server_.Flush(1000);
    return {};
  }

 private:
  // All ranges handed out and done. Unfinished work of ranks that died is in returned_.
  bool Finished() {
    if (options_.stop && options_.stop()) return true;
    if (!exhausted_ || !returned_.empty()) return false;
    return std::none_of(workers_.begin(), workers_.end(), [](const auto& w) { return w.second.range.count > 0; });
  }

  SeedRange Next() {
    if (!returned_.empty()) {
      SeedRange range = returned_.front();
      returned_.pop_front();
      return range;
    }
    SeedRange range = exhausted_ ? SeedRange{} : options_.next();
    exhausted_ |= range.count == 0;
    return range;
  }

  Status Turn() {
    std::vector<RankServer::Event> events = server_.Wait(1000);
    if (events.empty() && workers_.empty()) return TestHere();
    for (const RankServer::Event& event : events) {
      if (event.what == RankServer::Event::kJoined) workers_[event.member] = {};
      if (event.what == RankServer::Event::kLeft) Drop(event.member);
      if (event.what != RankServer::Event::kMessage || !workers_.contains(event.member)) continue;
      Result<bool> right = Hear(event.member, event.message);
      if (!right) return right.error();
      if (!*right) Drop(event.member);
    }
    seen_ |= !workers_.empty();
    // Those who wait get what came back.
    for (auto& [member, worker] : workers_) {
      if (worker.waits && !returned_.empty()) Answer(member);
    }
    return {};
  }

  // Nobody came for a while, or everybody died.
  Status TestHere() {
    if (!seen_ && ++quiet_ < 30) return {};
    SeedRange range = Next();
    return range.count == 0 ? Status{} : options_.test_here(range);
  }

  Result<bool> Hear(uint64_t member, std::string_view message) {
    if (message == "next") {
      Answer(member);
      return true;
    }
    if (!message.starts_with("done ")) return false;
    Worker& worker = workers_[member];
    std::optional<RangeResult> result = DecodeResult(message.substr(5));
    if (!result || result->range.first != worker.range.first) return false;
    if (Status kept = options_.done(*result); !kept) return kept.error();
    worker.range = {};
    return true;
  }

  void Answer(uint64_t member) {
    Worker& worker = workers_[member];
    worker.range = Next();
    worker.waits = worker.range.count == 0;
    if (worker.waits) return;  // "stop" comes when everything is done: until then a range may come back
    server_.Send(member, fmt::format("range {} {}", worker.range.first, worker.range.count));
  }

  void Drop(uint64_t member) {
    if (workers_[member].range.count > 0) returned_.push_back(workers_[member].range);
    workers_.erase(member);
  }

  const LeaderOptions& options_;
  RankServer& server_;
  std::map<uint64_t, Worker> workers_;
  std::deque<SeedRange> returned_;
  bool exhausted_ = false;
  bool seen_ = false;
  int quiet_ = 0;
};

}  // namespace

Status Lead(const LeaderOptions& options) {
  Result<std::unique_ptr<RankServer>> server = RankServer::Listen(options.address_file);
  if (!server) return server.error();
  return Leader(options, **server).Run();
}

Status Work(const std::string& address_file, double seconds,
            const std::function<Result<RangeResult>(SeedRange)>& test) {
  Result<std::unique_ptr<RankClient>> client = RankClient::Connect(address_file, seconds);
  if (!client) return client.error();
  while ((*client)->Send("next")) {
    std::istringstream line((*client)->Receive([] { return true; }).value_or(""));
    std::string word;
    SeedRange range;
    if (!(line >> word) || word != "range" || !(line >> range.first >> range.count)) break;
    Result<RangeResult> result = test(range);
    if (!result) return result.error();
    if (!(*client)->Send("done " + EncodeResult(*result))) break;
  }
  return {};
}

}  // namespace heddle::refine
