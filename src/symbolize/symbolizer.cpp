#include "symbolize/symbolizer.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "symbolize/debug_file.h"

namespace heddle::symbolize {

namespace {

// Many symbolizers come and go in one command, and unpacking the debug sections of libc costs more than the rest of
// their work: files that a build id identifies stay open. By thread, as symbolizers are.
Result<std::shared_ptr<DebugFile>> OpenShared(const std::string& path, const std::string& build_id) {
  using Key = std::tuple<std::string, std::string, uint64_t, int64_t, int64_t>;
  static thread_local std::map<Key, std::shared_ptr<DebugFile>> open;
  struct stat about{};
  bool there = stat(path.c_str(), &about) == 0;
  // A file that was stripped or replaced meanwhile is another one.
  Key key{path, build_id, about.st_ino, about.st_size, about.st_mtim.tv_sec * 1'000'000'000 + about.st_mtim.tv_nsec};
  auto known = open.find(key);
  if (known != open.end()) return known->second;
  Result<std::unique_ptr<DebugFile>> file = DebugFile::Open(path, build_id);
  if (!file) return file.error();
  std::shared_ptr<DebugFile> shared = file.Take();
  if (there && !build_id.empty()) open[key] = shared;
  return shared;
}

}  // namespace

class Symbolizer::Impl {
 public:
  explicit Impl(std::vector<Module> modules) {
    for (Module& module : modules) Add(std::move(module));
  }

  void Add(Module module) {
    modules_.push_back(Entry{std::make_unique<Module>(std::move(module)), false, nullptr});
    frames_.clear();  // an address may now mean something else
    globals_.clear();
  }

  Stack LookupFrames(uint64_t address) {
    Entry* entry = FindEntry(address);
    if (entry == nullptr) return {Frame{}};
    uint64_t offset = address - entry->module->load_base;
    DebugFile* file = Open(*entry);
    Stack stack = file == nullptr ? Stack() : file->Code(offset);
    if (stack.empty()) stack.emplace_back();
    for (Frame& frame : stack) {
      frame.module = entry->module->path;
      frame.module_offset = offset;
    }
    return stack;
  }

  std::optional<Variable> LookupGlobal(uint64_t address, uint64_t size) {
    Entry* entry = FindEntry(address);
    DebugFile* file = entry == nullptr ? nullptr : Open(*entry);
    if (file == nullptr) return std::nullopt;
    std::optional<Variable> variable = file->Data(address - entry->module->load_base, size);
    if (variable) variable->module = entry->module->path;
    return variable;
  }

  const Module* Find(uint64_t address) {
    Entry* entry = FindEntry(address);
    return entry == nullptr ? nullptr : entry->module.get();
  }

  const Stack& Frames(uint64_t address) {
    auto known = frames_.find(address);
    if (known != frames_.end()) return known->second;
    return frames_.emplace(address, LookupFrames(address)).first->second;
  }

  const std::optional<Variable>& Global(uint64_t address, uint64_t size) {
    auto known = globals_.find({address, size});
    if (known != globals_.end()) return known->second;
    if (globals_.size() >= kMaxGlobals) globals_.clear();  // a long run may touch every element of a large array
    return globals_.emplace(std::pair(address, size), LookupGlobal(address, size)).first->second;
  }

  const std::vector<std::string>& problems() const { return problems_; }

 private:
  static constexpr size_t kMaxGlobals = 1U << 18U;

  struct Entry {
    std::unique_ptr<Module> module;  // its address is given out by FindModule
    bool opened = false;
    std::shared_ptr<DebugFile> file;  // null before the first use, and when it cannot be used
  };

  Entry* FindEntry(uint64_t address) {
    auto holds = [&](const Entry& entry) {
      const auto& ranges = entry.module->ranges;
      return std::any_of(ranges.begin(), ranges.end(),
                         [&](const Module::Range& range) { return address >= range.begin && address < range.end; });
    };
    auto found = std::find_if(modules_.rbegin(), modules_.rend(), holds);
    return found == modules_.rend() ? nullptr : &*found;
  }

  DebugFile* Open(Entry& entry) {
    if (!entry.opened) {
      entry.opened = true;
      Result<std::shared_ptr<DebugFile>> file = OpenShared(entry.module->path, entry.module->build_id);
      if (file) {
        entry.file = file.Take();
      } else {
        problems_.push_back(file.error().message);
      }
    }
    return entry.file.get();
  }

  std::vector<Entry> modules_;
  std::unordered_map<uint64_t, Stack> frames_;
  std::map<std::pair<uint64_t, uint64_t>, std::optional<Variable>> globals_;  // by address and size
  std::vector<std::string> problems_;
};

Symbolizer::Symbolizer(std::vector<Module> modules) : impl_(std::make_unique<Impl>(std::move(modules))) {}
Symbolizer::~Symbolizer() = default;
Symbolizer::Symbolizer(Symbolizer&&) noexcept = default;
Symbolizer& Symbolizer::operator=(Symbolizer&&) noexcept = default;

const Stack& Symbolizer::Frames(uint64_t address, AddressKind kind) {
  return impl_->Frames(kind == AddressKind::kReturn && address > 0 ? address - 1 : address);
}
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

}  // namespace heddle::symbolize
