#include "symbolize/symbolizer.h"

#include <fmt/format.h>
#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/Symbolize/Symbolize.h>
#include <llvm/Object/BuildID.h>
#include <llvm/Object/ObjectFile.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "symbolize/member_path.h"

namespace heddle::symbolize {
namespace {

// LLVM writes "<invalid>" or "??" where it knows nothing.
std::string Known(const std::string& text) {
  return text == llvm::DILineInfo::BadString || text == llvm::DILineInfo::Addr2LineBadString ? std::string() : text;
}

llvm::symbolize::LLVMSymbolizer::Options Options() {
  llvm::symbolize::LLVMSymbolizer::Options options;
  options.Demangle = true;
  options.UseSymbolTable = true;
  options.PathStyle = llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath;
  return options;
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

// LLVM's default handlers print; a library does not. What cannot be read is simply not named.
void Ignore(llvm::Error error) { llvm::consumeError(std::move(error)); }

Frame BareFrame(const Module* module, uint64_t address) {
  Frame frame;
  if (module == nullptr) return frame;
  frame.module = module->path;
  frame.module_offset = address - module->load_base;
  return frame;
}

}  // namespace

class Symbolizer::Impl {
 public:
  explicit Impl(std::vector<Module> modules) : llvm_(Options()) {
    for (Module& module : modules) Add(std::move(module));
  }

  void Add(Module module) {
    modules_.push_back(Entry{std::make_unique<Module>(std::move(module)), Usable::kUnknown, {}, nullptr});
    cache_.clear();  // an address may now mean something else
    globals_.clear();
  }

  const Module* Find(uint64_t address) {
    Entry* entry = FindEntry(address);
    return entry == nullptr ? nullptr : entry->module.get();
  }

  const Stack& Frames(uint64_t address, AddressKind kind) {
    uint64_t key = kind == AddressKind::kReturn && address > 0 ? address - 1 : address;
    auto known = cache_.find(key);
    if (known != cache_.end()) return known->second;
    return cache_.emplace(key, Lookup(key)).first->second;
  }

  const std::optional<Variable>& Global(uint64_t address, uint64_t size) {
    auto known = globals_.find({address, size});
    if (known != globals_.end()) return known->second;
    return globals_.emplace(std::pair(address, size), LookupGlobal(address, size)).first->second;
  }

  const std::vector<std::string>& problems() const { return problems_; }

 private:
  enum class Usable { kUnknown, kYes, kNo };
  struct Entry {
    std::unique_ptr<Module> module;  // its address is given out by FindModule
    Usable usable;
    llvm::object::OwningBinary<llvm::object::ObjectFile> object;  // what dwarf reads
    std::unique_ptr<llvm::DWARFContext> dwarf;                    // null until the file was looked at
  };

  std::optional<Variable> LookupGlobal(uint64_t address, uint64_t size) {
    Entry* entry = FindEntry(address);
    if (entry == nullptr || !Check(*entry)) return std::nullopt;
    uint64_t offset = address - entry->module->load_base;
    auto found = llvm_.symbolizeData(entry->module->path, {offset, llvm::object::SectionedAddress::UndefSection});
    if (!found) {
      Note(*entry, llvm::toString(found.takeError()));
      return std::nullopt;
    }
    // LLVM answers with the nearest symbol before the address; only one that contains it is an answer.
    if (Known(found->Name).empty() || offset < found->Start || offset - found->Start >= found->Size)
      return std::nullopt;
    Variable variable;
    variable.name = WithoutStaticSuffix(found->Name);
    variable.offset = offset - found->Start;
    if (entry->dwarf) variable.member = MemberPath(*entry->dwarf, found->Start, variable.offset, size);
    variable.size = found->Size;
    variable.file = found->DeclFile;
    variable.line = static_cast<uint32_t>(found->DeclLine);
    variable.module = entry->module->path;
    return variable;
  }

  Entry* FindEntry(uint64_t address) {
    auto holds = [&](const Entry& entry) {
      const auto& ranges = entry.module->ranges;
      return std::any_of(ranges.begin(), ranges.end(),
                         [&](const Module::Range& range) { return address >= range.begin && address < range.end; });
    };
    auto found = std::find_if(modules_.rbegin(), modules_.rend(), holds);
    return found == modules_.rend() ? nullptr : &*found;
  }

  void Note(Entry& entry, const std::string& problem) {
    entry.usable = Usable::kNo;
    problems_.push_back(fmt::format("{}: {}", entry.module->path, problem));
  }

  // Looks at the file once: is it there, is it the one that ran?
  bool Check(Entry& entry) {
    if (entry.usable == Usable::kUnknown) {
      entry.usable = Usable::kYes;
      auto object = llvm::object::ObjectFile::createObjectFile(entry.module->path);
      if (!object) {
        Note(entry, llvm::toString(object.takeError()));
      } else if (!entry.module->build_id.empty() && HexBuildId(*object->getBinary()) != entry.module->build_id) {
        Note(entry, "rebuilt since it ran (its build id differs)");
      } else {
        entry.object = std::move(*object);
        entry.dwarf =
            llvm::DWARFContext::create(*entry.object.getBinary(), llvm::DWARFContext::ProcessDebugRelocations::Ignore,
                                       nullptr, "", Ignore, Ignore);
      }
    }
    return entry.usable == Usable::kYes;
  }

  Stack Lookup(uint64_t address) {
    Entry* entry = FindEntry(address);
    const Module* module = entry == nullptr ? nullptr : entry->module.get();
    Frame bare = BareFrame(module, address);
    if (entry == nullptr || !Check(*entry)) return {bare};
    auto found =
        llvm_.symbolizeInlinedCode(module->path, {bare.module_offset, llvm::object::SectionedAddress::UndefSection});
    if (!found) {
      Note(*entry, llvm::toString(found.takeError()));
      return {bare};
    }
    Stack stack;
    for (uint32_t i = 0; i < found->getNumberOfFrames(); ++i) {
      const llvm::DILineInfo& info = found->getFrame(i);
      Frame frame = bare;
      frame.function = Known(info.FunctionName);
      frame.file = Known(info.FileName);
      frame.line = info.Line;
      frame.column = info.Column;
      frame.function_line = info.StartLine;
      frame.inlined = i + 1 < found->getNumberOfFrames();
      stack.push_back(std::move(frame));
    }
    if (stack.empty()) stack.push_back(bare);
    return stack;
  }

  llvm::symbolize::LLVMSymbolizer llvm_;
  std::vector<Entry> modules_;
  std::unordered_map<uint64_t, Stack> cache_;
  std::map<std::pair<uint64_t, uint64_t>, std::optional<Variable>> globals_;  // by address and size
  std::vector<std::string> problems_;
};

Symbolizer::Symbolizer(std::vector<Module> modules) : impl_(std::make_unique<Impl>(std::move(modules))) {}
Symbolizer::~Symbolizer() = default;
Symbolizer::Symbolizer(Symbolizer&&) noexcept = default;
Symbolizer& Symbolizer::operator=(Symbolizer&&) noexcept = default;

const Stack& Symbolizer::Frames(uint64_t address, AddressKind kind) { return impl_->Frames(address, kind); }
std::optional<Variable> Symbolizer::Global(uint64_t address, uint64_t size) { return impl_->Global(address, size); }
const Module* Symbolizer::FindModule(uint64_t address) const { return impl_->Find(address); }
void Symbolizer::AddModule(Module module) { impl_->Add(std::move(module)); }
const std::vector<std::string>& Symbolizer::Problems() const { return impl_->problems(); }

Stack Symbolizer::FramesOf(const std::vector<uint64_t>& addresses) {
  Stack stack;
  for (size_t i = 0; i < addresses.size(); ++i) {
    const Stack& part = Frames(addresses[i], i == 0 ? AddressKind::kExact : AddressKind::kReturn);
    stack.insert(stack.end(), part.begin(), part.end());
  }
  return stack;
}

std::string BuildIdOfFile(const std::string& path) {
  auto object = llvm::object::ObjectFile::createObjectFile(path);
  if (!object) {
    llvm::consumeError(object.takeError());
    return {};
  }
  return HexBuildId(*object->getBinary());
}

}  // namespace heddle::symbolize
