// Addresses to functions, files, lines and variables, from the files on disk: it works while the program runs and long
// after, from the module table of a trace.
//
// Never fails: an address in no known module gives a frame without names; a module that is stripped, missing or rebuilt
// since (its build id differs, so its lines would lie) gives the module and the offset in it. Problems() says why.
//
// LLVM's symbolizer does the DWARF reading; its headers stay in the .cpp files. Results are cached by address.
// Not thread-safe: LLVM's caches are not; use one Symbolizer a thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/frame.h"
#include "base/result.h"

namespace heddle::symbolize {

// A program or library as it was mapped.
struct Module {
  struct Range {
    uint64_t begin = 0;  // [begin, end) in the process
    uint64_t end = 0;
  };
  std::string path;
  uint64_t load_base = 0;     // what to take from an address to get the address in the file (dlpi_addr; 0 for non-PIE)
  std::string build_id;       // hex, lower case; empty when unknown, then the file is trusted
  std::vector<Range> ranges;  // where its segments lie
};

// A global or static variable.
struct Variable {
  std::string name;     // demangled; gcc's suffix for function-local statics removed
  std::string member;   // the part of it, as C writes it behind the name: "[1].count"; empty: all of it, or not known
  uint64_t offset = 0;  // of the address in it
  uint64_t size = 0;
  std::string file;  // of its declaration; empty when unknown
  uint32_t line = 0;
  std::string module;

  bool operator==(const Variable&) const = default;
};

// Where an address was found. A return address lies behind the call; it is looked up one byte earlier.
enum class AddressKind { kExact, kReturn };

class Symbolizer {
 public:
  explicit Symbolizer(std::vector<Module> modules);
  ~Symbolizer();
  Symbolizer(Symbolizer&&) noexcept;
  Symbolizer& operator=(Symbolizer&&) noexcept;

  // The functions at a code address, innermost inlined one first; at least one frame. The reference holds until
  // AddModule.
  const Stack& Frames(uint64_t address, AddressKind kind = AddressKind::kExact);

  // A whole stack: the first address is exact, the others are return addresses.
  Stack FramesOf(const std::vector<uint64_t>& addresses);

  // The global variable that contains the address, if any. `size` is that of the access: a member is named only when
  // it holds all of it.
  std::optional<Variable> Global(uint64_t address, uint64_t size = 1);

  // The module whose ranges hold the address; the one added last when several do (it was loaded later in its place).
  const Module* FindModule(uint64_t address) const;

  // A library that was loaded later.
  void AddModule(Module module);

  // One line for each module that could not be used fully, in order of discovery.
  const std::vector<std::string>& Problems() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The global and static variables of a program or library by name, from its symbol table and debug info. An error when
// the file cannot be read or names none (it was stripped).
Result<std::vector<std::string>> VariablesOfFile(const std::string& path);

// The build id in an ELF file (hex), empty when it has none or cannot be read.
std::string BuildIdOfFile(const std::string& path);

}  // namespace heddle::symbolize
