// Harnesses of litmus tests: written, compiled for their machine, compared with the test.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "analysis/target/process.h"
#include "base/file.h"
#include "cli/litmus.h"
#include "litmus/optcheck/optcheck.h"
#include "litmus/run/gpu_harness.h"

namespace heddle::cli {

WorkFolder::WorkFolder(const std::string& keep) : kept_(!keep.empty()), path_(keep) {
  std::error_code error;
  if (kept_) {
    std::filesystem::create_directories(path_, error);
    return;
  }
  std::string name = (std::filesystem::temp_directory_path() / "heddle-litmus-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) path_ = name;
}

WorkFolder::~WorkFolder() {
  std::error_code error;
  if (!kept_ && !path_.empty()) std::filesystem::remove_all(path_, error);
}

std::string FindTool(std::string_view name) {
  if (name.find('/') != std::string_view::npos)
    return access(std::string(name).c_str(), X_OK) == 0 ? std::string(name) : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string file = folder + "/" + std::string(name);
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

namespace {

Result<LitmusProgram> BuildOpenCl(const litmus::Test& test, const std::string& file, const std::string& base,
                                  const LitmusBuild& build) {
  Result<std::string> source = litmus::WriteOpenClHarness(test, file, build.harness);
  if (!source) return source.error();
  if (Status status = WriteFileAtomic(base + ".c", *source); !status) return status.error();
  std::string cc = build.cc.empty() ? "cc" : build.cc;
  Result<analysis::ChildEnd> compiled =
      analysis::RunChild({cc, "-std=gnu11", "-O2", "-w", "-o", base, base + ".c", "-lOpenCL"});
  if (!compiled) return compiled.error();
  if (compiled->code != 0) {
    return MakeError(
        ErrorCode::kUnsupported,
        "an OPENCL test needs the headers and the loader of OpenCL; install ocl-icd-opencl-dev and a device "
        "such as pocl-opencl-icd");
  }
  LitmusProgram program;
  program.path = base;
  program.gpu = "an OpenCL device, for example pocl-opencl-icd";
  return program;
}

// Compiled to a cubin, which is compared with the test, and to a program.
// ptxas moves weak accesses past each other from -O1 on, so it is told not to optimise unless the user asks for it.
Result<LitmusProgram> BuildCuda(const litmus::Test& test, const std::string& file, const std::string& base,
                                const LitmusBuild& build) {
  Result<std::string> source = litmus::WriteCudaHarness(test, file, {});
  if (!source) return source.error();
  std::string nvcc = FindTool("nvcc");
  if (nvcc.empty())
    return MakeError(ErrorCode::kUnsupported, "a PTX test needs `nvcc` of the CUDA toolkit, and an NVIDIA GPU");
  if (Status status = WriteFileAtomic(base + ".cu", *source); !status) return status.error();
  std::vector<std::string> compiler = {nvcc, "-arch=sm_80", "-w", "-Xptxas", build.level.empty() ? "-O0" : build.level};
  std::vector<std::string> command = compiler;
  command.insert(command.end(), {"-cubin", "-o", base + ".cubin", base + ".cu"});
  Result<analysis::ChildEnd> compiled = analysis::RunChild(command);
  if (!compiled) return compiled.error();
  if (compiled->code != 0) return MakeError(ErrorCode::kBadInput, "the harness does not compile with `nvcc`");
  Result<std::string> cubin = ReadFile(base + ".cubin");
  if (!cubin) return cubin.error();
  if (Status kept = litmus::CheckCubin(*cubin, litmus::CubinThreads(test)); !kept) return kept.error();
  LitmusProgram program;
  program.path = base;
  program.gpu = "an NVIDIA GPU";
  program.link = compiler;
  program.link.insert(program.link.end(), {"-o", base, base + ".cu"});
  return program;
}

}  // namespace

Result<LitmusProgram> BuildLitmus(const litmus::Test& test, const std::string& file, const std::string& base,
                                  const LitmusBuild& build) {
  if (test.arch == litmus::Arch::kOpenCl) return BuildOpenCl(test, file, base, build);
  if (test.arch == litmus::Arch::kPtx || test.arch == litmus::Arch::kGpuPtx) {
    return BuildCuda(test, file, base, build);
  }
  if (test.arch == litmus::Arch::kVulkan) {
    return MakeError(ErrorCode::kUnsupported, "VULKAN tests can be simulated, not run");
  }
  const litmus::Target* host = litmus::Host();
  const litmus::Target* target = litmus::TargetFor(test.arch);
  if (test.arch == litmus::Arch::kC && !build.target.empty()) target = litmus::TargetNamed(build.target);
  litmus::HarnessOptions options = build.harness;
  options.target = target;
  Result<std::string> source = litmus::WriteHarness(test, file, options);
  if (!source) return source.error();
  LitmusProgram program;
  program.path = base;
  program.emulated = target != host;
  std::string cc = !build.cc.empty() ? build.cc : program.emulated ? std::string(target->compiler) : "cc";
  std::string emulator = program.emulated ? FindTool(target->emulator) : "";
  if (FindTool(cc).empty() || (program.emulated && emulator.empty())) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("a {} test needs `{}`{}; install {}", target->name, cc,
                                 program.emulated ? fmt::format(" and `{}`", target->emulator) : "",
                                 program.emulated ? target->package : "a C compiler"));
  }
  if (Status status = WriteFileAtomic(base + ".c", *source); !status) return status.error();
  std::vector<std::string> command = {cc, "-std=gnu11", build.level.empty() ? "-O2" : build.level, "-pthread", "-w"};
  command.insert(command.end(), target->flags.begin(), target->flags.end());
  if (program.emulated) {
    command.emplace_back("-static");
    program.runner = {emulator};
  }
  command.insert(command.end(), {"-o", base, base + ".c"});
  Result<analysis::ChildEnd> compiled = analysis::RunChild(command);
  if (!compiled) return compiled.error();
  if (compiled->code != 0)
    return MakeError(ErrorCode::kBadInput, fmt::format("the harness does not compile with `{}`", cc));
  if (Status kept = litmus::CheckHarness(test, base); !kept) return kept.error();
  return program;
}

}  // namespace heddle::cli
