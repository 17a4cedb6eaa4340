#include "analysis/target/live_program.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/duration.h"
#include "base/file.h"
#include "wire/environment.h"

namespace heddle::analysis {
namespace {

void Pause(long nanoseconds) {
  timespec pause{0, nanoseconds};
  nanosleep(&pause, nullptr);
}

}  // namespace

LiveProgram::LiveProgram(const LiveOptions& options)
    : seconds_(options.seconds), start_(MonotonicSeconds()), idle_(options.idle) {}

LiveProgram::~LiveProgram() {
  reader_.reset();
  child_.reset();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

// The buffers change all the time: in memory if there is such a folder, so that they never go to a disk.
Status LiveProgram::MakeFolder() {
  const char* chosen = std::getenv("TMPDIR");
  int error = ENOENT;
  for (const char* base : {"/dev/shm", chosen != nullptr && *chosen != '\0' ? chosen : "/tmp"}) {
    std::string pattern = fmt::format("{}/heddle-live-XXXXXX", base);
    if (mkdtemp(pattern.data()) != nullptr) {
      folder_ = pattern;
      return {};
    }
    error = errno;
  }
  return ErrnoError("temporary folder", error);
}

Result<std::unique_ptr<LiveProgram>> LiveProgram::Start(const LiveOptions& options) {
  std::unique_ptr<LiveProgram> program(new LiveProgram(options));
  if (Status status = program->MakeFolder(); !status) return status.error();
  ChildOptions child_options;
  child_options.environment = {
      Assign(wire::variable::kMode, "trace"), Assign(wire::variable::kTrace, program->folder_ + "/live"),
      Assign(wire::variable::kOptions, fmt::format("live=1:filter={}", options.every_access ? 0 : 1))};
  child_options.fixed_addresses = true;
  auto child = Child::Start(options.command, child_options);
  if (!child) return child.error();
  program->child_ = child.Take();
  Status opened = program->Open();
  if (opened) return program;
  if (opened.error().code != ErrorCode::kNotFound) return opened.error();
  return MakeError(
      ErrorCode::kUnsupported,
      fmt::format("{}: the program recorded nothing: it was not built with heddle cc", options.command[0]));
}

// The runtime creates the file when the program starts.
Status LiveProgram::Open() {
  for (;;) {
    bool running = !child_->Poll().has_value();  // asked before the file: one that has ended may have made it
    auto reader = trace::LiveReader::Open(folder_ + "/live", [this] { return Idle(); });
    if (reader) {
      reader_ = reader.Take();
      return {};
    }
    if (reader.error().code != ErrorCode::kNotFound || !running) return reader.error();
    if (seconds_ > 0 && MonotonicSeconds() - start_ > seconds_) {
      timed_out_ = true;
      child_->Stop();
      return reader.error();
    }
    Pause(200'000);
  }
}

// Short pauses first: a program that is busy has something new soon.
bool LiveProgram::Idle() {
  if (child_->Poll()) return false;
  idle_();
  if (seconds_ > 0 && MonotonicSeconds() - start_ > seconds_) {
    timed_out_ = true;
    reader_->Detach();
    return false;
  }
  Pause(++idle_turns_ % 64 < 32 ? 50'000 : 1'000'000);
  return true;
}

ChildEnd LiveProgram::Finish(bool stop) {
  reader_->Detach();
  return stop || timed_out_ ? child_->Stop() : child_->Wait(0);
}

}  // namespace heddle::analysis
