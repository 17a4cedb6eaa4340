#include "refine/campaign/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/near.h"
#include "refine/trace/command.h"

namespace heddle::refine {
namespace {

std::string Basename(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// gcc for another target is another program: aarch64-linux-gnu-gcc-12.
std::string ProgramOf(const BuildSpec& spec) {
  if (spec.IsClang() || spec.target->arch == Arch::kX86_64) return spec.compiler;
  if (Basename(spec.compiler).starts_with(spec.target->prefix)) return spec.compiler;
  std::filesystem::path path(spec.compiler);
  return (path.parent_path() / (std::string(spec.target->prefix) + path.filename().string())).string();
}

std::vector<std::string> Split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

// "gcc-12-aarch64-linux-gnu" for aarch64-linux-gnu-gcc-12; empty for programs whose package is not known.
std::string PackageOf(const std::string& program, const ArchInfo& target) {
  std::string name = Basename(program);
  std::string suffix;
  if (name.starts_with(target.prefix)) {
    name = name.substr(target.prefix.size());
    suffix = "-" + std::string(target.prefix.substr(0, target.prefix.size() - 1));
  }
  for (std::string_view known : {"gcc", "clang", "tcc"}) {
    if (name == known || name.starts_with(std::string(known) + "-")) return name + suffix;
  }
  return "";
}

Error MissingCompiler(const std::string& program, const ArchInfo& target) {
  std::string package = PackageOf(program, target);
  std::string what = package.empty() ? "it" : fmt::format("the Debian package {}", package);
  return MakeError(
      ErrorCode::kUnsupported,
      fmt::format("the compiler `{}` is missing: install {}, or choose others with --cc and --target", program, what));
}

Status RunCompiler(const BuildSpec& spec, const std::vector<std::string>& command) {
  Result<CommandResult> compiled = RunCommand(command);
  if (!compiled) {
    return compiled.error().code == ErrorCode::kNotFound ? MissingCompiler(command[0], *spec.target) : compiled.error();
  }
  if (compiled->code == 0) return {};
  if (compiled->text.find("bits/libc-header-start.h") != std::string::npos) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("the C library's headers for {} are missing: install the Debian package {}\n{}",
                                 spec.target->name, spec.target->headers, compiled->text));
  }
  std::string why = compiled->text.empty() ? fmt::format("exit code {}\n", compiled->code) : compiled->text;
  return MakeError(ErrorCode::kBadInput, fmt::format("{} failed:\n{}", spec.Label(), why));
}

Status MakeFolder(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return MakeError(ErrorCode::kIo, folder + ": " + failure.message());
  return {};
}

int LevelRank(const std::string& level) {
  static const std::vector<std::string> order = {"O0", "O1", "Og", "Os", "Oz", "O2", "O3", "Ofast"};
  return static_cast<int>(std::find(order.begin(), order.end(), level) - order.begin());
}

}  // namespace

bool BuildSpec::IsClang() const { return Basename(compiler).find("clang") != std::string::npos; }

std::string BuildSpec::Label() const {
  std::string label = compiler + " -" + level;
  for (const std::string& flag : flags) label += " " + flag;
  return target->arch == Arch::kX86_64 ? label : fmt::format("{} for {}", label, target->name);
}

std::vector<std::string> CompileCommand(const BuildSpec& spec, BuildKind kind, const std::string& source,
                                        const std::string& object) {
  std::vector<std::string> command = {ProgramOf(spec)};
  if (spec.IsClang()) command.push_back(fmt::format("--target={}", spec.target->triple));
  command.insert(command.end(), {"-c", "-w", "-" + spec.level, kind == BuildKind::kOptimised ? "-g1" : "-g",
                                 "-gdwarf-5", "-fno-pic", "-fno-pie", "-fno-common", "-fdata-sections",
                                 "-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-ffp-contract=off"});
  command.insert(command.end(), spec.target->cflags.begin(), spec.target->cflags.end());
  if (kind == BuildKind::kSanitized) {
    command.insert(command.end(), {"-fsanitize=undefined,bounds", "-fsanitize-undefined-trap-on-error"});
    if (spec.IsClang()) command.insert(command.end(), {"-fsanitize-trap=all"});
  }
  command.insert(command.end(), spec.flags.begin(), spec.flags.end());
  command.insert(command.end(), {source, "-o", object});
  return command;
}

Result<Image> BuildImage(const BuildSpec& spec, BuildKind kind, const std::string& source, const std::string& folder,
                         std::shared_ptr<const Layouts> layouts) {
  if (Status made = MakeFolder(folder); !made) return made.error();
  std::vector<std::string> command = CompileCommand(spec, kind, source, folder + "/thread.o");
  if (Status compiled = RunCompiler(spec, command); !compiled) return compiled.error();
  return LinkImage({folder + "/thread.o"}, folder, {spec.Label(), std::move(layouts)});
}

Result<std::string> PreprocessedText(const BuildSpec& spec, const std::string& source, const std::string& folder) {
  if (Status made = MakeFolder(folder); !made) return made.error();
  std::string output = folder + "/preprocessed";
  std::vector<std::string> command = CompileCommand(spec, BuildKind::kReference, source, output);
  std::replace(command.begin(), command.end(), std::string("-c"), std::string("-E"));
  if (Status ran = RunCompiler(spec, command); !ran) return ran.error();
  return ReadFile(output);
}

Result<std::vector<BuildSpec>> MakeSpecs(const std::string& compilers, const std::string& levels,
                                         const std::string& targets, const std::vector<std::string>& flags) {
  std::vector<std::string> sorted = Split(levels);
  std::sort(sorted.begin(), sorted.end(), [](const std::string& a, const std::string& b) {
    return std::pair(LevelRank(a), a) < std::pair(LevelRank(b), b);
  });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<BuildSpec> specs;
  for (const std::string& target : Split(targets)) {
    const ArchInfo* arch = ArchByName(target);
    if (arch == nullptr) {
      std::vector<std::string_view> names;
      for (const ArchInfo& info : Architectures()) names.push_back(info.name);
      std::string hint = DidYouMean(target, names);
      return MakeError(ErrorCode::kUsage, fmt::format("no target `{}`; there are x86_64, aarch64, riscv64{}{}", target,
                                                      hint.empty() ? "" : ": ", hint));
    }
    for (const std::string& compiler : Split(compilers)) {
      for (const std::string& level : sorted) specs.push_back({compiler, level, arch, flags});
    }
  }
  if (specs.size() < 2)
    return MakeError(ErrorCode::kUsage, "there is nothing to compare: give two levels or compilers");
  return specs;
}

}  // namespace heddle::refine
