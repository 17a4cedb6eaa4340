// A rank that explores what the leader gives it.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "analysis/explore/rank_message.h"
#include "analysis/explore/ranked_exploration.h"
#include "analysis/explore/search_coverage.h"
#include "analysis/target/interrupt.h"
#include "base/file.h"
#include "base/ranks.h"

namespace heddle::analysis {
namespace {

constexpr double kSecondsToFindLeader = 60;

// A folder for the program's own files, on this machine.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code failure;
    std::string name = (std::filesystem::temp_directory_path(failure) / "heddle-rank-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Follower {
 public:
  explicit Follower(const ExplorationOptions& options) : options_(options) {}

  Status Run() {
    if (scratch_.path().empty()) return MakeError(ErrorCode::kIo, "no folder for temporary files");
    ExecutorOptions executor;
    executor.program = options_.target;
    executor.target = TargetOf(options_);
    executor.target.folder = scratch_.path();
    executor.agree = [this](const std::vector<std::string>& names) { return Agree(names); };
    Result<std::unique_ptr<Executor>> started = Executor::Start(executor);
    if (!started) return started.error();
    executor_ = started.Take();
    Result<std::unique_ptr<RankClient>> client = RankClient::Connect(options_.address_file, kSecondsToFindLeader);
    if (!client) return client.error();
    client_ = client.Take();
    Interrupt interrupt;
    SubtreeRunner runner(*executor_, options_.only_races);
    RankMessage hello = Message("hello", static_cast<uint64_t>(options_.rank));
    hello.first = static_cast<uint64_t>(getpid());
    if (!Send(hello)) return {};
    while (!Interrupt::Came()) {
      std::optional<RankMessage> message = Receive();
      if (!message || message->is == "stop") return {};
      Status done = message->is == "welcome"   ? Compare(*message)
                    : message->is == "subtree" ? Explore(*message, runner)
                                               : Status{};
      if (!done || left_) return done;
    }
    return {};
  }

 private:
  static RankMessage Message(const char* is, uint64_t number) {
    RankMessage message;
    message.is = is;
    message.number = number;
    return message;
  }
  bool Send(const RankMessage& message) { return client_->Send(EncodeMessage(message)); }
  std::optional<RankMessage> Receive() {
    std::optional<std::string> text = client_->Receive([] { return Interrupt::Came(); });
    return text ? DecodeMessage(*text) : std::nullopt;
  }

  // The search is one only if the program does the same everywhere.
  Status Compare(const RankMessage& welcome) {
    RankMessage answer = Message("differs", 0);
    executor_->UseThreads(welcome.threads);
    Result<Performed> first = executor_->Perform({});
    if (!first) return first.error();
    if (welcome.text != IdentityOf(options_).text) answer.text = "another program or other options";
    if (HashOf(*first) != welcome.first) answer.text = "the program's first execution is another one";
    left_ = !answer.text.empty();
    if (!left_) answer.is = "ready";
    Send(answer);
    return {};
  }

  Status Explore(RankMessage& message, SubtreeRunner& runner) {
    executor_->UseThreads(message.threads);
    name_ = message.number;
    back_ = false;
    Result<SubtreeResult> result = runner.Run(std::move(message.subtree), [this] { return MustGiveBack(); });
    if (left_) return {};
    if (!result) return result.error();
    RankMessage answer = Message("result", name_);
    answer.threads = executor_->threads();
    answer.result = result.Take();
    left_ = !Send(answer);
    return {};
  }

  bool MustGiveBack() {
    while (!left_ && client_->Waiting()) Hear(Receive());
    return back_ || left_ || Interrupt::Came();
  }

  // What comes while a subtree is explored.
  void Hear(const std::optional<RankMessage>& message) {
    left_ = left_ || !message || message->is == "stop";
    back_ = back_ || (message && message->is == "back" && message->number == name_);
  }

  // The leader says which numbers new threads have.
  Result<std::vector<std::string>> Agree(const std::vector<std::string>& names) {
    if (client_ == nullptr) return names;
    RankMessage ask = Message("names", 0);
    ask.threads = names;
    left_ = left_ || !Send(ask);
    while (!left_) {
      std::optional<RankMessage> answer = Receive();
      if (answer && answer->is == "threads") return answer->threads;
      Hear(answer);
    }
    return MakeError(ErrorCode::kLimit, "the leader is gone");
  }

  const ExplorationOptions& options_;
  ScratchFolder scratch_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<RankClient> client_;
  uint64_t name_ = 0;  // of the subtree
  bool back_ = false;  // it is asked for
  bool left_ = false;  // nothing more to do here
};

}  // namespace

Status FollowExploration(const ExplorationOptions& options) { return Follower(options).Run(); }

}  // namespace heddle::analysis
