#include "deadlock/input/input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

#include "base/file.h"
#include "deadlock/input/carried.h"

namespace heddle::deadlock {
namespace {

// LLVM prints and exits on linker errors unless somebody listens.
struct Listener : llvm::DiagnosticHandler {
  explicit Listener(std::string* out) : out_(out) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream stream(*out_);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }
  std::string* out_;
};

Result<std::unique_ptr<llvm::Module>> ParseModule(const std::string& path, std::string_view text,
                                                  llvm::LLVMContext& context) {
  llvm::SMDiagnostic problem;
  // Text of LLVM must end with a zero byte: so this is a copy.
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text.data(), text.size()), path);
  std::unique_ptr<llvm::Module> module = llvm::parseIR(buffer->getMemBufferRef(), problem, context);
  if (module == nullptr) {
    std::string place = problem.getLineNo() > 0 ? fmt::format("{}:{}", path, problem.getLineNo()) : path;
    return BadFile(place, fmt::format("not readable as LLVM 19 bitcode: {}", problem.getMessage().str()));
  }
  std::string wrong;
  llvm::raw_string_ostream stream(wrong);
  bool broken_debug_info = false;
  if (llvm::verifyModule(*module, &stream, &broken_debug_info)) return BadFile(path, "broken bitcode: " + wrong);
  if (broken_debug_info) llvm::StripDebugInfo(*module);
  return module;
}

// Adds what the file is, or, when it is compiled, what it carries.
Status ReadModules(const std::string& path, llvm::LLVMContext& context,
                   std::vector<std::unique_ptr<llvm::Module>>* modules) {
  Result<std::string> text = ReadFile(path);
  if (!text) return text.error();
  if (text->empty()) return BadFile(path, "the file is empty");
  std::vector<std::string_view> parts = {*text};
  if (IsCompiled(*text)) {
    Result<std::vector<std::string_view>> carried = CarriedBitcode(path, *text);
    if (!carried) return carried.error();
    parts = *carried;
  }
  for (std::string_view part : parts) {
    auto module = ParseModule(path, part, context);
    if (!module) return module.error();
    modules->push_back(std::move(*module));
  }
  return {};
}

bool DefinesMain(const llvm::Module& module) {
  const llvm::Function* entry = module.getFunction("main");
  return entry != nullptr && !entry->isDeclaration();
}

// A path, or the end of one after a slash.
bool IsFile(const std::string& path, const std::string& named) {
  if (path.size() <= named.size()) return path == named;
  return path.ends_with(named) && path[path.size() - named.size() - 1] == '/';
}

// Leaves the modules of one program: those without `main`, and one with it.
Status ChooseMain(const std::string& main_file, std::vector<std::unique_ptr<llvm::Module>>* modules) {
  std::vector<std::string> mains;
  for (const auto& module : *modules) {
    if (DefinesMain(*module)) mains.push_back(module->getSourceFileName());
  }
  if (main_file.empty() && mains.size() < 2) return {};
  const std::string list = fmt::format("{}", fmt::join(mains, ", "));
  if (main_file.empty()) {
    return MakeError(
        ErrorCode::kUsage,
        fmt::format("{} files define `main`: {}; say which program is meant with --main FILE", mains.size(), list));
  }
  auto chosen = std::count_if(mains.begin(), mains.end(), [&](const auto& name) { return IsFile(name, main_file); });
  if (chosen != 1) {
    return MakeError(ErrorCode::kUsage,
                     fmt::format("{} files with `main` are called {}; there are: {}", chosen, main_file, list));
  }
  std::erase_if(*modules, [&](const auto& module) {
    return DefinesMain(*module) && !IsFile(module->getSourceFileName(), main_file);
  });
  return {};
}

}  // namespace

Program::Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() {
  module.reset();
  context.reset();
}

Result<Program> LoadProgram(const std::vector<std::string>& paths, const std::string& main_file) {
  Program program;
  program.context = std::make_unique<llvm::LLVMContext>();
  std::string complaint;
  program.context->setDiagnosticHandler(std::make_unique<Listener>(&complaint));
  std::vector<std::unique_ptr<llvm::Module>> modules;
  for (const std::string& path : paths) {
    if (Status read = ReadModules(path, *program.context, &modules); !read) return read.error();
  }
  if (Status chosen = ChooseMain(main_file, &modules); !chosen) return chosen.error();
  for (std::unique_ptr<llvm::Module>& module : modules) {
    if (program.module == nullptr) {
      program.module = std::move(module);
      continue;
    }
    const std::string source = module->getSourceFileName();
    if (llvm::Linker::linkModules(*program.module, std::move(module)))
      return BadFile(source, "cannot be linked: " + complaint);
  }
  if (program.module == nullptr) return MakeError(ErrorCode::kUsage, "no bitcode given");
  const llvm::Function* entry = program.module->getFunction("main");
  program.is_library = entry == nullptr || entry->isDeclaration();
  program.has_debug_info = !program.module->debug_compile_units().empty();
  program.instructions = program.module->getInstructionCount();
  if (program.instructions == 0) return BadFile(paths[0], "there is no function in it");
  return program;
}

}  // namespace heddle::deadlock
