// Puts a bitcode file into the object that is being compiled.
//
// The assembler includes the file, so that the compiler never holds it as a constant: a variable would be loaded with
// the program, and a section of a variable cannot be marked as not loaded. The file was compiled before, from the same
// source with other options (instrument/driver.h), and is gone afterwards; so this is done only where this process
// writes the object itself.
#include "instrument/pass/embed.h"

#include <llvm/IR/Module.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include "wire/embedded_bitcode.h"

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {

std::string EmbedBitcode(Module& module, const std::string& path) {
  uint64_t bytes = 0;
  if (std::error_code failure = sys::fs::file_size(path, bytes)) return path + ": " + failure.message();
  std::string text;
  raw_string_ostream assembly(text);
  assembly << ".pushsection " << wire::kBitcodeSection << ",\"\",@progbits\n"
           << ".ascii \"" << wire::kBitcodeMark << "\"\n"
           << ".quad " << bytes << "\n"
           << ".incbin \"";
  assembly.write_escaped(path);
  assembly << "\"\n.popsection\n";
  module.appendModuleInlineAsm(text);
  return "";
}

}  // namespace heddle::instrument
