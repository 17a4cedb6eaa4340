#include "litmus/gen/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "litmus/gen/writers.h"

// The frame of a test: initial state, columns or functions, condition. The instructions come from a writer for each
// language (writers.h), which also says in which register a read ends.
namespace heddle::litmus {

namespace {

std::string LocationName(int index) {
  static constexpr const char* kNames = "xyzabcdefg";
  return std::string(1, kNames[index % 10]);
}

std::string Edges(const Cycle& cycle) {
  std::string out;
  for (const Edge& edge : cycle.edges) out += (out.empty() ? "" : " ") + edge.name;
  return out;
}

// Lines of all threads side by side.
std::string Table(const std::vector<std::string>& heads, const std::vector<std::vector<std::string>>& columns,
                  std::string_view separator, std::string_view end) {
  size_t rows = 0;
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns.size(); ++i) {
    size_t width = heads[i].size();
    for (const std::string& line : columns[i]) width = std::max(width, line.size());
    widths.push_back(width);
    rows = std::max(rows, columns[i].size());
  }
  std::string out;
  auto row = [&](auto&& cell) {
    for (size_t i = 0; i < columns.size(); ++i)
      out += fmt::format("{}{:<{}}", i == 0 ? " " : separator, cell(i), widths[i]);
    out += fmt::format("{}\n", end);
  };
  row([&](size_t i) { return heads[i]; });
  for (size_t r = 0; r < rows; ++r)
    row([&](size_t i) { return r < columns[i].size() ? columns[i][r] : std::string(); });
  return out;
}

std::string Condition(const Cycle& cycle, const std::vector<ThreadText>& threads, bool quantifier) {
  std::vector<std::string> parts;
  for (size_t t = 0; t < threads.size(); ++t) {
    for (const auto& [reg, value] : threads[t].observed) parts.push_back(fmt::format("{}:{}={}", t, reg, value));
  }
  for (size_t i = 0; i < cycle.final_values.size(); ++i) {
    if (cycle.final_values[i] >= 0)
      parts.push_back(fmt::format("{}={}", LocationName(static_cast<int>(i)), cycle.final_values[i]));
  }
  std::string all = fmt::format("{}", fmt::join(parts, " /\\ "));
  if (all.empty()) all = "true";
  return quantifier ? "exists (" + all + ")\n" : all + "\n";
}

std::string Columns(Arch arch, const Cycle& cycle, const std::vector<ThreadText>& threads, const Placement& placement,
                    const std::string& name) {
  std::string out = fmt::format("{} {}\n\"{}\"\n{{\n", ArchName(arch), name, Edges(cycle));
  for (int i = 0; i < cycle.locations; ++i) out += fmt::format("{}=0; ", LocationName(i));
  out += "\n";
  for (size_t t = 0; t < threads.size(); ++t) {
    for (const auto& [reg, value] : threads[t].init) out += fmt::format("{}:{}={}; ", t, reg, value);
    if (!threads[t].init.empty()) out += "\n";
  }
  out += "}\n";
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> columns;
  for (size_t t = 0; t < threads.size(); ++t) {
    heads.push_back(arch == Arch::kPtx ? fmt::format("P{}@cta {},gpu 0", t, placement.groups[t])
                                       : fmt::format("P{}", t));
    columns.push_back(threads[t].lines);
  }
  return out + Table(heads, columns, " | ", " ;") + Condition(cycle, threads, true);
}

std::string Functions(Arch arch, const Cycle& cycle, const std::vector<ThreadText>& threads, const Placement& placement,
                      const std::string& name) {
  std::string out = fmt::format("{} {}\n\n{{\n", ArchName(arch), name);
  for (int i = 0; i < cycle.locations; ++i) out += fmt::format("[{}]=0; ", LocationName(i));
  out += "\n}\n\n";
  bool opencl = arch == Arch::kOpenCl;
  for (size_t t = 0; t < threads.size(); ++t) {
    std::string parameters;
    for (int i = 0; i < cycle.locations; ++i) {
      parameters += fmt::format("{}{}atomic_int* {}", i == 0 ? "" : ", ", opencl ? "global " : "", LocationName(i));
    }
    out += opencl ? fmt::format("P{}@wg {}, dev 0 ({}) {{\n", t, placement.groups[t], parameters)
                  : fmt::format("P{} ({}) {{\n", t, parameters);
    for (const std::string& line : threads[t].lines) out += "  " + line + "\n";
    out += "}\n\n";
  }
  return out + Condition(cycle, threads, true);
}

// The format of the thesis: declarations, columns with colons, scope tree, memory map.
std::string Thesis(const Cycle& cycle, const std::vector<ThreadText>& threads, const Placement& placement,
                   const std::string& name) {
  std::string out = fmt::format("GPU_PTX {}\n\n", name);
  for (size_t t = 0; t < threads.size(); ++t) {
    for (const std::string& reg : threads[t].declared) out += fmt::format("{}:.reg .s32 {};\n", t, reg);
    for (const auto& [reg, value] : threads[t].init) out += fmt::format("{}:.reg .b64 {} = {};\n", t, reg, value);
  }
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> columns;
  for (size_t t = 0; t < threads.size(); ++t) {
    heads.push_back(fmt::format("P{}", t));
    columns.push_back(threads[t].lines);
  }
  out += "\n" + Table(heads, columns, " : ", "") + "\n(device";
  int kernels = *std::max_element(placement.kernels.begin(), placement.kernels.end()) + 1;
  int groups = *std::max_element(placement.groups.begin(), placement.groups.end()) + 1;
  for (int k = 0; k < kernels; ++k) {
    out += " (kernel";
    for (int g = 0; g < groups; ++g) {
      std::string warps;
      for (size_t t = 0; t < threads.size(); ++t) {
        if (placement.kernels[t] == k && placement.groups[t] == g) warps += fmt::format(" (warp P{})", t);
      }
      if (!warps.empty()) out += " (cta" + warps + ")";
    }
    out += ")";
  }
  out += ")\n\n";
  for (int i = 0; i < cycle.locations; ++i) {
    out += fmt::format("{}{}: {}", i == 0 ? "" : ", ", LocationName(i),
                       placement.shared[static_cast<size_t>(i)] ? "shared" : "global");
  }
  return out + "\n\n" + Condition(cycle, threads, false);
}

}  // namespace

std::optional<std::string> EmitTest(Arch arch, const Cycle& cycle, const Placement& placement,
                                    const std::string& name) {
  std::vector<ThreadText> threads;
  size_t at = 0;
  for (int t = 0; t < cycle.threads; ++t) {
    std::unique_ptr<ThreadWriter> writer = MakeWriter(arch);
    if (!writer) return std::nullopt;
    const Edge* before = nullptr;
    while (at < cycle.events.size() && cycle.events[at].thread == t) {
      const CycleEvent& event = cycle.events[at];
      if (before != nullptr && !writer->Between(*before)) return std::nullopt;
      const Edge& after = cycle.edges[at];
      bool atomic = after.kind == EdgeKind::kAmo || after.kind == EdgeKind::kLxSx;
      if (atomic) {
        if (!writer->Atomic(event, cycle.events[at + 1], LocationName(event.location), after.kind == EdgeKind::kLxSx)) {
          return std::nullopt;
        }
        before = after.external ? nullptr : &cycle.edges[at + 1];
        at += 2;
      } else {
        if (!writer->Access(event, LocationName(event.location))) return std::nullopt;
        before = &after;
        ++at;
      }
      if (before != nullptr && before->external) before = nullptr;
    }
    threads.push_back(writer->Take());
  }
  if (arch == Arch::kC || arch == Arch::kOpenCl) return Functions(arch, cycle, threads, placement, name);
  if (arch == Arch::kGpuPtx) return Thesis(cycle, threads, placement, name);
  return Columns(arch, cycle, threads, placement, name);
}

}  // namespace heddle::litmus
