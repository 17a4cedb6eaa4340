// The leader of a search that several perform together.
//
// Each rank that is ready gets a subtree. While somebody has none and nothing waits, those that have been busy for a
// while are asked to give theirs back: what is left of it is split at its upper states. A rank that is busy for long is
// asked too, so that little is lost with it. Everything that is known is in three places: the shared search (what is
// left), the totals and the findings; a result goes into all of them at once, and the file has all of them.
#include "analysis/explore/ranked_exploration.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>

#include "analysis/explore/explored_findings.h"
#include "analysis/explore/rank_message.h"
#include "analysis/explore/search_coverage.h"
#include "analysis/explore/subtree_runner.h"
#include "analysis/target/interrupt.h"
#include "base/file.h"
#include "base/ranks.h"
#include "explore/shared_search.h"

namespace heddle::analysis {
namespace {

using Clock = std::chrono::steady_clock;
using Event = RankServer::Event;

constexpr double kSecondsWithCut = 20;     // as in a search by one
constexpr double kShortestSubtree = 0.05;  // seconds: before that nobody is asked to give back
constexpr double kLongestSubtree = 5;
constexpr size_t kBranchesForEach = 4;    // that has nothing: some are small
constexpr double kSecondsHere = 0.3;      // the leader explores for so long, then looks for others
constexpr double kSecondsForOthers = 10;  // to come
constexpr double kSecondsOfCheckpoint = 5;
constexpr double kSecondsToGiveBack = 5;  // at the end
constexpr const char* kCheckpoint = "/subtrees";

// Who did what, line by line, for people and tests.
class RanksLog {
 public:
  explicit RanksLog(const std::string& path) : file_(std::fopen(path.c_str(), "we")) {}
  ~RanksLog() {
    if (file_ != nullptr) std::fclose(file_);
  }
  RanksLog(const RanksLog&) = delete;
  RanksLog& operator=(const RanksLog&) = delete;

  void Line(double seconds, const std::string& text) {
    if (file_ == nullptr) return;
    std::string line = fmt::format("{:.3f} {}\n", seconds, text);
    std::fwrite(line.data(), 1, line.size(), file_);
    std::fflush(file_);
  }

 private:
  FILE* file_;
};

struct Member {
  uint64_t rank = 0;
  bool ready = false;    // its program does what the leader's does
  uint64_t subtree = 0;  // 0: none
  double since = 0;
  bool asked = false;  // to give it back
};

class Leader {
 public:
  Leader(const ExplorationOptions& options, const std::function<void(const ExplorationProgress&)>& tell)
      : options_(options), tell_(tell), found_(options), log_(options.folder + "/ranks.log") {}

  Result<findings::Report> Run() {
    ExecutorOptions executor;
    executor.program = options_.target;
    executor.target = TargetOf(options_);
    Result<std::unique_ptr<Executor>> started = Executor::Start(executor);
    if (!started) return started.error();
    executor_ = started.Take();
    runner_ = std::make_unique<SubtreeRunner>(*executor_, options_.only_races);
    Interrupt interrupt;
    Status begun = Begin();
    if (!begun) return begun.error();
    Result<std::unique_ptr<RankServer>> server = RankServer::Listen(options_.address_file);
    if (!server) return server.error();
    server_ = server.Take();
    Status done = Search();
    if (!done) stopped_by_ = done.error().message;
    End();
    FillReport(!done);
    return found_.report();
  }

 private:
  double Elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  // The first execution is performed here: it says what the others must see too. So is that of a search that goes on.
  Status Begin() {
    if (!options_.resume.empty()) {
      Status loaded = Load();
      if (!loaded) return loaded;
      executor_->UseThreads(threads_);
    }
    Result<Performed> first = executor_->Perform({});
    if (!first) return first.error();
    first_ = HashOf(*first);
    if (before_ != 0 && before_ != first_) {
      return MakeError(ErrorCode::kLimit, "the program's first execution is another one than when the search began");
    }
    threads_ = executor_->threads();
    return {};
  }

  Status Load() {
    std::string path = options_.resume + kCheckpoint;
    Result<std::string> text = ReadFile(path);
    if (!text) return text.error();
    std::optional<RankCheckpoint> old = DecodeCheckpoint(*text);
    std::optional<explore::SharedSearch> search = old ? explore::SharedSearch::Load(old->search) : std::nullopt;
    if (!search) return MakeError(ErrorCode::kBadInput, fmt::format("{}: not the state of a search", path));
    std::string identity = IdentityOf(options_).text;
    if (old->identity != identity) {
      return MakeError(ErrorCode::kUsage,
                       fmt::format("{}: the search was another one; then:\n{}now:\n{}", path, old->identity, identity));
    }
    before_ = old->first;
    threads_ = old->threads;
    totals_ = old->totals;
    shared_ = std::move(*search);
    return TakeFound(std::move(old->found));
  }

  Status TakeFound(std::vector<Performed> found) {
    for (Performed& performed : found) {
      Result<bool> fresh = found_.Consider(performed, threads_);
      if (!fresh) return fresh.error();
      if (*fresh) kept_.push_back(std::move(performed));
    }
    return {};
  }

  Status Search() {
    while (!shared_.Done() && !LimitReached()) {
      for (const Event& event : server_->Wait(Patience())) {
        Status heard = Hear(event);
        if (!heard) return heard;
      }
      Feed();
      AskBack();
      Status explored = Alone() ? ExploreHere() : Status{};
      if (!explored) return explored;
      Tell();
      if (Elapsed() > saved_ + kSecondsOfCheckpoint) Save();
    }
    return {};
  }

  // Others need a moment to start; then it goes on without them.
  bool Alone() const {
    bool waits = options_.ranks > 1 && ranks_ == 0 && refused_ == 0 && Elapsed() < kSecondsForOthers;
    return members_.empty() && !waits;
  }

  int Patience() const { return Alone() ? 0 : Idle() > 0 ? 5 : 50; }

  size_t Idle() const {
    size_t idle = 0;
    for (const auto& [name, member] : members_) idle += member.ready && member.subtree == 0 ? 1 : 0;
    return idle;
  }

  bool LimitReached() {
    if (options_.executions != 0 && totals_.performed() >= options_.executions) {
      stopped_by_ = fmt::format("the limit of {} executions", options_.executions);
    } else if (options_.seconds > 0 && Elapsed() > options_.seconds) {
      stopped_by_ = fmt::format("the time limit of {:g} s", options_.seconds);
    } else if (Interrupt::Came()) {
      stopped_by_ = "an interrupt";
    } else if (options_.first && !found_.report().findings.empty()) {
      stopped_by_ = "the first finding";
    } else if (options_.seconds == 0 && first_cut_ && Elapsed() > *first_cut_ + kSecondsWithCut) {
      stopped_by_ = fmt::format("the search itself, {:g} s after the first execution without an end (--time for more)",
                                kSecondsWithCut);
    }
    return !stopped_by_.empty();
  }

  Status Hear(const Event& event) {
    if (event.what == Event::kJoined) members_[event.member] = {};
    if (event.what == Event::kLeft) Drop(event.member, "left");
    if (event.what != Event::kMessage || !members_.contains(event.member)) return {};
    std::optional<RankMessage> message = DecodeMessage(event.message);
    if (!message) {
      Drop(event.member, "said something that cannot be understood");
      return {};
    }
    return Take(event.member, *message);
  }

  Status Take(uint64_t name, RankMessage& message) {
    Member& member = members_[name];
    if (message.is == "hello") {
      member.rank = message.number;
      log_.Line(Elapsed(), fmt::format("rank {} joined, process {}", member.rank, message.first));
      RankMessage welcome = Message("welcome");
      welcome.text = IdentityOf(options_).text;
      welcome.first = first_;
      Send(name, welcome);
    } else if (message.is == "ready") {
      member.ready = true;
      ++ranks_;
    } else if (message.is == "names") {
      for (const std::string& thread : message.threads) {
        if (std::find(threads_.begin(), threads_.end(), thread) == threads_.end()) threads_.push_back(thread);
      }
      Send(name, Message("threads"));
    } else if (message.is == "differs") {
      ++refused_;
      Drop(name, "cannot help: " + message.text);
    } else if (message.is == "result") {
      return TakeResult(name, message);
    }
    return {};
  }

  Status TakeResult(uint64_t name, RankMessage& message) {
    Member& member = members_[name];
    SubtreeResult& result = message.result;
    bool left = !result.rest.own.empty();
    // Who gives back goes on with the rest; the others need something too.
    bool taken = message.number != 0 && message.number == member.subtree &&
                 shared_.Finished(message.number, std::move(result.rest), left ? kBranchesForEach * Idle() : 0);
    if (!taken) {
      Drop(name, "reported what it was not given");
      return {};
    }
    log_.Line(Elapsed(), fmt::format("rank {} {} subtree {}: {} executions", member.rank,
                                     left ? "gave back" : "finished", message.number, result.totals.performed()));
    member.subtree = 0;
    return Count(result);
  }

  Status Count(SubtreeResult& result) {
    totals_.Add(result.totals);
    if (totals_.cut + totals_.hangs != 0 && !first_cut_) first_cut_ = Elapsed();
    ++subtrees_;
    return TakeFound(std::move(result.found));
  }

  void Drop(uint64_t name, const std::string& why) {
    auto member = members_.find(name);
    if (member == members_.end()) return;
    std::string again;
    if (member->second.subtree != 0) {
      again = fmt::format("; subtree {} is given out again", member->second.subtree);
      shared_.Lost(member->second.subtree);
      ++lost_;
    }
    log_.Line(Elapsed(), fmt::format("rank {} {}{}", member->second.rank, why, again));
    members_.erase(member);
  }

  RankMessage Message(const char* is) const {
    RankMessage message;
    message.is = is;
    message.threads = threads_;
    return message;
  }
  void Send(uint64_t name, const RankMessage& message) { server_->Send(name, EncodeMessage(message)); }

  void Feed() {
    for (auto& [name, member] : members_) {
      if (!member.ready || member.subtree != 0) continue;
      std::optional<explore::SharedSearch::Given> given = shared_.Take();
      if (!given) return;
      member.subtree = given->name;
      member.since = Elapsed();
      member.asked = false;
      RankMessage message = Message("subtree");
      message.number = given->name;
      message.subtree = std::move(given->subtree);
      log_.Line(Elapsed(), fmt::format("subtree {} to rank {}", given->name, member.rank));
      Send(name, message);
    }
  }

  // Those that have nothing need something; and what a rank has done should not be lost with it.
  void AskBack() {
    size_t idle = Idle();
    size_t asked = 0;
    for (const auto& [name, member] : members_) asked += member.asked ? 1 : 0;
    for (auto& [name, member] : members_) {
      if (member.subtree == 0 || member.asked) continue;
      double busy = Elapsed() - member.since;
      bool steals = asked < idle && busy > kShortestSubtree;
      if (!steals && busy < kLongestSubtree) continue;
      member.asked = true;
      ++asked;
      RankMessage message = Message("back");
      message.number = member.subtree;
      Send(name, message);
    }
  }

  Status ExploreHere() {
    std::optional<explore::SharedSearch::Given> given = shared_.Take();
    if (!given) return {};
    executor_->UseThreads(threads_);
    double end = Elapsed() + kSecondsHere;
    Result<SubtreeResult> result = runner_->Run(std::move(given->subtree), [&] { return Elapsed() > end; });
    if (!result) {
      shared_.Lost(given->name);
      return result.error();
    }
    threads_ = executor_->threads();
    if (!shared_.Finished(given->name, std::move(result->rest), 0)) {
      return MakeError(ErrorCode::kInternal, "a subtree of the search was lost");
    }
    return Count(*result);
  }

  void Tell() {
    if (Elapsed() < told_ + 0.2) return;
    told_ = Elapsed();
    tell_({totals_.performed(), found_.report().findings.size(), std::nullopt, std::nullopt, told_});
  }

  bool Save() {
    saved_ = Elapsed();
    RankCheckpoint checkpoint{IdentityOf(options_).text, first_, threads_, totals_, kept_, shared_.Save()};
    return WriteFileAtomic(options_.folder + kCheckpoint, EncodeCheckpoint(checkpoint)).ok();
  }

  // What was stopped is kept: everybody gives back what they have.
  void End() {
    double deadline = Elapsed() + kSecondsToGiveBack;
    for (const auto& [name, member] : members_) {
      RankMessage message = Message("back");
      message.number = member.subtree;
      if (member.subtree != 0) Send(name, message);
    }
    auto busy = [](const auto& entry) { return entry.second.subtree != 0; };
    while (std::any_of(members_.begin(), members_.end(), busy) && Elapsed() < deadline) {
      for (const Event& event : server_->Wait(20)) {
        if (!Hear(event)) deadline = 0;
      }
    }
    for (const auto& [name, member] : members_) Send(name, Message("stop"));
    server_->Flush(1000);
    double processor = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    log_.Line(Elapsed(), fmt::format("{} subtrees, {} messages, {} bytes, {:.3f} s of the leader's processor time",
                                     subtrees_, server_->messages(), server_->bytes(), processor));
  }

  std::string Note() const {
    std::string note = fmt::format("{} rank{} explored {} subtree{}", ranks_, ranks_ == 1 ? "" : "s", subtrees_,
                                   subtrees_ == 1 ? "" : "s");
    if (lost_ != 0) note += fmt::format(", {} of them again because a rank was lost", lost_);
    if (refused_ != 0) note += fmt::format(", {} could not help (ranks.log says why)", refused_);
    return note;
  }

  void FillReport(bool target_gone) {
    SearchEnd end;
    // The last results may have come behind the limit.
    end.stopped_by = shared_.Done() && !target_gone ? "" : stopped_by_.empty() ? "a lost subtree" : stopped_by_;
    end.target_gone = target_gone;
    end.seconds = Elapsed();
    end.threads = threads_.size();
    end.note = Note();
    end.saved = !shared_.Done() && Save();
    end.unrepeated = found_.Settle(totals_.gaps.empty());
    FillCoverage(options_, totals_, end, found_.report());
    std::error_code failure;
    if (shared_.Done()) std::filesystem::remove(options_.folder + kCheckpoint, failure);
  }

  const ExplorationOptions& options_;
  const std::function<void(const ExplorationProgress&)>& tell_;
  ExploredFindings found_;
  RanksLog log_;
  Clock::time_point start_ = Clock::now();
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<SubtreeRunner> runner_;
  std::unique_ptr<RankServer> server_;
  explore::SharedSearch shared_;
  std::vector<std::string> threads_;
  SearchTotals totals_;
  std::vector<Performed> kept_;  // that showed something new
  std::map<uint64_t, Member> members_;
  uint64_t first_ = 0;   // a hash of the first execution
  uint64_t before_ = 0;  // the same, of the search that is resumed
  uint64_t subtrees_ = 0;
  uint64_t ranks_ = 0;
  uint64_t refused_ = 0;
  uint64_t lost_ = 0;
  std::optional<double> first_cut_;
  std::string stopped_by_;
  double told_ = 0;
  double saved_ = 0;
};

}  // namespace

bool HasSharedSearch(const std::string& folder) {
  std::error_code failure;
  return std::filesystem::exists(folder + kCheckpoint, failure);
}

Result<findings::Report> LeadExploration(const ExplorationOptions& options,
                                         const std::function<void(const ExplorationProgress&)>& tell) {
  return Leader(options, tell).Run();
}

}  // namespace heddle::analysis
