// compile_commands.json: how each file of a program is compiled, turned into commands that make bitcode.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace heddle::deadlock {

struct CompileCommand {
  std::string directory;
  std::string file;
  std::vector<std::string> arguments;  // with the compiler first
};

// Reads BUILD_DIR/compile_commands.json.
Result<std::vector<CompileCommand>> ReadCompileCommands(const std::string& build_dir);

// The command that compiles the same file to bitcode at `output`, with clang 19, unoptimised but ready to be, with
// debug info.
std::vector<std::string> BitcodeCommand(const CompileCommand& command, const std::string& output);

}  // namespace heddle::deadlock
