// heddle trace print: the events of a trace, one a line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bitset>
#include <set>

#include "base/near.h"
#include "cli/trace_verbs.h"
#include "trace/convert/formats.h"
#include "trace/print.h"

namespace heddle::cli {
namespace {

using trace::Event;

struct Filter {
  std::bitset<trace::kKinds> kinds;  // none: all
  std::set<uint32_t> threads;        // none: all
  bool Passes(const Event& event) const {
    return (kinds.none() || kinds.test(static_cast<size_t>(event.kind))) &&
           (threads.empty() || threads.count(event.thread) != 0);
  }
};

Status ReadKinds(const std::vector<std::string>& names, Filter* filter) {
  for (const std::string& name : names) {
    trace::Kind kind = trace::KindFromName(name);
    if (kind == trace::Kind::None) {
      std::vector<std::string_view> known;
      for (int i = 1; i < trace::kKinds; ++i) known.push_back(trace::KindName(static_cast<trace::Kind>(i)));
      std::string hint = DidYouMean(name, known);
      return MakeError(ErrorCode::kUsage,
                       fmt::format("unknown kind of event `{}`{}{}", name, hint.empty() ? "" : ": ", hint));
    }
    filter->kinds.set(static_cast<size_t>(kind));
  }
  return {};
}

// Threads by their stable id or by the name that the program gave them.
Status ReadThreads(const std::vector<std::string>& names, const trace::TraceInfo& info, Filter* filter) {
  for (const std::string& name : names) {
    bool found = false;
    std::vector<std::string> ids;
    for (const auto& [number, thread] : info.threads) {
      ids.push_back(info.ThreadId(number));
      if (ids.back() != name && thread.name != name) continue;
      filter->threads.insert(number);
      found = true;
    }
    if (found) continue;
    std::vector<std::string_view> known(ids.begin(), ids.end());
    std::string hint = DidYouMean(name, known);
    return MakeError(ErrorCode::kUsage,
                     fmt::format("no thread `{}` in the trace{}{}", name, hint.empty() ? "" : ": ", hint));
  }
  return {};
}

}  // namespace

int TellDamage(const std::string& verb, const trace::TraceInfo& info) {
  std::fflush(stdout);  // in order, where both go to one place
  for (const std::string& damage : info.damage) fmt::print(stderr, "heddle {}: {}\n", verb, damage);
  return info.damage.empty() ? kExitClean : kExitUndecided;
}

int PrintTrace(const Arguments& arguments) {
  CLI::App app("Prints a trace, one event a line.", "heddle trace print");
  std::string path;
  std::vector<std::string> threads;
  std::vector<std::string> kinds;
  uint64_t limit = UINT64_MAX;
  app.add_option("trace", path, "the trace file, in any format that `trace convert` reads")->required();
  app.add_option("--thread", threads, "only events of this thread (T2, or its name); several with commas")
      ->delimiter(',');
  app.add_option("--kind", kinds, "only events of this kind (lock, write, ...); several with commas")->delimiter(',');
  app.add_option("--limit", limit, "stop after this many lines");
  app.footer("example: heddle trace print --thread T1 --kind lock,unlock --limit 20 run.trace");
  if (int code = Parse(app, arguments); code >= 0) return code;
  auto source = trace::OpenSource(path, std::nullopt);
  if (!source) return Fail("trace print", source.error());
  Filter filter;
  if (Status read = ReadKinds(kinds, &filter); !read) return Fail("trace print", read.error());
  if (Status read = ReadThreads(threads, (*source)->info(), &filter); !read) return Fail("trace print", read.error());
  Event event;
  while (limit > 0 && (*source)->Next(&event)) {
    if (!filter.Passes(event)) continue;
    fmt::print("{}\n", trace::PrintEvent(event, (*source)->info()));
    --limit;
  }
  if (!(*source)->status()) return Fail("trace print", (*source)->status().error());
  return TellDamage("trace print", (*source)->info());
}

}  // namespace heddle::cli
