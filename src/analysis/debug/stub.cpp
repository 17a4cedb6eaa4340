// The packets that gdb needs of a Linux program on x86-64, and the two for going backwards, bc and bs. Logical threads
// are gdb's threads: number 1 is T0. Only the one that runs can be changed.
#include "analysis/debug/stub.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "base/file.h"

namespace heddle::analysis {
namespace {

constexpr const char* kOk = "OK";
constexpr const char* kFailed = "E01";
constexpr size_t kPacketBytes = 0x4000;

void Send(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t sent = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

// gdb numbers signals in its own way; these are the ones that differ from Linux on x86-64.
int GdbSignal(int signal) {
  switch (signal) {
    case SIGBUS:
      return 10;
    case SIGUSR1:
      return 30;
    case SIGUSR2:
      return 31;
    case SIGCHLD:
      return 20;
    case SIGCONT:
      return 19;
    case SIGSTOP:
      return 17;
    default:
      return signal;
  }
}

int LinuxSignal(uint64_t signal) {
  for (int own = 1; own < 32; ++own) {
    if (static_cast<uint64_t>(GdbSignal(own)) == signal) return own;
  }
  return 0;
}

}  // namespace

DebugStub::DebugStub(const Launch& launch, std::function<void(std::string_view)> show)
    : launch_(launch), show_(std::move(show)), timeline_([this]() -> Result<std::unique_ptr<Execution>> {
        Result<std::unique_ptr<LiveExecution>> started = LiveExecution::Start(launch_);
        if (!started) return started.error();
        return std::unique_ptr<Execution>(started.Take());
      }) {}

Status DebugStub::Begin() {
  Status started = timeline_.Restart();
  if (!started) return started;
  if (uint64_t finding = now().view().at_finding(); finding != 0) timeline_.SetBreakpoints({finding});
  last_ = timeline_.Continue(0);
  timeline_.SetBreakpoints({});
  ShowOutput();
  return {};
}

// A new run prints the same from the beginning; what is behind the part that was shown is new.
void DebugStub::ShowOutput() {
  Result<std::string> text = ReadFile(launch_.output);
  if (!text || text->size() <= shown_) return;
  show_(std::string_view(*text).substr(shown_));
  shown_ = text->size();
}

void DebugStub::Serve(int connection) {
  connection_ = connection;
  bool over = false;
  bool silent = false;  // no acknowledgements any more
  char buffer[4096];
  while (!over) {
    bool bad = false;
    std::optional<std::string> packet = reader_.Next(bad);
    if (bad) Send(connection, "-");
    if (!packet && !bad) {
      ssize_t got = read(connection, buffer, sizeof buffer);
      if (got <= 0) return;
      reader_.Feed({buffer, static_cast<size_t>(got)});
    }
    if (!packet) continue;
    if (!silent) Send(connection, "+");
    if (*packet == "QStartNoAckMode") silent = true;
    Send(connection, FramePacket(Answer(*packet, over)));
  }
}

std::string DebugStub::Answer(std::string_view packet, bool& over) {
  if (packet.empty()) return "";
  std::string_view rest = packet.substr(1);
  switch (packet[0]) {
    case '?':
      return StopText(last_);
    case 'q':
    case 'Q':
      return Query(packet);
    case 'g':
      return ReadRegisters();
    case 'G':
      return WriteRegisters(rest);
    case 'p':
      return OneRegister(rest, false);
    case 'P':
      return OneRegister(rest, true);
    case 'm':
      return ReadMemory(rest);
    case 'M':
      return WriteMemory(rest);
    case 'Z':
    case 'z':
      return ChangeStop(packet);
    case 'H': {
      std::string_view number = rest.substr(std::min<size_t>(1, rest.size()));
      std::optional<uint64_t> chosen = TakeHex(number);
      if (rest.starts_with("g")) selected_ = chosen.value_or(0);
      return kOk;
    }
    case 'T':
      return ThreadName(rest).empty() ? kFailed : kOk;
    case 'c':
    case 's':
    case 'C':
    case 'S':
      return Resume(packet);
    case 'b':
      return packet == "bc" || packet == "bs" ? Backwards(packet == "bs") : "";
    case 'D':
    case 'k':
      over = true;
      return kOk;
    default:
      return "";
  }
}

std::string DebugStub::Query(std::string_view packet) {
  if (packet.starts_with("qSupported")) {
    return fmt::format(
        "PacketSize={:x};qXfer:features:read+;qXfer:auxv:read+;QStartNoAckMode+;ReverseStep+;ReverseContinue+;"
        "swbreak-;hwbreak-",
        kPacketBytes);
  }
  constexpr std::string_view kFeatures = "qXfer:features:read:target.xml:";
  constexpr std::string_view kAuxv = "qXfer:auxv:read::";
  constexpr std::string_view kExtra = "qThreadExtraInfo,";
  if (packet == "QStartNoAckMode") return kOk;
  if (packet.starts_with(kFeatures)) return Transfer(TargetDescription(), packet.substr(kFeatures.size()));
  if (packet.starts_with(kAuxv)) return Transfer(now().program().Auxv(), packet.substr(kAuxv.size()));
  if (packet == "qAttached") return "0";
  if (packet == "qC") return fmt::format("QC{:x}", Selected().number + 1);
  if (packet == "qfThreadInfo") return ThreadList();
  if (packet == "qsThreadInfo") return "l";
  if (packet.starts_with(kExtra)) return HexOf(ThreadName(packet.substr(kExtra.size())));
  if (packet.starts_with("qSymbol")) return kOk;
  return "";
}

std::string DebugStub::Transfer(const std::string& content, std::string_view range) {
  std::optional<uint64_t> offset = TakeHex(range);
  if (!offset || range.empty()) return kFailed;
  range.remove_prefix(1);
  uint64_t most = std::min<uint64_t>(TakeHex(range).value_or(0), kPacketBytes / 2);
  if (*offset >= content.size()) return "l";
  std::string part = content.substr(*offset, most);
  return (*offset + part.size() < content.size() ? "m" : "l") + part;
}

LogicalThread DebugStub::Selected() {
  std::vector<LogicalThread> threads = now().view().Threads(now().program());
  for (const LogicalThread& thread : threads) {
    if (selected_ == thread.number + 1U) return thread;
  }
  for (const LogicalThread& thread : threads) {
    if (thread.running) return thread;
  }
  return {0, 0, "T0", true};
}

std::string DebugStub::ThreadList() {
  std::string text;
  for (const LogicalThread& thread : now().view().Threads(now().program())) {
    text += fmt::format("{}{:x}", text.empty() ? "m" : ",", thread.number + 1);
  }
  return text.empty() ? "m1" : text;
}

std::string DebugStub::ThreadName(std::string_view rest) {
  uint64_t number = TakeHex(rest).value_or(0);
  for (const LogicalThread& thread : now().view().Threads(now().program())) {
    if (thread.number + 1U == number) return thread.name + (thread.running ? ", has the turn" : "");
  }
  return number == 1 ? "T0" : "";
}

std::string DebugStub::ReadRegisters() {
  return HexOf(RegisterBytes(now().view().RegistersOf(now().program(), Selected())));
}

std::string DebugStub::WriteRegisters(std::string_view rest) {
  if (!Selected().running) return kFailed;
  Registers registers = now().program().GetRegisters();
  std::optional<std::string> bytes = BytesOfHex(rest);
  if (!bytes || !SetRegisterBytes(*bytes, registers)) return kFailed;
  return now().program().SetRegisters(registers) ? kOk : kFailed;
}

std::string DebugStub::OneRegister(std::string_view rest, bool write) {
  std::optional<uint64_t> number = TakeHex(rest);
  size_t offset = 0;
  size_t bytes = 0;
  if (!number || !RegisterSpan(static_cast<unsigned>(*number), offset, bytes)) return kFailed;
  LogicalThread thread = Selected();
  Registers registers = now().view().RegistersOf(now().program(), thread);
  std::string all = RegisterBytes(registers);
  if (!write) return HexOf(std::string_view(all).substr(offset, bytes));
  std::optional<std::string> value = rest.empty() ? std::nullopt : BytesOfHex(rest.substr(1));
  if (!value || value->size() != bytes || !thread.running) return kFailed;
  all.replace(offset, bytes, *value);
  return SetRegisterBytes(all, registers) && now().program().SetRegisters(registers) ? kOk : kFailed;
}

std::string DebugStub::ReadMemory(std::string_view rest) {
  std::optional<uint64_t> address = TakeHex(rest);
  if (!address || rest.empty()) return kFailed;
  rest.remove_prefix(1);
  std::string bytes(std::min<uint64_t>(TakeHex(rest).value_or(0), kPacketBytes / 2), '\0');
  size_t got = now().program().Read(*address, bytes.data(), bytes.size());
  return got == 0 ? kFailed : HexOf(std::string_view(bytes).substr(0, got));
}

std::string DebugStub::WriteMemory(std::string_view rest) {
  std::optional<uint64_t> address = TakeHex(rest);
  size_t colon = rest.find(':');
  if (!address || colon == std::string_view::npos) return kFailed;
  std::optional<std::string> bytes = BytesOfHex(rest.substr(colon + 1));
  return bytes && now().program().Write(*address, bytes->data(), bytes->size()) ? kOk : kFailed;
}

// Z or z, kind, address, size: 0 a breakpoint, 2 a watched write, 4 a watched access.
std::string DebugStub::ChangeStop(std::string_view packet) {
  bool insert = packet[0] == 'Z';
  char kind = packet.size() > 3 ? packet[1] : '?';
  std::string_view rest = packet.substr(std::min<size_t>(3, packet.size()));
  std::optional<uint64_t> address = TakeHex(rest);
  if (!address || rest.empty() || (kind != '0' && kind != '2' && kind != '4')) return "";
  rest.remove_prefix(1);
  uint64_t bytes = TakeHex(rest).value_or(0);
  if (kind == '0') {
    insert ? static_cast<void>(breakpoints_.insert(*address)) : static_cast<void>(breakpoints_.erase(*address));
    timeline_.SetBreakpoints(breakpoints_);
    return kOk;
  }
  bool possible = (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && *address % bytes == 0;
  if (!possible) return "";
  std::set<Watch> wanted = watches_;
  Watch watch{*address, bytes, kind == '4'};
  insert ? static_cast<void>(wanted.insert(watch)) : static_cast<void>(wanted.erase(watch));
  if (!timeline_.SetWatches(wanted)) return kFailed;
  watches_ = wanted;
  return kOk;
}

std::string DebugStub::Resume(std::string_view packet) {
  std::string_view rest = packet.substr(1);
  bool with_signal = packet[0] == 'C' || packet[0] == 'S';
  int signal = with_signal ? LinuxSignal(TakeHex(rest).value_or(0)) : 0;
  bool step = packet[0] == 's' || packet[0] == 'S';
  selected_ = 0;
  now().program().OnWait([this] {
    pollfd wait{connection_, POLLIN, 0};
    char buffer[256];
    if (poll(&wait, 1, 0) <= 0) return false;
    ssize_t got = read(connection_, buffer, sizeof buffer);
    if (got <= 0) return true;
    reader_.Feed({buffer, static_cast<size_t>(got)});
    return reader_.TakeInterrupt();
  });
  last_ = step ? timeline_.Step(signal) : timeline_.Continue(signal);
  ShowOutput();
  return StopText(last_);
}

std::string DebugStub::Backwards(bool step) {
  selected_ = 0;
  Result<Timeline::Back> back = step ? timeline_.ReverseStep() : timeline_.ReverseContinue();
  ShowOutput();
  if (!back) {
    show_("heddle: " + back.error().message + "\n");
    return kFailed;
  }
  last_ = back->stop;
  return StopText(last_, back->begin ? "replaylog:begin;" : "");
}

std::string DebugStub::StopText(const Stop& stop, std::string_view extra) {
  if (stop.kind == Stop::Kind::kGone) {
    return stop.signal == 0 ? "W00" : fmt::format("X{:02x}", GdbSignal(stop.signal));
  }
  int signal = stop.kind == Stop::Kind::kSignal || stop.kind == Stop::Kind::kInterrupt ? stop.signal : SIGTRAP;
  std::string text = fmt::format("T{:02x}thread:{:x};{}", GdbSignal(signal), Selected().number + 1, extra);
  if (stop.kind == Stop::Kind::kEnd) text += "replaylog:end;";
  if (stop.kind == Stop::Kind::kWatch) text += fmt::format("watch:{:x};", stop.address);
  return text;
}

}  // namespace heddle::analysis
