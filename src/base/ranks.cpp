#include "base/ranks.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>

#include "base/file.h"

extern char** environ;

namespace heddle {
namespace {

constexpr uint32_t kMostBytes = 1U << 30U;  // of one message: more is none of ours

// A message on the wire: its length, four bytes with the lowest first, then its bytes.
std::string Framed(std::string_view message) {
  auto length = static_cast<uint32_t>(message.size());
  std::string frame;
  frame.reserve(message.size() + 4);
  for (uint32_t shift = 0; shift < 32; shift += 8) frame += static_cast<char>(length >> shift & 0xFFU);
  frame += message;
  return frame;
}

enum class Taken : uint8_t { kMessage, kNothing, kBad };

bool Length(std::string_view input, uint32_t* length) {
  if (input.size() < 4) return false;
  *length = 0;
  for (uint32_t i = 0; i < 4; ++i) *length |= uint32_t{static_cast<uint8_t>(input[i])} << 8U * i;
  return true;
}

Taken TakeMessage(std::string& input, std::string& message) {
  uint32_t length = 0;
  if (!Length(input, &length)) return Taken::kNothing;
  if (length > kMostBytes) return Taken::kBad;
  if (input.size() - 4 < length) return Taken::kNothing;
  message = input.substr(4, length);
  input.erase(0, 4 + size_t{length});
  return Taken::kMessage;
}

std::string HostName() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

std::string RandomWord() {
  uint64_t bytes[2] = {};
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) bytes[0] = static_cast<uint64_t>(getpid());
  return fmt::format("{:016x}{:016x}", bytes[0], bytes[1]);
}

// Small messages go at once; a machine that is switched off is noticed after half a minute.
void Prepare(int fd) {
  int on = 1;
  int idle = 15;
  int interval = 5;
  int count = 3;
  unsigned unanswered = 30000;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered, sizeof unanswered);
}

int ConnectTo(std::string host, const std::string& port) {
  if (host == HostName()) host = "127.0.0.1";
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return -1;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool connected = fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) == 0;
  freeaddrinfo(found);
  if (connected) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

constexpr std::string_view kPrefixes[] = {"OMPI_",
                                          "PMIX_",
                                          "PMI_",
                                          "SLURM_",
                                          "PRTE_",
                                          "ORTE_",
                                          "MPI_LOCAL",
                                          "HWLOC_PLUGINS_PATH=",
                                          "HFI_NO_BACKTRACE=",
                                          "IPATH_NO_BACKTRACE=",
                                          "ZES_ENABLE_SYSMAN="};

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

std::string JobOfProcess() {
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "SLURM_JOB_ID"}) {
    const char* job = std::getenv(name);
    if (job == nullptr) continue;
    std::string text = job;
    std::replace_if(text.begin(), text.end(), [](char c) { return c == '/' || c == ' '; }, '-');
    return text;
  }
  return "";
}

void ForgetRank() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text = *entry;
    bool ours = std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                            [&](std::string_view prefix) { return text.starts_with(prefix); });
    if (ours) names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) unsetenv(name.c_str());
}

Result<std::unique_ptr<RankServer>> RankServer::Listen(const std::string& address_file) {
  std::unique_ptr<RankServer> server(new RankServer(address_file));
  if (Status open = server->Open(); !open) return open.error();
  return server;
}

RankServer::~RankServer() {
  for (auto& [name, member] : members_) close(member.fd);
  if (listener_ < 0) return;
  close(listener_);
  std::error_code ignored;
  std::filesystem::remove(address_file_, ignored);
}

Status RankServer::Open() {
  word_ = RandomWord();
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = INADDR_ANY;
  socklen_t size = sizeof address;
  if (listener_ < 0 || bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener_, 1024) != 0 || getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return ErrnoError("the leader's socket", errno);
  }
  return WriteFileAtomic(address_file_, fmt::format("{} {} {}\n", HostName(), ntohs(address.sin_port), word_));
}

void RankServer::Accept() {
  for (;;) {
    int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    Prepare(fd);
    Member member;
    member.fd = fd;
    members_.emplace(next_++, std::move(member));
  }
}

bool RankServer::Read(uint64_t name, Member& member, std::vector<Event>& events) {
  char buffer[65536];
  ssize_t got = recv(member.fd, buffer, sizeof buffer, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got <= 0) return false;
  member.input.append(buffer, static_cast<size_t>(got));
  std::string message;
  for (;;) {
    Taken taken = TakeMessage(member.input, message);
    if (taken != Taken::kMessage) return taken == Taken::kNothing;
    if (!member.known) {
      if (message != word_) return false;
      member.known = true;
      events.push_back({Event::kJoined, name, ""});
      continue;
    }
    bytes_ += message.size() + 4;
    ++messages_;
    events.push_back({Event::kMessage, name, message});
  }
}

bool RankServer::Write(Member& member) {
  while (!member.output.empty()) {
    ssize_t sent = send(member.fd, member.output.data(), member.output.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return true;
    if (sent <= 0) return false;
    member.output.erase(0, static_cast<size_t>(sent));
  }
  return true;
}

void RankServer::Drop(uint64_t name, std::vector<Event>& events) {
  auto member = members_.find(name);
  if (member->second.known) events.push_back({Event::kLeft, name, ""});
  close(member->second.fd);
  members_.erase(member);
}

std::vector<RankServer::Event> RankServer::Wait(int milliseconds) {
  std::vector<Event> events;
  std::vector<pollfd> wait = {{listener_, POLLIN, 0}};
  std::vector<uint64_t> names;
  for (const auto& [name, member] : members_) {
    auto interest = static_cast<short>(member.output.empty() ? POLLIN : POLLIN | POLLOUT);
    wait.push_back({member.fd, interest, 0});
    names.push_back(name);
  }
  if (poll(wait.data(), wait.size(), milliseconds) <= 0) return events;
  for (size_t i = 0; i < names.size(); ++i) {
    short what = wait[i + 1].revents;
    if (what == 0) continue;
    Member& member = members_.at(names[i]);
    bool alive = (what & POLLOUT) == 0 || Write(member);
    if (alive && (what & ~POLLOUT) != 0) alive = Read(names[i], member, events);
    if (!alive) Drop(names[i], events);
  }
  if (wait[0].revents != 0) Accept();
  return events;
}

void RankServer::Send(uint64_t name, std::string_view message) {
  auto member = members_.find(name);
  if (member == members_.end()) return;
  member->second.output += Framed(message);
  bytes_ += message.size() + 4;
  ++messages_;
  // One that is gone is noticed by Wait.
  (void)Write(member->second);
}

void RankServer::Flush(int milliseconds) {
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  auto unsent = [](const auto& entry) { return !entry.second.output.empty(); };
  while (std::any_of(members_.begin(), members_.end(), unsent) && std::chrono::steady_clock::now() < end) Wait(20);
}

// The address file may be that of an earlier leader that was killed: connecting then fails, and we look again.
Result<std::unique_ptr<RankClient>> RankClient::Connect(const std::string& address_file, double seconds) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < deadline) {
    Result<std::string> text = ReadFile(address_file);
    std::istringstream in(text ? *text : "");
    std::string host;
    std::string port;
    std::string word;
    int fd = in >> host >> port >> word ? ConnectTo(host, port) : -1;
    if (fd >= 0) {
      Prepare(fd);
      std::unique_ptr<RankClient> client(new RankClient(fd));
      if (client->Send(word)) return client;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return MakeError(ErrorCode::kNotFound, fmt::format("the leader did not answer within {:.0f} s (its address is in {})",
                                                     seconds, address_file));
}

RankClient::~RankClient() { close(fd_); }

bool RankClient::Send(std::string_view message) {
  std::string frame = Framed(message);
  for (size_t sent = 0; sent < frame.size();) {
    ssize_t n = send(fd_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    sent += static_cast<size_t>(n);
  }
  return true;
}

std::optional<std::string> RankClient::Receive(const std::function<bool()>& stop) {
  std::string message;
  for (;;) {
    Taken taken = TakeMessage(input_, message);
    if (taken == Taken::kMessage) return message;
    if (taken == Taken::kBad) return std::nullopt;
    char buffer[65536];
    ssize_t got = recv(fd_, buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR && !(stop && stop())) continue;
    if (got <= 0) return std::nullopt;
    input_.append(buffer, static_cast<size_t>(got));
  }
}

bool RankClient::Waiting() const {
  uint32_t length = 0;
  if (Length(input_, &length) && input_.size() - 4 >= length) return true;
  pollfd wait = {fd_, POLLIN, 0};
  return poll(&wait, 1, 0) > 0;
}

}  // namespace heddle
