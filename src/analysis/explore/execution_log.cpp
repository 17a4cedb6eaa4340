// A record: Head, the execution's new events, what was pending, options, notes, new names of threads. Of an event the
// words that are not zero are written, behind two bytes that say which these are: about half.
#include "analysis/explore/execution_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace heddle::analysis {
namespace {

using Events = std::vector<wire::ExploredEvent>;
constexpr char kMagic[] = "heddle-search 3\n";
constexpr uint32_t kMostInRecord = 1U << 20U;  // of anything in one record: more is no record

bool Same(const wire::ExploredEvent& a, const wire::ExploredEvent& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

template <typename T>
bool Put(FILE* file, const T* values, size_t count) {
  return count == 0 || std::fwrite(values, sizeof(T), count, file) == count;
}
template <typename T>
bool Get(FILE* file, std::vector<T>& values, size_t from, size_t count) {
  values.resize(from + count);
  return count == 0 || std::fread(values.data() + from, sizeof(T), count, file) == count;
}

constexpr size_t kEventWords = sizeof(wire::ExploredEvent) / sizeof(uint64_t);
constexpr size_t kMaskBytes = sizeof(uint16_t);
static_assert(sizeof(wire::ExploredEvent) % sizeof(uint64_t) == 0 && kEventWords <= 16);

// Writes the event to `at`, where there is room for kMaskBytes and the whole event; returns the bytes.
size_t PackEvent(const wire::ExploredEvent& event, char* at) {
  uint64_t words[kEventWords];
  std::memcpy(words, &event, sizeof event);
  uint32_t mask = 0;
  char* next = at + kMaskBytes;
  for (size_t i = 0; i < kEventWords; ++i) {
    std::memcpy(next, &words[i], sizeof(uint64_t));  // the next one takes its place when it is zero
    next += words[i] != 0 ? sizeof(uint64_t) : 0;
    mask |= (words[i] != 0 ? 1U : 0U) << i;
  }
  auto written = static_cast<uint16_t>(mask);
  std::memcpy(at, &written, sizeof written);
  return static_cast<size_t>(next - at);
}

}  // namespace

struct ExecutionLog::Head {
  uint32_t common;  // events that are the last execution's
  uint32_t events;  // behind them
  uint32_t pending;
  uint32_t options;
  uint32_t notes;
  uint32_t threads;  // new ones
  int32_t signal;
  int32_t code;
  uint32_t mixed_sizes;
  uint64_t crash;  // the events before it, plus one; 0: none
  uint8_t end;
  uint8_t spins;
  uint8_t hangs;
  uint8_t timeouts_cut;
  uint8_t unused[4];
};

Result<std::unique_ptr<ExecutionLog>> ExecutionLog::Create(const std::string& path, const SearchIdentity& identity) {
  FILE* file = std::fopen(path.c_str(), "wbe");
  if (file == nullptr) return MakeError(ErrorCode::kIo, fmt::format("{}: cannot be written", path));
  std::unique_ptr<ExecutionLog> log(new ExecutionLog(file));
  constexpr size_t kBuffer = size_t{1} << 18U;  // some hundred executions
  log->buffer_.resize(kBuffer);
  std::setvbuf(file, log->buffer_.data(), _IOFBF, kBuffer);
  auto bytes = static_cast<uint32_t>(identity.text.size());
  bool written = Put(file, kMagic, sizeof kMagic - 1) && Put(file, &bytes, 1) && Put(file, identity.text.data(), bytes);
  if (!written) return MakeError(ErrorCode::kIo, fmt::format("{}: cannot be written", path));
  return log;
}

Result<std::unique_ptr<ExecutionLog>> ExecutionLog::Open(const std::string& path, const SearchIdentity& identity) {
  FILE* file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) return MakeError(ErrorCode::kNotFound, fmt::format("{}: no search was stopped there", path));
  std::unique_ptr<ExecutionLog> log(new ExecutionLog(file));
  std::vector<char> magic;
  std::vector<uint32_t> bytes;
  std::vector<char> text;
  bool known = Get(file, magic, 0, sizeof kMagic - 1) && std::equal(magic.begin(), magic.end(), kMagic) &&
               Get(file, bytes, 0, 1) && bytes[0] < kMostInRecord && Get(file, text, 0, bytes[0]);
  if (!known) return MakeError(ErrorCode::kBadInput, fmt::format("{}: not the state of a search", path));
  if (std::string(text.begin(), text.end()) != identity.text) {
    return MakeError(ErrorCode::kUsage, fmt::format("{}: the search was another one; then:\n{}now:\n{}", path,
                                                    std::string(text.begin(), text.end()), identity.text));
  }
  return log;
}

ExecutionLog::~ExecutionLog() { std::fclose(file_); }

bool ExecutionLog::PutEvents(const wire::ExploredEvent* events, size_t count) {
  packed_.resize(count * (kMaskBytes + sizeof(wire::ExploredEvent)));
  size_t used = 0;
  for (size_t i = 0; i < count; ++i) used += PackEvent(events[i], packed_.data() + used);
  bytes_ += used;
  return Put(file_, packed_.data(), used);
}

bool ExecutionLog::GetEvents(Events& events, size_t from, size_t count) {
  events.resize(from);
  for (size_t i = 0; i < count; ++i) {
    uint16_t mask = 0;
    if (std::fread(&mask, sizeof mask, 1, file_) != 1 || mask >> kEventWords != 0) return false;
    uint64_t words[kEventWords] = {};
    for (size_t w = 0; w < kEventWords; ++w) {
      if ((mask >> w & 1U) != 0 && std::fread(&words[w], sizeof(uint64_t), 1, file_) != 1) return false;
    }
    std::memcpy(&events.emplace_back(), words, sizeof words);
  }
  return true;
}

Status ExecutionLog::Append(const Performed& performed, const std::vector<std::string>& threads, bool timeouts_cut,
                            bool mixed_sizes) {
  const Events& events = performed.execution.events;
  Events& before = last_.performed.execution.events;
  auto apart = std::mismatch(events.begin(), events.end(), before.begin(), before.end(), Same).first;
  auto common = static_cast<uint32_t>(apart - events.begin());
  size_t known = last_.threads.size();
  Head head{common,
            static_cast<uint32_t>(events.size()) - common,
            static_cast<uint32_t>(performed.execution.pending.size()),
            static_cast<uint32_t>(performed.execution.options.size()),
            static_cast<uint32_t>(performed.notes.size()),
            static_cast<uint32_t>(threads.size() - known),
            performed.signal,
            performed.code,
            mixed_sizes ? 1U : 0U,
            performed.crash ? *performed.crash + 1 : 0,
            static_cast<uint8_t>(performed.execution.end),
            performed.spins,
            performed.hangs,
            timeouts_cut,
            {}};
  bool written = Put(file_, &head, 1) && PutEvents(events.data() + common, head.events) &&
                 PutEvents(performed.execution.pending.data(), head.pending) &&
                 Put(file_, performed.execution.options.data(), head.options) &&
                 Put(file_, performed.notes.data(), head.notes);
  bytes_ += sizeof head + head.options * sizeof(uint32_t) + head.notes * sizeof(wire::LinkNote);
  for (size_t i = known; i < threads.size(); ++i) {
    char name[64] = {};
    threads[i].copy(name, sizeof name - 1);
    written = written && Put(file_, name, sizeof name);
    last_.threads.push_back(threads[i]);
  }
  before.erase(before.begin() + common, before.end());
  before.insert(before.end(), apart, events.end());
  if (!written) return MakeError(ErrorCode::kIo, "the state of the search cannot be written: the disk is full?");
  return {};
}

std::optional<LoggedExecution> ExecutionLog::Read() {
  std::vector<Head> heads;
  if (!Get(file_, heads, 0, 1)) return std::nullopt;
  const Head& head = heads[0];
  Events& events = last_.performed.execution.events;
  bool possible = head.common <= events.size() && head.events < kMostInRecord && head.pending <= wire::kMaxSampled &&
                  head.options <= wire::kLinkOptions && head.notes <= wire::kLinkNotes &&
                  head.threads <= wire::kMaxSampled;
  std::vector<char> names;
  bool read = possible && GetEvents(events, head.common, head.events) &&
              GetEvents(last_.performed.execution.pending, 0, head.pending) &&
              Get(file_, last_.performed.execution.options, 0, head.options) &&
              Get(file_, last_.performed.notes, 0, head.notes) && Get(file_, names, 0, size_t{head.threads} * 64);
  if (!read) return std::nullopt;
  for (uint32_t i = 0; i < head.threads; ++i) {
    const char* name = names.data() + size_t{i} * 64;
    last_.threads.emplace_back(name, strnlen(name, 63));
  }
  last_.performed.signal = head.signal;
  last_.performed.code = head.code;
  last_.performed.crash = head.crash == 0 ? std::nullopt : std::optional(head.crash - 1);
  last_.mixed_sizes = head.mixed_sizes != 0;
  last_.performed.execution.end = static_cast<explore::End>(head.end);
  last_.performed.spins = head.spins != 0;
  last_.performed.hangs = head.hangs != 0;
  last_.timeouts_cut = head.timeouts_cut != 0;
  return last_;
}

Status ExecutionLog::Flush() {
  if (std::fflush(file_) == 0) return {};
  return MakeError(ErrorCode::kIo, "the state of the search cannot be written: the disk is full?");
}

}  // namespace heddle::analysis
