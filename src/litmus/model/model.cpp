#include "litmus/model/model.h"

#include <algorithm>
#include <filesystem>

#include "base/near.h"
#include "litmus/model/cat_compile.h"

namespace heddle::litmus {

const std::vector<std::string_view>& ModelNames() {
  static const std::vector<std::string_view> names = {"sc",  "x86tso",  "aarch64", "riscv",  "power",  "rc11",  "rc20",
                                                      "c11", "ptx-rmo", "ptx6",    "ptx7.5", "vulkan", "opencl"};
  return names;
}

std::string_view DefaultModel(Arch arch) {
  switch (arch) {
    case Arch::kX86:
    case Arch::kX86_64:
      return "x86tso";
    case Arch::kAArch64:
      return "aarch64";
    case Arch::kRiscv:
      return "riscv";
    case Arch::kPpc:
      return "power";
    case Arch::kC:
      return "rc11";
    case Arch::kGpuPtx:
      return "ptx-rmo";
    case Arch::kPtx:
      return "ptx7.5";
    case Arch::kVulkan:
      return "vulkan";
    case Arch::kOpenCl:
      return "opencl";
  }
  return "sc";
}

namespace {

Result<std::string> FindModel(const std::string& name, const CatSearch& search) {
  std::error_code error;
  if (name.ends_with(".cat")) {
    if (std::filesystem::is_regular_file(name, error)) return name;
    for (const std::string& path : search.paths) {
      std::filesystem::path candidate = std::filesystem::path(path) / name;
      if (std::filesystem::is_regular_file(candidate, error)) return candidate.string();
    }
    return MakeError(ErrorCode::kNotFound, name + ": no such file");
  }
  for (const std::string& path : search.paths) {
    std::filesystem::path candidate = std::filesystem::path(path) / (name + ".cat");
    if (std::filesystem::is_regular_file(candidate, error)) return candidate.string();
  }
  std::string hint = DidYouMean(name, ModelNames());
  std::string all;
  for (std::string_view known : ModelNames()) all += (all.empty() ? "" : ", ") + std::string(known);
  return MakeError(ErrorCode::kUsage, "there is no model `" + name + "`; " +
                                          (hint.empty() ? "there are " : hint + " There are ") + all +
                                          ", and files that end in .cat");
}

}  // namespace

Result<std::unique_ptr<Model>> LoadModel(const std::string& name, const CatSearch& search) {
  Result<std::string> path = FindModel(name, search);
  if (!path) return path.error();
  auto model = std::make_unique<Model>();
  model->name = name;
  Result<CatModel> parsed = ParseCatFile(model->sources, *path, search);
  if (!parsed) return parsed.error();
  Result<CatProgram> program = CompileCat(model->sources, *parsed);
  if (!program) return program.error();
  model->program = std::move(*program);
  return model;
}

}  // namespace heddle::litmus
