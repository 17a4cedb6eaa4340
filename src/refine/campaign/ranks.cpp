#include "refine/campaign/ranks.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <sstream>
#include <thread>

#include "base/file.h"
#include "refine/campaign/message.h"

namespace heddle::refine {
namespace {

bool SendLine(int fd, std::string line) {
  line += "\n";
  for (size_t sent = 0; sent < line.size();) {
    ssize_t n = send(fd, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    sent += static_cast<size_t>(n);
  }
  return true;
}

std::string HostName() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

struct Worker {
  int fd = -1;
  std::string input;
  SeedRange range;  // count 0: none
  bool waits = false;
};

class Leader {
 public:
  explicit Leader(const LeaderOptions& options) : options_(options) {}
  ~Leader() {
    for (Worker& worker : workers_) close(worker.fd);
    if (listener_ >= 0) close(listener_);
    std::error_code ignored;
    std::filesystem::remove(options_.address_file, ignored);
  }

  Status Run() {
    if (Status listening = Listen(); !listening) return listening;
    while (!Finished()) {
      if (Status turn = Turn(); !turn) return turn;
    }
    for (Worker& worker : workers_) SendLine(worker.fd, "stop");
    return {};
  }

 private:
  // All ranges handed out and done. Unfinished work of ranks that died is in returned_.
  bool Finished() {
    if (options_.stop && options_.stop()) return true;
    if (!exhausted_ || !returned_.empty()) return false;
    for (const Worker& worker : workers_) {
      if (worker.range.count > 0) return false;
    }
    return true;
  }

  Status Listen() {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = INADDR_ANY;
    socklen_t size = sizeof address;
    if (listener_ < 0 || bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        listen(listener_, 64) != 0 || getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      return ErrnoError("the leader's socket", errno);
    }
    return WriteFileAtomic(options_.address_file, fmt::format("{} {}\n", HostName(), ntohs(address.sin_port)));
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
    std::vector<pollfd> wait = {{listener_, POLLIN, 0}};
    for (const Worker& worker : workers_) wait.push_back({worker.fd, POLLIN, 0});
    int ready = poll(wait.data(), wait.size(), 1000);
    if (ready == 0 && workers_.empty()) return TestHere();
    if (ready <= 0) return {};
    for (size_t i = workers_.size(); i-- > 0;) {
      if (wait[i + 1].revents == 0) continue;
      Result<bool> alive = Read(workers_[i]);
      if (!alive) return alive.error();
      if (!*alive) Drop(i);
    }
    if (wait[0].revents != 0) {
      int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd >= 0) workers_.push_back({fd, "", {}, false});
      seen_ |= fd >= 0;
    }
    return Feed();
  }

  // Those who wait get what came back.
  Status Feed() {
    for (Worker& worker : workers_) {
      if (worker.waits && !returned_.empty()) Answer(worker);
    }
    return {};
  }

  // Nobody came for a while, or everybody died.
  Status TestHere() {
    if (!seen_ && ++quiet_ < 30) return {};
    SeedRange range = Next();
    return range.count == 0 ? Status{} : options_.test_here(range);
  }

  Result<bool> Read(Worker& worker) {
    char buffer[65536];
    ssize_t got = recv(worker.fd, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    worker.input.append(buffer, static_cast<size_t>(got));
    for (size_t end = worker.input.find('\n'); end != std::string::npos; end = worker.input.find('\n')) {
      std::string line = worker.input.substr(0, end);
      worker.input.erase(0, end + 1);
      if (line == "next") {
        Answer(worker);
      } else if (line.starts_with("done ")) {
        std::optional<RangeResult> result = DecodeResult(std::string_view(line).substr(5));
        if (!result || result->range.first != worker.range.first) return false;
        if (Status kept = options_.done(*result); !kept) return kept.error();
        worker.range = {};
      } else {
        return false;
      }
    }
    return worker.input.size() < (64U << 20);
  }

  void Answer(Worker& worker) {
    worker.range = Next();
    worker.waits = worker.range.count == 0;
    if (worker.waits) return;  // "stop" comes when everything is done: until then a range may come back
    SendLine(worker.fd, fmt::format("range {} {}", worker.range.first, worker.range.count));
  }

  void Drop(size_t index) {
    Worker& worker = workers_[index];
    if (worker.range.count > 0) returned_.push_back(worker.range);
    close(worker.fd);
    workers_.erase(workers_.begin() + static_cast<long>(index));
  }

  const LeaderOptions& options_;
  int listener_ = -1;
  std::vector<Worker> workers_;
  std::deque<SeedRange> returned_;
  bool exhausted_ = false;
  bool seen_ = false;
  int quiet_ = 0;
};

// The leader's address file may be that of an earlier campaign that was killed: connecting then fails, and we look
// again.
int Connect(const std::string& address_file, double seconds) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < deadline) {
    Result<std::string> text = ReadFile(address_file);
    std::istringstream in(text ? *text : "");
    std::string host;
    std::string port;
    if (in >> host >> port) {
      if (host == HostName()) host = "127.0.0.1";
      addrinfo hints{};
      hints.ai_family = AF_INET;
      hints.ai_socktype = SOCK_STREAM;
      addrinfo* found = nullptr;
      if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) == 0) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        bool connected = connect(fd, found->ai_addr, found->ai_addrlen) == 0;
        freeaddrinfo(found);
        if (connected) return fd;
        close(fd);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return -1;
}

// A line from the leader; empty when it is gone.
std::string ReadLine(int fd) {
  std::string line;
  char c = 0;
  while (recv(fd, &c, 1, 0) == 1) {
    if (c == '\n') return line;
    line += c;
  }
  return "";
}

}  // namespace

Rank RankOfProcess() {
  struct Names {
    const char* rank;
    const char* size;
  };
  for (Names names : {Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, Names{"PMI_RANK", "PMI_SIZE"},
                      Names{"SLURM_PROCID", "SLURM_NTASKS"}}) {
    const char* rank = std::getenv(names.rank);
    const char* size = std::getenv(names.size);
    if (rank != nullptr && size != nullptr) return {std::atoi(rank), std::max(1, std::atoi(size))};
  }
  return {};
}

Status Lead(const LeaderOptions& options) { return Leader(options).Run(); }

Status Work(const std::string& address_file, double seconds,
            const std::function<Result<RangeResult>(SeedRange)>& test) {
  int fd = Connect(address_file, seconds);
  if (fd < 0) {
    return MakeError(
        ErrorCode::kNotFound,
        fmt::format("the leader did not answer within {:.0f} s (its address is in {})", seconds, address_file));
  }
  Status status;
  while (SendLine(fd, "next")) {
    std::istringstream line(ReadLine(fd));
    std::string word;
    SeedRange range;
    if (!(line >> word) || word != "range" || !(line >> range.first >> range.count)) break;
    Result<RangeResult> result = test(range);
    if (!result) {
      status = result.error();
      break;
    }
    if (!SendLine(fd, "done " + EncodeResult(*result))) break;
  }
  close(fd);
  return status;
}

}  // namespace heddle::refine
