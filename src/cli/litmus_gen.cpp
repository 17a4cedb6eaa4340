// heddle litmus gen: tests from cycles of relaxations.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "cli/litmus.h"
#include "litmus/gen/cycle.h"
#include "litmus/gen/emit.h"

namespace heddle::cli {
namespace {

constexpr uint64_t kMany = 10000;

struct LitmusGenSettings {
  std::string arch = "X86_64";
  std::string out;
  std::vector<std::string> edges;
  int size = 4;
  int threads = 6;
  uint64_t limit = 0;
  bool cycle = false;
};

const std::pair<std::string_view, litmus::Arch> kArchs[] = {
    {"X86", litmus::Arch::kX86},     {"X86_64", litmus::Arch::kX86_64},  {"AArch64", litmus::Arch::kAArch64},
    {"RISCV", litmus::Arch::kRiscv}, {"PPC", litmus::Arch::kPpc},        {"C", litmus::Arch::kC},
    {"PTX", litmus::Arch::kPtx},     {"GPU_PTX", litmus::Arch::kGpuPtx}, {"OPENCL", litmus::Arch::kOpenCl}};

class Generator {
 public:
  Generator(const LitmusGenSettings& settings, litmus::Arch arch) : settings_(settings), arch_(arch) {}

  int Run() {
    std::vector<litmus::Edge> edges;
    std::vector<std::string> words = settings_.edges.empty() ? litmus::DefaultEdges(arch_) : settings_.edges;
    for (const std::string& word : words) {
      Result<std::vector<litmus::Edge>> found = litmus::ParseEdge(arch_, word);
      if (!found) return Fail("litmus gen", found.error());
      for (litmus::Edge& edge : *found) {
        if (std::find(edges.begin(), edges.end(), edge) == edges.end()) edges.push_back(std::move(edge));
      }
    }
    std::error_code error;
    std::filesystem::create_directories(settings_.out, error);
    if (error) return Fail("litmus gen", ErrnoError(settings_.out, error.value()));
    uint64_t total = Count(edges);
    if (total > kMany) fmt::print(stderr, "heddle litmus gen: {} tests will be written to {}\n", total, settings_.out);
    Write(edges, total);
    if (!failure_.empty()) {
      fmt::print(stderr, "heddle litmus gen: {}\n", failure_);
      return kExitUsage;
    }
    fmt::print(stderr, "{} test{} in {}\n", written_, written_ == 1 ? "" : "s", settings_.out);
    return kExitClean;
  }

 private:
  // Calls `take` with name and text of each test.
  template <typename F>
  void Each(const std::vector<litmus::Edge>& edges, F&& take) {
    uint64_t made = 0;
    litmus::EnumerateCycles(edges, {settings_.size, settings_.threads, 0}, [&](litmus::Cycle& cycle) {
      for (const litmus::Placement& placement : litmus::Placements(arch_, cycle)) {
        std::string name = cycle.name + (placement.name.empty() ? "" : "+" + placement.name);
        std::optional<std::string> text = litmus::EmitTest(arch_, cycle, placement, name);
        if (!text) continue;
        ++made;
        if (!take(name, *text) || (settings_.limit != 0 && made >= settings_.limit)) return false;
      }
      return true;
    });
  }

  // How many there are; the counting stops a little above what needs to be announced when a limit is set.
  uint64_t Count(const std::vector<litmus::Edge>& edges) {
    if (settings_.limit != 0 && settings_.limit <= kMany) return settings_.limit;
    uint64_t count = 0;
    Each(edges, [&](const std::string&, const std::string&) {
      ++count;
      return true;
    });
    return count;
  }

  void Write(const std::vector<litmus::Edge>& edges, uint64_t total) {
    bool progress = isatty(STDERR_FILENO) != 0 && total > kMany;
    std::ofstream list(std::filesystem::path(settings_.out) / "@all");
    Each(edges, [&](const std::string& name, const std::string& text) {
      std::string file = name + ".litmus";
      std::ofstream out(std::filesystem::path(settings_.out) / file);
      out << text;
      out.close();
      list << file << "\n";
      if (!out) failure_ = settings_.out + "/" + file + ": could not be written";
      ++written_;
      if (progress && written_ % 1000 == 0) fmt::print(stderr, "\r{} of {}", written_, total);
      return failure_.empty();
    });
    if (progress) fmt::print(stderr, "\r");
  }

  const LitmusGenSettings& settings_;
  litmus::Arch arch_;
  uint64_t written_ = 0;
  std::string failure_;
};

}  // namespace

int LitmusGen(const Arguments& arguments) {
  LitmusGenSettings settings;
  std::vector<std::string> names;
  for (const auto& [name, arch] : kArchs) names.emplace_back(name);
  CLI::App app(
      "Writes litmus tests: one for each cycle of the given edges, up to a size, and a list @all of their files.\n\n"
      "  heddle litmus gen --arch X86_64 -o tests PodWR Fre            store buffering\n"
      "  heddle litmus gen --arch AArch64 --size 6 -o tests            the usual families of the architecture\n"
      "  heddle litmus gen --arch C -o tests PodWWRlxRel PodRRAcqRlx Rfe Fre\n\n"
      "Edges: Po{d,s}{R,W}{R,W}, Rfe Rfi Fre Fri Coe Coi, Dp{Addr,Data,Ctrl,CtrlIsync}{d,s}{R,W}, Amo, LxSx, fences "
      "such\n"
      "as MFencedWR, DMB.SYdRR, Fence.rw.rwdWW, SyncdWR, FenceScdWR, Fence.sc.gpudWR; a word without directions stands "
      "for\n"
      "all of them. Orders follow the directions: PodWWRlxRel. See docs/litmus.md.",
      "heddle litmus gen");
  app.add_option("EDGE", settings.edges, "edges of the cycles; a list for the architecture when there are none");
  app.add_option("--arch", settings.arch, "the language")->check(CLI::IsMember(names));
  app.add_option("-o,--output", settings.out, "the folder for the tests")->required();
  app.add_option("--size", settings.size, "edges of a cycle, at most")->check(CLI::Range(2, 12));
  app.add_option("--threads", settings.threads, "threads of a test, at most")->check(CLI::Range(2, 8));
  app.add_option("--limit", settings.limit, "tests, at most");
  if (int code = Parse(app, arguments); code >= 0) return code;
  for (const auto& [name, arch] : kArchs) {
    if (name == settings.arch) return Generator(settings, arch).Run();
  }
  return kExitUsage;
}

}  // namespace heddle::cli
