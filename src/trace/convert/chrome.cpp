#include "trace/convert/chrome.h"

#include <fmt/format.h>

#include "base/json.h"

namespace heddle::trace {
namespace {

constexpr double kPointLength = 0.5;  // of what takes no time: arrows need a slice to start and end at

}  // namespace

void ChromeSink::Put(std::string_view json) {
  (void)out_->Append(first_ ? "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" : ",\n");
  first_ = false;
  (void)out_->Append(json);
}

std::string ChromeSink::ObjectName(uint64_t address) const {
  auto found = source_->info().symbols.find(address);
  return found != source_->info().symbols.end() ? found->second : fmt::format("{:#x}", address);
}

std::string ChromeSink::Arguments(const Event& event) {
  Location location = locate_(event.pc);
  std::string where = location.file.empty() ? location.function : fmt::format("{}:{}", location.file, location.line);
  std::string both = location.file.empty() || location.function.empty() ? where : where + " " + location.function;
  return fmt::format(R"({{"address":"{:#x}","at":{}}})", event.address, JsonQuote(both));
}

void ChromeSink::Begin(const Event& event, const char* verb, uint64_t object, bool wait) {
  Slice slice{fmt::format("{} {}", verb, ObjectName(object)), object, wait};
  Put(fmt::format(R"({{"ph":"B","pid":{},"tid":{},"ts":{},"name":{},"cat":"{}","args":{}}})", source_->info().pid,
                  event.thread, event.sequence, JsonQuote(slice.name), wait ? "wait" : "lock", Arguments(event)));
  tracks_[event.thread].open.push_back(std::move(slice));
}

void ChromeSink::End(const Event& event, uint64_t object, bool wait) {
  std::vector<Slice>& open = tracks_[event.thread].open;
  size_t at = open.size();
  while (at > 0 && (open[at - 1].object != object || open[at - 1].wait != wait)) --at;
  if (at == 0) return;
  for (size_t i = open.size(); i >= at; --i) {
    Put(fmt::format(R"({{"ph":"E","pid":{},"tid":{},"ts":{}}})", source_->info().pid, event.thread, event.sequence));
  }
  open.erase(open.begin() + static_cast<std::ptrdiff_t>(at - 1));
  for (size_t i = at - 1; i < open.size(); ++i) {
    Put(fmt::format(R"({{"ph":"B","pid":{},"tid":{},"ts":{},"name":{},"cat":"{}"}})", source_->info().pid, event.thread,
                    event.sequence, JsonQuote(open[i].name), open[i].wait ? "wait" : "lock"));
  }
}

void ChromeSink::Point(const Event& event) {
  std::string name(KindName(event.kind));
  if (event.kind == Kind::User) {
    auto text = source_->info().strings.find(event.arg);
    name = text == source_->info().strings.end() ? "user" : text->second;
  } else if (event.kind == Kind::ThreadFork || event.kind == Kind::ThreadJoin) {
    name += " " + source_->info().ThreadId(static_cast<uint32_t>(event.arg));
  } else if (event.address != 0) {
    name += " " + ObjectName(event.address);
  }
  if (event.result != 0 && !IsAtomic(event.kind)) name += fmt::format(" {}", OutcomeName(event.result));
  Put(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"cat":"{}","args":{}}})",
                  source_->info().pid, event.thread, event.sequence, kPointLength, JsonQuote(name),
                  IsAtomic(event.kind) ? "atomic" : "event", Arguments(event)));
}

void ChromeSink::Arrow(const char* name, const char* phase, uint64_t id, uint32_t thread, uint64_t time) {
  Put(fmt::format(R"({{"ph":"{}","id":{},"pid":{},"tid":{},"ts":{},"name":"{}","cat":"order"{}}})", phase, id,
                  source_->info().pid, thread, time, name, *phase == 'f' ? R"(,"bp":"e")" : ""));
}

// An arrow's number is the sequence number where it starts: nothing else starts there.
void ChromeSink::Arrows(const Event& event) {
  switch (event.kind) {
    case Kind::ThreadFork:
      fork_of_[static_cast<uint32_t>(event.arg)] = event.sequence;
      return Arrow("fork", "s", event.sequence, event.thread, event.sequence);
    case Kind::ThreadBegin:
      if (auto fork = fork_of_.find(event.thread); fork != fork_of_.end()) {
        Arrow("fork", "f", fork->second, event.thread, event.sequence);
        fork_of_.erase(fork);
      }
      return;
    case Kind::ThreadEnd:
      tracks_[event.thread].last_end = event.sequence;
      return Arrow("join", "s", event.sequence, event.thread, event.sequence);
    case Kind::ThreadJoin:
      if (auto child = tracks_.find(static_cast<uint32_t>(event.arg));
          child != tracks_.end() && child->second.last_end) {
        Arrow("join", "f", child->second.last_end, event.thread, event.sequence);
      }
      return;
    case Kind::CondSignal:
    case Kind::CondBroadcast:
      return Arrow("wake", "s", event.sequence, event.thread, event.sequence);
    case Kind::CondWake:
      if (event.arg2 != 0) Arrow("wake", "f", event.arg2, event.thread, event.sequence);
      return;
    default:
      return;
  }
}

Status ChromeSink::Add(const Event& event) {
  if (event.sequence == 0) return {};
  last_ = event.sequence;
  tracks_[event.thread];
  switch (event.kind) {
    case Kind::LockBlock:
    case Kind::SemBlock:
      Begin(event, "wait for", event.address, true);
      return out_->Append("");
    case Kind::Lock:
      End(event, event.address, true);
      if (event.Succeeded()) {
        Begin(event, LockDetail::Unpack(event.detail).shared ? "hold shared" : "hold", event.address, false);
      } else {
        Point(event);
      }
      return out_->Append("");
    case Kind::Unlock:
      End(event, event.address, false);
      return out_->Append("");
    case Kind::SemWait:
    case Kind::BarrierExit:
      End(event, event.address, true);
      break;
    case Kind::CondWait:
      End(event, event.arg, false);
      Begin(event, "wait on", event.address, true);
      return out_->Append("");
    case Kind::CondWake:
      End(event, event.address, true);
      Begin(event, "hold", event.arg, false);
      break;
    default:
      break;
  }
  Point(event);
  Arrows(event);
  if (event.kind == Kind::BarrierEnter) Begin(event, "wait at", event.address, true);
  return out_->Append("");
}

Status ChromeSink::Finish() {
  const TraceInfo& info = source_->info();
  std::string command = info.command.empty() ? "trace" : info.command;
  Put(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", info.pid, JsonQuote(command)));
  for (const auto& [thread, track] : tracks_) {
    for (size_t i = 0; i < track.open.size(); ++i) {
      Put(fmt::format(R"({{"ph":"E","pid":{},"tid":{},"ts":{}}})", info.pid, thread, last_ + 1));
    }
    auto found = info.threads.find(thread);
    std::string name = info.ThreadId(thread);
    if (found != info.threads.end() && !found->second.name.empty()) name += " " + found->second.name;
    Put(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})", info.pid, thread,
                    JsonQuote(name)));
    Put(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})", info.pid,
                    thread, thread));
  }
  (void)out_->Append("\n]}\n");
  return out_->Commit();
}

}  // namespace heddle::trace
