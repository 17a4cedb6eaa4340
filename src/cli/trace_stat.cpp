// heddle trace stat: what is in a trace, in numbers.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/file.h"
#include "base/json.h"
#include "cli/trace_verbs.h"
#include "trace/reader.h"

namespace heddle::cli {
namespace {

using trace::Event;

struct Stat {
  uint64_t events = 0;
  uint64_t accesses = 0;
  std::array<uint64_t, trace::kKinds> by_kind{};
  std::map<uint32_t, uint64_t> by_thread;
  uint64_t chunks = 0;
  uint64_t live_buffers = 0;
  uint64_t stored_bytes = 0;  // of chunks
  uint64_t plain_bytes = 0;
  uint64_t last_sequence = 0;
  std::optional<uint64_t> exit_code;
};

Stat Count(trace::TraceReader* reader) {
  Stat stat;
  for (const trace::Stream& stream : reader->file().streams()) {
    for (const trace::ChunkRef& chunk : stream.chunks) {
      ++(chunk.live ? stat.live_buffers : stat.chunks);
      if (chunk.live) continue;
      stat.stored_bytes += chunk.stored_bytes;
      stat.plain_bytes += chunk.plain_bytes;
    }
  }
  Event event;
  while (reader->Next(&event)) {
    ++stat.events;
    ++stat.by_kind[static_cast<size_t>(event.kind)];
    ++stat.by_thread[event.thread];
    if (event.AccessBytes() != 0 && !trace::IsAtomic(event.kind)) ++stat.accesses;
    stat.last_sequence = std::max(stat.last_sequence, event.sequence);
    if (event.kind == trace::Kind::ProcessExit) stat.exit_code = event.arg;
  }
  return stat;
}

double Ratio(uint64_t a, uint64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

std::string EndSentence(const Stat& stat, const trace::TraceInfo& info) {
  if ((info.flags & trace::kFlagNoSpace) != 0) return "recording stopped because the disk was full";
  if ((info.flags & trace::kFlagFinished) == 0) {
    return "the program did not end normally, or is still running: what it had recorded is here";
  }
  return stat.exit_code ? fmt::format("the program ended with exit code {}", *stat.exit_code)
                        : "complete; the trace does not say how the program ended";
}

std::string ThreadText(const trace::TraceInfo& info, uint32_t thread) {
  auto found = info.threads.find(thread);
  bool named = found != info.threads.end() && !found->second.name.empty();
  return named ? fmt::format("{} {}", info.ThreadId(thread), found->second.name) : info.ThreadId(thread);
}

void PrintText(const Stat& stat, const trace::TraceReader& reader) {
  const trace::TraceInfo& info = reader.info();
  if (!info.command.empty()) fmt::print("command:      {}\n", info.command);
  fmt::print("end:          {}\n", EndSentence(stat, info));
  fmt::print("events:       {} ({} memory accesses, {} ordered)\n", stat.events, stat.accesses,
             stat.events - stat.by_kind[1] - stat.by_kind[2] - stat.by_kind[3] - stat.by_kind[4]);
  fmt::print("threads:      {}\n", stat.by_thread.size());
  fmt::print("call paths:   {}\n", reader.stacks().size() - 1);
  fmt::print("chunks:       {} and {} live buffers\n", stat.chunks, stat.live_buffers);
  fmt::print("bytes:        {} in chunks, {:.2f} an event; {} before compression, {:.2f} times\n", stat.stored_bytes,
             Ratio(stat.stored_bytes, stat.events), stat.plain_bytes, Ratio(stat.plain_bytes, stat.stored_bytes));
  fmt::print("\nby kind\n");
  std::vector<size_t> kinds;
  for (size_t i = 0; i < stat.by_kind.size(); ++i) {
    if (stat.by_kind[i] != 0) kinds.push_back(i);
  }
  std::sort(kinds.begin(), kinds.end(), [&](size_t a, size_t b) {
    return stat.by_kind[a] != stat.by_kind[b] ? stat.by_kind[a] > stat.by_kind[b] : a < b;
  });
  for (size_t kind : kinds) {
    fmt::print("  {:<16} {:>12}\n", trace::KindName(static_cast<trace::Kind>(kind)), stat.by_kind[kind]);
  }
  fmt::print("\nby thread\n");
  for (const auto& [thread, events] : stat.by_thread) fmt::print("  {:<16} {:>12}\n", ThreadText(info, thread), events);
}

std::string ToJson(const Stat& stat, const trace::TraceReader& reader) {
  const trace::TraceInfo& info = reader.info();
  JsonWriter json;
  json.BeginObject().Key("schema").String("heddle/trace-stat/1");
  json.Key("command").String(info.command).Key("pid").Uint(info.pid).Key("start_ns").Uint(info.start_realtime_ns);
  json.Key("finished").Bool((info.flags & trace::kFlagFinished) != 0);
  json.Key("disk_full").Bool((info.flags & trace::kFlagNoSpace) != 0);
  json.Key("serialised").Bool((info.flags & trace::kFlagSerialised) != 0);
  json.Key("exit");
  stat.exit_code ? json.Uint(*stat.exit_code) : json.Null();
  json.Key("events").Uint(stat.events).Key("accesses").Uint(stat.accesses);
  json.Key("last_sequence").Uint(stat.last_sequence).Key("call_paths").Uint(reader.stacks().size() - 1);
  json.Key("file_bytes").Uint(reader.file().file_bytes()).Key("chunk_bytes").Uint(stat.stored_bytes);
  json.Key("plain_bytes").Uint(stat.plain_bytes).Key("chunks").Uint(stat.chunks);
  json.Key("live_buffers").Uint(stat.live_buffers);
  json.Key("bytes_per_event").Double(Ratio(stat.stored_bytes, stat.events));
  json.Key("kinds").BeginObject();
  for (size_t i = 0; i < stat.by_kind.size(); ++i) {
    if (stat.by_kind[i] != 0) json.Key(trace::KindName(static_cast<trace::Kind>(i))).Uint(stat.by_kind[i]);
  }
  json.EndObject().Key("threads").BeginArray();
  for (const auto& [thread, events] : stat.by_thread) {
    auto found = info.threads.find(thread);
    json.BeginObject().Key("id").String(info.ThreadId(thread));
    json.Key("name").String(found == info.threads.end() ? "" : found->second.name);
    json.Key("events").Uint(events).EndObject();
  }
  json.EndArray().Key("damage").BeginArray();
  for (const std::string& damage : info.damage) json.String(damage);
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace

int StatTrace(const Arguments& arguments) {
  CLI::App app("Says what is in a trace: events by kind and thread, sizes, damage, how the program ended.",
               "heddle trace stat");
  std::string path;
  std::string json;
  app.add_option("trace", path, "the trace file")->required();
  app.add_option("--json", json, "write the numbers to this file too; - is standard output, instead of the text");
  app.footer("example: heddle trace stat run.trace");
  if (int code = Parse(app, arguments); code >= 0) return code;
  auto reader = trace::TraceReader::Open(path);
  if (!reader) return Fail("trace stat", reader.error());
  Stat stat = Count(reader->get());
  if (json == "-") {
    fmt::print("{}", ToJson(stat, **reader));
  } else {
    PrintText(stat, **reader);
    if (!json.empty()) {
      if (Status wrote = WriteFileAtomic(json, ToJson(stat, **reader)); !wrote)
        return Fail("trace stat", wrote.error());
    }
  }
  return TellDamage("trace stat", (*reader)->info());
}

}  // namespace heddle::cli
