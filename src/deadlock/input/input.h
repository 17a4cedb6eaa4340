// The program to analyse: bitcode files, read and linked in memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace heddle::deadlock {

// A linked program. The context must outlive the module, so both live here.
struct Program {
  Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  bool has_debug_info = false;
  bool is_library = false;  // no main: every exported function can be called, by any thread
  size_t instructions = 0;
};

// Reads each file (.bc, .ll, or compiled by `heddle cc --bitcode`), links them, and checks the result. An error names
// the file and what is wrong with it. Of several files that define `main`, only the one whose source is `main_file` (or
// ends with /main_file) is taken.
Result<Program> LoadProgram(const std::vector<std::string>& paths, const std::string& main_file = "");

}  // namespace heddle::deadlock
