// Finds the bitcode in a compiled file.
//
// Linkers put the sections of all objects together, each with its head, in the order of the link; between them may be
// zeros. So the section is read from its begin: zeros are skipped, then a head says how many bytes follow.
#include "deadlock/input/carried.h"

#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Module.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/raw_ostream.h>

#include <cstring>

#include "base/file.h"
#include "deadlock/input/input.h"
#include "wire/embedded_bitcode.h"

namespace heddle::deadlock {

Error BadFile(const std::string& path, const std::string& what) {
  return MakeError(ErrorCode::kBadInput, fmt::format("{}: {}", path, what));
}
namespace {

// The contents of the section; empty when there is none.
Result<std::string_view> Section(const std::string& path, std::string_view bytes) {
  llvm::MemoryBufferRef buffer(llvm::StringRef(bytes.data(), bytes.size()), path);
  auto file = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!file) return BadFile(path, "a damaged compiled file: " + llvm::toString(file.takeError()));
  for (const llvm::object::SectionRef& section : (*file)->sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name) return BadFile(path, "a damaged compiled file: " + llvm::toString(name.takeError()));
    if (*name != wire::kBitcodeSection) continue;
    llvm::Expected<llvm::StringRef> contents = section.getContents();
    if (!contents) return BadFile(path, "a damaged compiled file: " + llvm::toString(contents.takeError()));
    return std::string_view(contents->data(), contents->size());
  }
  return std::string_view{};
}

}  // namespace

bool IsCompiled(std::string_view bytes) {
  return bytes.starts_with(
      "\x7f"
      "ELF");
}

Result<std::vector<std::string_view>> CarriedBitcode(const std::string& path, std::string_view bytes) {
  Result<std::string_view> section = Section(path, bytes);
  if (!section) return section.error();
  std::vector<std::string_view> parts;
  std::string_view rest = *section;
  for (;;) {
    size_t begin = rest.find_first_not_of('\0');
    if (begin == std::string_view::npos) break;
    rest.remove_prefix(begin);
    uint64_t length = 0;
    bool head = rest.size() >= wire::kBitcodeHeadBytes && rest.starts_with(wire::kBitcodeMark);
    if (head) memcpy(&length, rest.data() + wire::kBitcodeMarkBytes, sizeof length);
    if (!head || length > rest.size() - wire::kBitcodeHeadBytes) {
      return BadFile(path, fmt::format("the section {} is damaged", wire::kBitcodeSection));
    }
    parts.push_back(rest.substr(wire::kBitcodeHeadBytes, length));
    rest.remove_prefix(wire::kBitcodeHeadBytes + length);
  }
  if (parts.empty()) {
    return BadFile(path,
                   "this is a compiled file without bitcode; build with `heddle cc --bitcode`, whose objects and "
                   "programs carry it");
  }
  return parts;
}

Status WriteCarriedBitcode(const std::string& path, const std::string& output) {
  Result<std::string> bytes = ReadFile(path);
  if (!bytes) return bytes.error();
  if (!IsCompiled(*bytes)) return {};
  Result<std::string_view> section = Section(path, *bytes);
  if (!section) return section.error();
  if (section->empty()) return {};
  Result<Program> program = LoadProgram({path});
  if (!program) return program.error();
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::WriteBitcodeToFile(*program->module, stream);
  return WriteFileAtomic(output, text);
}

}  // namespace heddle::deadlock
