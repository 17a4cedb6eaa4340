// Linking, with a script that is made from the objects.
//
// The objects' symbol tables give the undefined functions, which become stubs at fixed addresses, and the sections of
// variables (one for each with -fdata-sections). The script puts these sections, sorted by name, visible ones first, at
// offsets that the sizes determine, with at least 32 unused bytes between two: a store that runs over the end of a
// variable hits no other one.
#include "refine/trace/image.h"

#include <fmt/format.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/ObjectFile.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/file.h"
#include "refine/trace/command.h"

namespace heddle::refine {
namespace {

using Object = llvm::object::ELFObjectFileBase;
using Binary = llvm::object::OwningBinary<llvm::object::ObjectFile>;

Error Wrong(const std::string& path, const std::string& why) {
  return MakeError(ErrorCode::kBadInput, path + ": " + why);
}

template <typename T>
T Or(llvm::Expected<T> value, T otherwise) {
  if (value) return *value;
  llvm::consumeError(value.takeError());
  return otherwise;
}

Result<Binary> OpenElf(const std::string& path) {
  if (Result<std::string> there = ReadFile(path); !there) return there.error();
  llvm::Expected<Binary> binary = llvm::object::ObjectFile::createObjectFile(path);
  if (!binary) return Wrong(path, "not an object file: " + llvm::toString(binary.takeError()));
  if (llvm::dyn_cast<Object>(binary->getBinary()) == nullptr) return Wrong(path, "not an ELF object file");
  return std::move(*binary);
}

struct DataSection {
  std::string name;
  uint64_t size = 0;
  uint64_t alignment = 1;
  bool visible = false;  // some symbol in it is global
};

struct Needs {
  uint16_t machine = 0;
  bool has_thread_local = false;
  std::set<std::string> undefined;
  std::set<std::string> defined;
  std::map<std::string, DataSection> data;
};

bool IsWritableData(const llvm::object::ELFSectionRef& section) {
  uint64_t flags = section.getFlags();
  return (flags & llvm::ELF::SHF_ALLOC) != 0 && (flags & llvm::ELF::SHF_WRITE) != 0 &&
         (flags & llvm::ELF::SHF_TLS) == 0 && section.getSize() > 0;
}

void LookAtSections(const Object& object, Needs& needs) {
  for (const llvm::object::ELFSectionRef section : object.sections()) {
    if ((section.getFlags() & llvm::ELF::SHF_TLS) != 0) needs.has_thread_local = true;
    if (!IsWritableData(section)) continue;
    std::string name = Or(section.getName(), llvm::StringRef()).str();
    DataSection& data = needs.data[name];
    data.name = name;
    data.size += section.getSize();
    data.alignment = std::max<uint64_t>(data.alignment, section.getAlignment().value());
  }
}

void LookAtSymbols(const Object& object, Needs& needs) {
  for (const llvm::object::ELFSymbolRef symbol : object.symbols()) {
    uint32_t flags = Or(symbol.getFlags(), 0U);
    std::string name = Or(symbol.getName(), llvm::StringRef()).str();
    if (name.empty()) continue;
    if ((flags & llvm::object::BasicSymbolRef::SF_Undefined) != 0) {
      needs.undefined.insert(name);
      continue;
    }
    if ((flags & llvm::object::BasicSymbolRef::SF_Global) == 0) continue;
    needs.defined.insert(name);
    llvm::Expected<llvm::object::section_iterator> section = symbol.getSection();
    if (!section) {
      llvm::consumeError(section.takeError());
    } else if (*section != object.section_end()) {
      auto found = needs.data.find(Or((*section)->getName(), llvm::StringRef()).str());
      if (found != needs.data.end()) found->second.visible = true;
    }
  }
}

Result<Needs> LookAt(const std::vector<std::string>& objects) {
  Needs needs;
  for (const std::string& path : objects) {
    Result<Binary> binary = OpenElf(path);
    if (!binary) return binary.error();
    const auto& object = *llvm::cast<Object>(binary->getBinary());
    if (needs.machine != 0 && needs.machine != object.getEMachine()) return Wrong(path, "is for another architecture");
    needs.machine = object.getEMachine();
    LookAtSections(object, needs);
    LookAtSymbols(object, needs);
  }
  for (const std::string& name : needs.defined) needs.undefined.erase(name);
  needs.undefined.erase("_GLOBAL_OFFSET_TABLE_");  // the linker's own
  return needs;
}

// ".data.x" and ".bss.x" are both the variable x: which of the two a build has does not move anything.
std::string VariableOf(const std::string& section) {
  for (std::string_view prefix : {".data.rel.ro.local.", ".data.rel.ro.", ".data.rel.local.", ".data.rel.", ".data.",
                                  ".bss.", ".sdata.", ".sbss."}) {
    if (section.starts_with(prefix)) return section.substr(prefix.size());
  }
  return section;
}

std::string Script(const Needs& needs) {
  std::vector<const DataSection*> order;
  for (const auto& [name, section] : needs.data) order.push_back(&section);
  std::sort(order.begin(), order.end(), [](const DataSection* a, const DataSection* b) {
    if (a->visible != b->visible) return a->visible;
    return VariableOf(a->name) < VariableOf(b->name);
  });
  std::string script = fmt::format(
      "SECTIONS {{\n  .text {:#x} : {{ *(.text .text.*) }}\n"
      "  .rodata : {{ *(.rodata .rodata.* .srodata .srodata.* .gcc_except_table .gcc_except_table.*) }}\n"
      "  .tdata : {{ *(.tdata .tdata.*) }}\n  .tbss : {{ *(.tbss .tbss.*) }}\n  .got : {{ *(.got .got.*) }}\n",
      kCodeBase);
  script += fmt::format("  .data {:#x} : {{\n", kDataBase);
  uint64_t offset = 0;
  for (const DataSection* section : order) {
    uint64_t alignment = std::max<uint64_t>(64, section->alignment);
    offset = (offset + alignment - 1) / alignment * alignment;
    // lld counts from address 0 inside of a section too.
    script += fmt::format("    . = {:#x}; *({})\n", kDataBase + offset, section->name);
    offset += section->size + 32;
  }
  script += "    *(COMMON)\n  }\n  /DISCARD/ : { *(.eh_frame .comment .note.* .riscv.attributes) }\n}\n";
  return script;
}

std::string Linker() {
  static const std::string name = [] {
    Result<CommandResult> versioned = RunCommand({"ld.lld-19", "--version"}, 20);
    return versioned.ok() ? std::string("ld.lld-19") : std::string("ld.lld");
  }();
  return name;
}

Status Link(const std::vector<std::string>& objects, const Needs& needs, const std::string& folder, Image& image) {
  std::string script = folder + "/link.ld";
  if (Status written = WriteFileAtomic(script, Script(needs)); !written) return written;
  image.stubs = {""};
  std::string response = fmt::format("-m {} -static -nostdlib --no-relax -e 0 -T \"{}\" -o \"{}\"\n",
                                     image.arch->emulation, script, image.path);
  for (const std::string& name : needs.undefined) {
    response += fmt::format("\"--defsym={}={:#x}\"\n", name, kStubBase + 16 * image.stubs.size());
    image.stubs.push_back(name);
  }
  for (const std::string& object : objects) response += "\"" + object + "\"\n";
  if (Status written = WriteFileAtomic(folder + "/link.rsp", response); !written) return written;
  Result<CommandResult> linked = RunCommand({Linker(), "@" + folder + "/link.rsp"});
  if (!linked) {
    if (linked.error().code != ErrorCode::kNotFound) return linked.error();
    return MakeError(ErrorCode::kUnsupported, "the linker lld is missing: install the Debian package lld-19");
  }
  if (linked->code == 0) return {};
  return MakeError(ErrorCode::kBadInput, fmt::format("{}: cannot be linked:\n{}", objects[0], linked->text));
}

void Place(std::vector<uint8_t>& memory, uint64_t base, uint64_t address, uint64_t size, llvm::StringRef content) {
  uint64_t offset = address - base;
  if (memory.size() < offset + size) memory.resize(offset + size);
  std::memcpy(memory.data() + offset, content.data(), std::min<uint64_t>(content.size(), size));
}

Status LoadSections(const Object& object, Image& image) {
  for (const llvm::object::ELFSectionRef section : object.sections()) {
    if ((section.getFlags() & llvm::ELF::SHF_ALLOC) == 0 || section.getSize() == 0) continue;
    uint64_t address = section.getAddress();
    llvm::StringRef content = section.isBSS() ? llvm::StringRef() : Or(section.getContents(), llvm::StringRef());
    bool is_data = address >= kDataBase;
    if (address < kCodeBase || address + section.getSize() > kStackBase) {
      return Wrong(image.path, "a section is outside of the program");
    }
    Place(is_data ? image.data : image.code, is_data ? kDataBase : kCodeBase, address, section.getSize(), content);
  }
  return {};
}

void LoadSymbols(const Object& object, Image& image) {
  for (const llvm::object::ELFSymbolRef symbol : object.symbols()) {
    std::string name = Or(symbol.getName(), llvm::StringRef()).str();
    uint64_t address = Or(symbol.getAddress(), uint64_t{0});
    if (name.empty() || address < kCodeBase) continue;
    if (symbol.getELFType() == llvm::ELF::STT_FUNC) image.functions[name] = address;
    if (symbol.getELFType() != llvm::ELF::STT_OBJECT || address < kDataBase || symbol.getSize() == 0) continue;
    image.variables.push_back({name, address, symbol.getSize(), symbol.getBinding() == llvm::ELF::STB_LOCAL});
  }
  std::sort(image.variables.begin(), image.variables.end(), [](const ImageVariable& a, const ImageVariable& b) {
    return a.address != b.address ? a.address < b.address : a.name < b.name;
  });
  // Aliases: one name for one object.
  auto same = [](const ImageVariable& a, const ImageVariable& b) { return a.address == b.address; };
  image.variables.erase(std::unique(image.variables.begin(), image.variables.end(), same), image.variables.end());
}

}  // namespace

Result<Image> LinkImage(const std::vector<std::string>& objects, const std::string& folder,
                        const LinkOptions& options) {
  Result<Needs> needs = LookAt(objects);
  if (!needs) return needs.error();
  Image image;
  image.arch = ArchByMachine(needs->machine);
  if (image.arch == nullptr) {
    return MakeError(ErrorCode::kUnsupported, objects[0] + ": for an architecture that heddle does not emulate");
  }
  image.build = options.build;
  image.has_thread_local = needs->has_thread_local;
  image.path = folder + "/image";
  if (Status linked = Link(objects, *needs, folder, image); !linked) return linked.error();
  Result<Binary> binary = OpenElf(image.path);
  if (!binary) return binary.error();
  const auto& object = *llvm::cast<Object>(binary->getBinary());
  if (Status loaded = LoadSections(object, image); !loaded) return loaded.error();
  LoadSymbols(object, image);
  image.layouts = options.layouts;
  if (image.layouts == nullptr) {
    Result<Layouts> layouts = ReadLayouts(image.path);
    if (!layouts) return layouts.error();
    image.layouts = std::make_shared<Layouts>(layouts.Take());
  }
  return image;
}

}  // namespace heddle::refine
