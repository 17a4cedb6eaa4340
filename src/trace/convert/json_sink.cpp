#include <fmt/format.h>

#include <iterator>

#include "base/json.h"
#include "trace/convert/json_lines.h"

namespace heddle::trace {

void JsonLinesSink::Header() {
  const TraceInfo& info = source_->info();
  if (!header_done_) {
    (void)out_->Append(fmt::format(R"({{"heddle":"trace/1","flags":{},"pid":{},"start_ns":{},"command":{}}})"
                                   "\n",
                                   info.flags, info.pid, info.start_realtime_ns, JsonQuote(info.command)));
    header_done_ = true;
  }
  for (; modules_done_ < info.modules.size(); ++modules_done_) {
    const Module& module = info.modules[modules_done_];
    (void)out_->Append(fmt::format(R"({{"module":{},"base":"{:#x}","begin":"{:#x}","end":"{:#x}","build_id":{}}})"
                                   "\n",
                                   JsonQuote(module.path), module.base, module.begin, module.end,
                                   JsonQuote(module.build_id)));
  }
}

void JsonLinesSink::Thread(uint32_t number) {
  auto found = source_->info().threads.find(number);
  if (found == source_->info().threads.end() || !threads_done_.insert(number).second) return;
  const ThreadInfo& thread = found->second;
  (void)out_->Append(fmt::format(R"({{"thread":{},"id":{},"name":{},"start_pc":"{:#x}"}})"
                                 "\n",
                                 number, JsonQuote(thread.id), JsonQuote(thread.name), thread.start_pc));
}

void JsonLinesSink::Symbol(uint64_t address) {
  auto found = source_->info().symbols.find(address);
  if (found == source_->info().symbols.end() || !symbols_done_.insert(address).second) return;
  (void)out_->Append(fmt::format(R"({{"symbol":"{:#x}","name":{}}})"
                                 "\n",
                                 address, JsonQuote(found->second)));
}

void JsonLinesSink::String(uint64_t id) {
  auto found = source_->info().strings.find(id);
  if (found == source_->info().strings.end() || !strings_done_.insert(id).second) return;
  (void)out_->Append(fmt::format(R"({{"string":{},"text":{}}})"
                                 "\n",
                                 id, JsonQuote(found->second)));
}

void JsonLinesSink::Frames(uint32_t node) {
  std::vector<uint32_t> path;
  for (; node != 0; node = source_->stacks().Parent(node)) {
    if (node >= frames_done_.size()) frames_done_.resize(node + 1);
    if (frames_done_[node]) break;
    frames_done_[node] = true;
    path.push_back(node);
  }
  for (auto at = path.rbegin(); at != path.rend(); ++at) {
    (void)out_->Append(fmt::format(R"({{"frame":{},"parent":{},"pc":"{:#x}"}})"
                                   "\n",
                                   *at, source_->stacks().Parent(*at), source_->stacks().CallPc(*at)));
  }
}

// What the event's line refers to, where it has not been described yet.
void JsonLinesSink::Describe(const Event& event) {
  const TraceInfo& info = source_->info();
  if (!header_done_ || modules_done_ < info.modules.size()) Header();
  if (threads_done_.size() < info.threads.size()) {
    Thread(event.thread);
    if (event.kind == Kind::ThreadFork || event.kind == Kind::ThreadJoin) Thread(static_cast<uint32_t>(event.arg));
  }
  if (symbols_done_.size() < info.symbols.size()) Symbol(event.address);
  if (event.kind == Kind::User) String(event.arg);
  if (event.stack != 0) Frames(event.stack);
}

Status JsonLinesSink::Add(const Event& event) {
  Describe(event);
  line_.clear();
  auto out = std::back_inserter(line_);
  fmt::format_to(out, R"({{"event":"{}","thread":{})", KindName(event.kind), event.thread);
  if (event.sequence != 0) fmt::format_to(out, R"(,"seq":{})", event.sequence);
  if (event.address != 0) fmt::format_to(out, R"(,"address":"{:#x}")", event.address);
  if (event.pc != 0) fmt::format_to(out, R"(,"pc":"{:#x}")", event.pc);
  if (event.stack != 0) fmt::format_to(out, R"(,"stack":{})", event.stack);
  if (event.detail != 0) fmt::format_to(out, R"(,"detail":{})", event.detail);
  if (event.result != 0) fmt::format_to(out, R"(,"result":{})", event.result);
  if (event.order != 0) fmt::format_to(out, R"(,"order":{})", event.order);
  if (event.arg != 0) fmt::format_to(out, R"(,"arg":{})", event.arg);
  if (event.arg2 != 0) fmt::format_to(out, R"(,"arg2":{})", event.arg2);
  if (event.arg3 != 0) fmt::format_to(out, R"(,"arg3":{})", event.arg3);
  line_ += "}\n";
  return out_->Append(line_);
}

Status JsonLinesSink::Finish() {
  const TraceInfo& info = source_->info();
  Header();
  for (const auto& [number, thread] : info.threads) Thread(number);
  for (const auto& [id, text] : info.strings) String(id);
  for (const auto& [address, name] : info.symbols) Symbol(address);
  return out_->Commit();
}

}  // namespace heddle::trace
