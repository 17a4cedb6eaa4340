#include <fmt/format.h>

#include <algorithm>

#include "trace/convert/location.h"
#include "trace/convert/std_text.h"

namespace heddle::trace {
namespace {

constexpr uint64_t kRangeStep = 4;         // a range becomes accesses this far apart,
constexpr uint64_t kMaxRange = 1U << 24U;  // as far as this

}  // namespace

// Imported locations are what they were; code addresses are numbered from 1 in order of first use.
int32_t StdSink::LocationOf(uint64_t pc) {
  if (std::optional<int32_t> location = LocationOfPc(source_->info(), pc)) return *location;
  if (pc == 0) return 0;
  return locations_.try_emplace(pc, static_cast<int32_t>(locations_.size() + 1)).first->second;
}

std::string StdSink::Object(char prefix, uint64_t address) const {
  auto found = source_->info().symbols.find(address);
  return found != source_->info().symbols.end() ? found->second : fmt::format("{}{:x}", prefix, address);
}

Status StdSink::Line(const Event& event, const char* op, const std::string& argument) {
  return out_->Append(
      fmt::format("{}|{}({})|{}\n", source_->info().ThreadId(event.thread), op, argument, LocationOf(event.pc)));
}

Status StdSink::Access(const Event& event) {
  const char* op = event.IsPlainWrite() ? "w" : "r";
  if (!IsRange(event.kind)) return Line(event, op, Object('V', event.address));
  uint64_t end = event.address + std::min(event.arg, kMaxRange);
  for (uint64_t at = event.address; at < end; at = at / kRangeStep * kRangeStep + kRangeStep) {
    if (Status line = Line(event, op, Object('V', at)); !line) return line;
  }
  return {};
}

// The format has no atomics: each is an access under a lock of its own, which orders it as the run did.
Status StdSink::Atomic(const Event& event) {
  std::string lock = Object('A', event.address);
  std::string variable = Object('V', event.address);
  bool reads = event.kind != Kind::AtomicStore;
  bool writes = event.kind == Kind::AtomicStore || event.kind == Kind::AtomicRmw ||
                (event.kind == Kind::AtomicCas && event.result != 0);
  (void)Line(event, "acq", lock);
  if (reads) (void)Line(event, "r", variable);
  if (writes) (void)Line(event, "w", variable);
  return Line(event, "rel", lock);
}

// Synchronisation that is not mutual exclusion: taking a lock and giving it back at once orders it in both directions.
Status StdSink::Pulse(const Event& event, const std::string& lock) {
  (void)Line(event, "acq", lock);
  return Line(event, "rel", lock);
}

Status StdSink::Sync(const Event& event) {
  switch (event.kind) {
    case Kind::Lock:
    case Kind::Unlock:
      if (LockDetail::Unpack(event.detail).shared) return Pulse(event, Object('L', event.address));
      return Line(event, event.kind == Kind::Lock ? "acq" : "rel", Object('L', event.address));
    case Kind::CondWait:
      return Line(event, "rel", Object('L', event.arg));
    case Kind::CondWake:
      (void)Line(event, "acq", Object('L', event.arg));
      return event.Succeeded() ? Pulse(event, Object('C', event.address)) : Status();
    case Kind::ThreadFork:
      return Line(event, "fork", source_->info().ThreadId(static_cast<uint32_t>(event.arg)));
    case Kind::ThreadJoin:
      return Line(event, "join", source_->info().ThreadId(static_cast<uint32_t>(event.arg)));
    case Kind::CondSignal:
    case Kind::CondBroadcast:
      return Pulse(event, Object('C', event.address));
    case Kind::BarrierEnter:
    case Kind::BarrierExit:
    case Kind::SemWait:
    case Kind::SemPost:
    case Kind::OnceEnd:
    case Kind::OncePass:
    case Kind::Acquire:
    case Kind::Release:
      return Pulse(event, Object('S', event.address));
    case Kind::FdRead:
    case Kind::FdWrite:
      return Pulse(event, fmt::format("F{}", event.address));
    default:
      ++left_out_;
      return {};
  }
}

Status StdSink::Add(const Event& event) {
  if (event.IsPlainRead() || event.IsPlainWrite()) return Access(event);
  if (event.kind == Kind::AtomicHigh) return {};  // the upper half of the atomic before it
  if (IsAtomic(event.kind)) return Atomic(event);
  // A wake has its mutex again however the wait ended; everything else that failed did not happen.
  if (!event.Succeeded() && event.kind != Kind::CondWake) {
    ++left_out_;
    return {};
  }
  return Sync(event);
}

}  // namespace heddle::trace
