#include "analysis/coverage/module_table.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <sstream>

#include "base/file.h"
#include "base/frame.h"

namespace heddle::analysis {
namespace {

template <typename T>
bool Read(const std::string& file, uint64_t offset, T& value) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return false;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return true;
}

bool Header(const std::string& file, Elf64_Ehdr& header) {
  return Read(file, 0, header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64;
}

// The bias of a mapping of the file's bytes from `offset` on at `start`; false when no segment is there.
bool Bias(const std::string& path, uint64_t start, uint64_t offset, uint64_t& bias) {
  Result<std::string> file = ReadFile(path);
  Elf64_Ehdr header{};
  if (!file || !Header(*file, header)) return false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!Read(*file, header.e_phoff + uint64_t{i} * header.e_phentsize, segment)) return false;
    if (segment.p_type != PT_LOAD) continue;
    uint64_t page = segment.p_offset & ~uint64_t{0xFFF};
    if (offset < page || offset >= segment.p_offset + segment.p_filesz) continue;
    if ((segment.p_flags & PF_X) == 0) continue;
    bias = start - (segment.p_vaddr - segment.p_offset + offset);
    return true;
  }
  return false;
}

uint64_t DynamicSymbol(const std::string& path, const char* name) {
  Result<std::string> file = ReadFile(path);
  Elf64_Ehdr header{};
  if (!file || !Header(*file, header)) return 0;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table{};
    Elf64_Shdr strings{};
    if (!Read(*file, header.e_shoff + uint64_t{i} * header.e_shentsize, table)) return 0;
    if (table.sh_type != SHT_DYNSYM && table.sh_type != SHT_SYMTAB) continue;
    if (!Read(*file, header.e_shoff + uint64_t{table.sh_link} * header.e_shentsize, strings)) return 0;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol{};
      if (!Read(*file, table.sh_offset + at, symbol)) return 0;
      uint64_t text = strings.sh_offset + symbol.st_name;
      if (text < file->size() && std::strncmp(file->data() + text, name, file->size() - text) == 0) {
        return symbol.st_value;
      }
    }
  }
  return 0;
}

}  // namespace

std::vector<MappedModule> MappedModules(pid_t process) {
  std::vector<MappedModule> modules;
  Result<std::string> text = ReadFile(fmt::format("/proc/{}/maps", process));
  if (!text) return modules;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    unsigned long start = 0;
    unsigned long end = 0;
    unsigned long offset = 0;
    char rights[8] = {};
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %7s %lx %*s %*s %n", &start, &end, rights, &offset, &path_at) < 4) continue;
    if (std::strchr(rights, 'x') == nullptr || path_at == 0) continue;
    std::string path = line.substr(static_cast<size_t>(path_at));
    if (path.empty() || path[0] != '/') continue;
    MappedModule module{path, 0};
    if (Bias(path, start, offset, module.bias)) modules.push_back(module);
  }
  return modules;
}

const ModuleTable& ModuleTables::Of(const std::string& path) {
  auto [found, added] = tables_.try_emplace(path);
  if (!added) return found->second;
  std::string name = Basename(path);
  if (name.starts_with("ld-linux")) found->second.linker_mark = DynamicSymbol(path, "_dl_debug_state");
  if (name.starts_with("libheddle_")) return found->second;
  Result<symbolize::ModuleCode> code = symbolize::FunctionsOf(path);
  if (code) found->second.code = code.Take();
  return found->second;
}

}  // namespace heddle::analysis
