#include "analysis/debug/runtime_view.h"

#include <elf.h>

#include <cstring>

#include "base/file.h"

namespace heddle::analysis {
namespace {

constexpr std::string_view kRuntime = "libheddle_rt.so";
constexpr uint32_t kMostThreads = 65536;

// Null when the file has not so many bytes there.
template <typename T>
const T* At(const std::string& bytes, uint64_t offset, uint64_t count = 1) {
  if (offset > bytes.size() || count > (bytes.size() - offset) / sizeof(T)) return nullptr;
  return reinterpret_cast<const T*>(bytes.data() + offset);
}

uint64_t InTable(const std::string& bytes, const Elf64_Shdr& table, const Elf64_Shdr& strings, std::string_view name) {
  uint64_t count = table.sh_size / sizeof(Elf64_Sym);
  const auto* symbols = At<Elf64_Sym>(bytes, table.sh_offset, count);
  if (symbols == nullptr || At<char>(bytes, strings.sh_offset, strings.sh_size) == nullptr) return 0;
  std::string_view text(bytes.data() + strings.sh_offset, strings.sh_size);
  for (uint64_t i = 0; i < count; ++i) {
    if (symbols[i].st_name >= text.size() || symbols[i].st_shndx == SHN_UNDEF) continue;
    std::string_view rest = text.substr(symbols[i].st_name);
    if (rest.substr(0, rest.find('\0')) == name) return symbols[i].st_value;
  }
  return 0;
}

}  // namespace

uint64_t ExportedSymbol(const std::string& file, std::string_view name) {
  Result<std::string> bytes = ReadFile(file);
  if (!bytes) return 0;
  const auto* header = At<Elf64_Ehdr>(*bytes, 0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return 0;
  const auto* sections = At<Elf64_Shdr>(*bytes, header->e_shoff, header->e_shnum);
  for (unsigned i = 0; sections != nullptr && i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_DYNSYM || sections[i].sh_link >= header->e_shnum) continue;
    return InTable(*bytes, sections[i], sections[sections[i].sh_link], name);
  }
  return 0;
}

std::optional<RuntimeView> RuntimeView::Find(const Inferior& program) {
  auto module = program.FindModule(kRuntime);
  if (!module) return std::nullopt;
  RuntimeView found;
  found.address_ = ExportedSymbol(module->first, wire::kDebugViewSymbol);
  if (found.address_ == 0) return std::nullopt;
  found.address_ += module->second;
  uint64_t at_finding = ExportedSymbol(module->first, "heddle_at_finding");
  found.at_finding_ = at_finding == 0 ? 0 : module->second + at_finding;
  auto view = program.Get<wire::DebugView>(found.address_);
  if (!view || view->magic != wire::kDebugViewMagic) return std::nullopt;
  found.view_ = *view;
  return found;
}

uint64_t RuntimeView::Steps(const Inferior& program) const {
  return program.Get<uint64_t>(reinterpret_cast<uint64_t>(view_.steps)).value_or(0);
}

void RuntimeView::StopAt(Inferior& program, uint64_t steps) const {
  program.Write(address_ + offsetof(wire::DebugView, stop_step), &steps, sizeof steps);
}

std::vector<LogicalThread> RuntimeView::Threads(const Inferior& program) const {
  std::vector<LogicalThread> threads;
  uint64_t running = program.GetRegisters().general.fs_base;
  uint32_t limit = program.Get<uint32_t>(reinterpret_cast<uint64_t>(view_.slot_limit)).value_or(0);
  for (uint32_t slot = 0; slot < limit && slot < kMostThreads; ++slot) {
    auto address = program.Get<uint64_t>(reinterpret_cast<uint64_t>(view_.slots) + slot * sizeof(uint64_t));
    if (!address || *address == 0 || program.Get<uint8_t>(*address + view_.ended).value_or(1) != 0) continue;
    char name[wire::kThreadNameBytes + 1] = {};
    program.Read(*address + view_.name, name, wire::kThreadNameBytes);
    LogicalThread thread{*address, program.Get<uint32_t>(*address + view_.number).value_or(0), name, false};
    thread.running = program.Get<uint64_t>(*address + view_.fs) == running;
    threads.push_back(thread);
  }
  return threads;
}

Registers RuntimeView::RegistersOf(const Inferior& program, const LogicalThread& thread) const {
  Registers registers = program.GetRegisters();
  if (thread.running) return registers;
  auto stack = program.Get<uint64_t>(thread.address + view_.stack);
  auto frame = stack ? program.Get<wire::FiberFrame>(*stack) : std::nullopt;
  if (!frame) return registers;
  user_regs_struct& general = registers.general;
  general.r15 = frame->r15;
  general.r14 = frame->r14;
  general.r13 = frame->r13;
  general.r12 = frame->r12;
  general.rbx = frame->rbx;
  general.rbp = frame->rbp;
  general.rip = frame->return_address;
  general.rsp = *stack + sizeof(wire::FiberFrame);
  general.fs_base = program.Get<uint64_t>(thread.address + view_.fs).value_or(0);
  general.orig_rax = ~0ULL;
  return registers;
}

}  // namespace heddle::analysis
