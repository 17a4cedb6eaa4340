#include "trace/print.h"

#include <fmt/format.h>

#include <iterator>

namespace heddle::trace {
namespace {

std::string Operands(const Event& event, const TraceInfo& info) {
  switch (event.kind) {
    case Kind::ThreadFork:
    case Kind::ThreadForkFailed:
    case Kind::ThreadJoin:
    case Kind::ThreadDetach:
      return info.ThreadId(static_cast<uint32_t>(event.arg));
    case Kind::ThreadBegin:
      return fmt::format("stack={:#x}+{}", event.address, event.arg);
    case Kind::ThreadEnd:
    case Kind::Fence:
      return "";
    case Kind::Alloc:
    case Kind::Map:
    case Kind::Unmap:
      return fmt::format("{:#x} {}", event.address, event.arg);
    case Kind::CondWait:
      return fmt::format("{:#x} mutex={:#x}", event.address, event.arg);
    case Kind::CondWake:
      return fmt::format("{:#x} mutex={:#x} signal={}", event.address, event.arg, event.arg2);
    case Kind::BarrierInit:
    case Kind::SemInit:
      return fmt::format("{:#x} {}", event.address, event.arg);
    case Kind::BarrierExit:
      return fmt::format("{:#x}{}", event.address, event.arg != 0 ? " serial" : "");
    case Kind::FutexWait:
    case Kind::FutexWake:
      return fmt::format("{:#x} {}", event.address, event.arg);
    case Kind::AtomicLoad:
    case Kind::AtomicStore:
      return fmt::format("{:#x} {} value={}", event.address, event.detail, event.arg);
    case Kind::AtomicRmw:
      return fmt::format("{:#x} {} {} {}->{}", event.address, event.detail, RmwOpName(event.result), event.arg,
                         event.arg2);
    case Kind::AtomicCas:
      return fmt::format("{:#x} {} {}{}->{}", event.address, event.detail, event.result != 0 ? "" : "failed ",
                         event.arg, event.arg2);
    case Kind::AtomicHigh:
      return fmt::format("{:#x} high={} {}", event.address, event.arg, event.arg2);
    case Kind::FdRead:
    case Kind::FdWrite:
    case Kind::FdOpen:
    case Kind::FdClose:
      return fmt::format("fd={} {}", event.address, event.arg);
    case Kind::User: {
      auto name = info.strings.find(event.arg);
      std::string text = name == info.strings.end() ? "?" : name->second;
      text += fmt::format(" {}", static_cast<int64_t>(event.arg2));
      if (event.arg3 != 0) text += fmt::format(" {}", static_cast<int64_t>(event.arg3));
      return text;
    }
    case Kind::UserMore:
      return fmt::format("#{} {} {}", event.arg, static_cast<int64_t>(event.arg2), static_cast<int64_t>(event.arg3));
    case Kind::ProcessFork:
    case Kind::ProcessExit:
    case Kind::SignalBegin:
    case Kind::SignalEnd:
      return fmt::format("{}", event.arg);
    case Kind::ProcessExec:
      return "";
    default:
      break;
  }
  uint64_t bytes = event.AccessBytes();
  return bytes != 0 ? fmt::format("{:#x} {}", event.address, bytes) : fmt::format("{:#x}", event.address);
}

std::string LockWords(const Event& event) {
  static constexpr std::string_view kClasses[] = {"mutex", "rwlock", "spin", "annotated"};
  static constexpr std::string_view kManners[] = {"", " try", " timed", ""};
  LockDetail detail = LockDetail::Unpack(event.detail);
  return fmt::format(" {}{}{}", kClasses[static_cast<int>(detail.lock_class)], detail.shared ? " shared" : "",
                     kManners[static_cast<int>(detail.manner)]);
}

bool HasOutcome(Kind kind) {
  return IsOrdered(kind) && !IsAtomic(kind) && kind != Kind::OrderedRead && kind != Kind::OrderedWrite;
}

}  // namespace

std::string PrintEvent(const Event& event, const TraceInfo& info) {
  std::string line;
  auto out = std::back_inserter(line);
  if (event.sequence != 0) {
    fmt::format_to(out, "{:>8} ", event.sequence);
  } else {
    line += "         ";
  }
  fmt::format_to(out, "{:<5} {}", info.ThreadId(event.thread), KindName(event.kind));
  if (event.kind >= Kind::LockInit && event.kind <= Kind::Unlock) line += LockWords(event);
  if (std::string operands = Operands(event, info); !operands.empty()) line += " " + operands;
  if (IsAtomic(event.kind) || event.kind == Kind::Fence) fmt::format_to(out, " {}", OrderName(event.order));
  if (HasOutcome(event.kind) && event.result != 0) fmt::format_to(out, " {}", OutcomeName(event.result));
  if (event.pc != 0) fmt::format_to(out, "  pc={:#x}", event.pc);
  return line;
}

}  // namespace heddle::trace
