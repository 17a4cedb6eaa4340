#include "symbolize/debug_file.h"

#include <fmt/format.h>
#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/Symbolize/SymbolizableObjectFile.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Object/BuildID.h>
#include <llvm/Object/ObjectFile.h>

#include <utility>

#include "symbolize/member_path.h"

namespace heddle::symbolize {
namespace {

using Binary = llvm::object::OwningBinary<llvm::object::ObjectFile>;

// LLVM writes "<invalid>" or "??" where it knows nothing.
std::string Known(const std::string& text) {
  return text == llvm::DILineInfo::BadString || text == llvm::DILineInfo::Addr2LineBadString ? std::string() : text;
}

// gcc names the function-local static `n` "n.0"; nobody wrote the ".0".
std::string WithoutStaticSuffix(const std::string& name) {
  size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == name.size()) return name;
  bool digits = name.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  return digits ? name.substr(0, dot) : name;
}

std::string HexBuildId(const llvm::object::ObjectFile& object) {
  std::string hex;
  for (uint8_t byte : llvm::object::getBuildID(&object)) hex += fmt::format("{:02x}", byte);
  return hex;
}

bool HasDebugInfo(const llvm::object::ObjectFile& object) {
  for (const llvm::object::SectionRef& section : object.sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
    } else if (*name == ".debug_info") {
      return true;
    }
  }
  return false;
}

// Functions have symbols like variables do; what lies in an executable section is code.
bool IsCode(const llvm::object::ObjectFile& object, uint64_t address) {
  for (const llvm::object::SectionRef& section : object.sections()) {
    bool inside = address >= section.getAddress() && address - section.getAddress() < section.getSize();
    if (inside && section.isText()) return true;
  }
  return false;
}

// LLVM's default handlers print; a library does not. What cannot be read is simply not named.
void Ignore(llvm::Error error) { llvm::consumeError(std::move(error)); }

std::unique_ptr<llvm::DWARFContext> Dwarf(const llvm::object::ObjectFile& object) {
  return llvm::DWARFContext::create(object, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "", Ignore,
                                    Ignore);
}

Frame FrameOf(const llvm::DILineInfo& info, bool inlined) {
  Frame frame;
  frame.function = llvm::demangle(Known(info.FunctionName));
  frame.file = Known(info.FileName);
  frame.line = info.Line;
  frame.column = info.Column;
  frame.function_line = info.StartLine;
  frame.inlined = inlined;
  return frame;
}

llvm::object::SectionedAddress InFile(uint64_t address) {
  return {address, llvm::object::SectionedAddress::UndefSection};
}

}  // namespace

struct DebugFile::Parts {
  Binary object;
  Binary debug;                         // empty when the debug info is in `object` itself
  llvm::DWARFContext* dwarf = nullptr;  // owned by `reader`
  std::unique_ptr<llvm::symbolize::SymbolizableObjectFile> reader;
};

DebugFile::DebugFile(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
DebugFile::~DebugFile() = default;

Result<std::unique_ptr<DebugFile>> DebugFile::Open(const std::string& path, const std::string& build_id) {
  auto fail = [&](const std::string& why) { return MakeError(ErrorCode::kBadInput, path + ": " + why); };
  auto parts = std::make_unique<Parts>();
  llvm::Expected<Binary> object = llvm::object::ObjectFile::createObjectFile(path);
  if (!object) return fail(llvm::toString(object.takeError()));
  parts->object = std::move(*object);
  const llvm::object::ObjectFile* with_dwarf = parts->object.getBinary();
  std::string id = HexBuildId(*with_dwarf);
  if (!build_id.empty() && id != build_id) return fail("rebuilt since it ran (its build id differs)");
  if (id.size() > 2 && !HasDebugInfo(*with_dwarf)) {
    auto debug = llvm::object::ObjectFile::createObjectFile(
        fmt::format("/usr/lib/debug/.build-id/{}/{}.debug", id.substr(0, 2), id.substr(2)));
    if (debug) {
      parts->debug = std::move(*debug);
      with_dwarf = parts->debug.getBinary();
    } else {
      llvm::consumeError(debug.takeError());
    }
  }
  std::unique_ptr<llvm::DWARFContext> dwarf = Dwarf(*with_dwarf);
  parts->dwarf = dwarf.get();
  auto reader = llvm::symbolize::SymbolizableObjectFile::create(parts->object.getBinary(), std::move(dwarf), false);
  if (!reader) return fail(llvm::toString(reader.takeError()));
  parts->reader = std::move(*reader);
  return std::unique_ptr<DebugFile>(new DebugFile(std::move(parts)));
}

Stack DebugFile::Code(uint64_t address) const {
  llvm::DILineInfoSpecifier wanted(llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
                                   llvm::DILineInfoSpecifier::FunctionNameKind::LinkageName);
  llvm::DIInliningInfo found = parts_->reader->symbolizeInlinedCode(InFile(address), wanted, true);
  Stack stack;
  for (uint32_t i = 0; i < found.getNumberOfFrames(); ++i) {
    stack.push_back(FrameOf(found.getFrame(i), i + 1 < found.getNumberOfFrames()));
  }
  return stack;
}

std::optional<Variable> DebugFile::Data(uint64_t address, uint64_t size) const {
  if (IsCode(*parts_->object.getBinary(), address)) return std::nullopt;
  llvm::DIGlobal found = parts_->reader->symbolizeData(InFile(address));
  // LLVM answers with the nearest symbol before the address; only one that contains it is an answer.
  if (Known(found.Name).empty() || address < found.Start || address - found.Start >= found.Size) return std::nullopt;
  Variable variable;
  variable.name = WithoutStaticSuffix(llvm::demangle(found.Name));
  variable.offset = address - found.Start;
  variable.size = found.Size;
  variable.member = MemberPath(*parts_->dwarf, found.Start, variable.offset, size);
  variable.file = found.DeclFile;
  variable.line = static_cast<uint32_t>(found.DeclLine);
  return variable;
}

Result<std::vector<std::string>> VariablesOfFile(const std::string& path) {
  llvm::Expected<Binary> object = llvm::object::ObjectFile::createObjectFile(path);
  if (!object) {
    return MakeError(ErrorCode::kBadInput, fmt::format("{}: {}", path, llvm::toString(object.takeError())));
  }
  std::vector<std::string> names;
  for (const llvm::object::SymbolRef& symbol : object->getBinary()->symbols()) {
    llvm::Expected<llvm::object::SymbolRef::Type> type = symbol.getType();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    bool variable = type && name && *type == llvm::object::SymbolRef::ST_Data && !name->empty();
    if (variable) names.push_back(WithoutStaticSuffix(llvm::demangle(name->str())));
    if (!type) llvm::consumeError(type.takeError());
    if (!name) llvm::consumeError(name.takeError());
  }
  if (names.empty()) return MakeError(ErrorCode::kBadInput, path + ": it names no variables (was it stripped?)");
  return names;
}

std::string BuildIdOfFile(const std::string& path) {
  auto object = llvm::object::ObjectFile::createObjectFile(path);
  if (object) return HexBuildId(*object->getBinary());
  llvm::consumeError(object.takeError());
  return {};
}

}  // namespace heddle::symbolize
