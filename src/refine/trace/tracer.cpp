// The emulator around a Recorder.
//
// Unicorn maps our own buffers, so that memory is reset and written by plain copies. Hooks: reads and writes in the
// data range become events; a basic block counts one step; every instruction is looked at once (code.h); a call of a
// stub runs its action, and the stub's only instruction returns; interrupts and system calls stop. A thread that
// returns arrives at stub 0.
#include "refine/trace/tracer.h"

#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "refine/trace/code.h"
#include "refine/trace/recorder.h"
#include "refine/trace/stubs.h"

namespace heddle::refine {
namespace {

constexpr uint64_t kPage = 4096;

uint64_t Pages(uint64_t size) { return (size + kPage - 1) / kPage * kPage; }

// Unicorn wants page-aligned host memory for what it maps.
class HostPages {
 public:
  explicit HostPages(uint64_t size) : size_(Pages(std::max<uint64_t>(size, 1))) {
    memory_ = static_cast<uint8_t*>(std::aligned_alloc(kPage, size_));
    std::memset(memory_, 0, size_);
  }
  ~HostPages() { std::free(memory_); }
  HostPages(const HostPages&) = delete;
  HostPages& operator=(const HostPages&) = delete;
  uint8_t* data() { return memory_; }
  uint64_t size() const { return size_; }

 private:
  uint8_t* memory_;
  uint64_t size_;
};

class UnicornTracer final : public Tracer {
 public:
  explicit UnicornTracer(const Image& image)
      : image_(image),
        code_(image.code.size()),
        data_(image.data.size()),
        stack_(kStackSize),
        stubs_(16 * image.stubs.size()),
        plain_(image.code.size()) {}
  ~UnicornTracer() override {
    if (engine_ != nullptr) uc_close(engine_);
  }

  Status Open();
  Result<Trace> Run(const std::string& thread, const TraceOptions& options) override;

 private:
  Status Map();
  Status Hook();
  Status AllowVectors();
  Status AddHook(int type, void* callback, uint64_t begin, uint64_t end);
  void Reset();
  void Start(uint64_t address);
  Status Reopen();
  void OnStub(uint64_t address);
  void Clobber();
  std::string InvalidAccess(uint64_t address) const;
  void CopyMemory(uint64_t to, uint64_t from, uint64_t size);
  void SetMemory(uint64_t to, uint8_t value, uint64_t size);
  int CompareMemory(uint64_t a, uint64_t b, uint64_t size);
  uint64_t Length(uint64_t text);
  // Host memory behind an emulated range; null when it is not all mapped.
  uint8_t* Host(uint64_t address, uint64_t size);
  void Record(EventKind kind, uint64_t address, uint64_t size);
  uint64_t Register(int number) const;
  void SetRegister(int number, uint64_t value);
  uint32_t Line();
  void Stop(RunEnd end, std::string reason);
  void JudgeEnd(uc_err error);

  static void OnAccess(uc_engine* engine, uc_mem_type type, uint64_t address, int size, int64_t value, void* self);
  static void OnBlock(uc_engine* engine, uint64_t address, uint32_t size, void* self);
  static void OnStubCode(uc_engine* engine, uint64_t address, uint32_t size, void* self);
  static void OnCode(uc_engine* engine, uint64_t address, uint32_t size, void* self);
  static void OnInterrupt(uc_engine* engine, uint32_t number, void* self);
  static bool OnInvalid(uc_engine* engine, uc_mem_type type, uint64_t address, int size, int64_t value, void* self);
  static void OnSyscall(uc_engine* engine, void* self);

  const Image& image_;
  HostPages code_, data_, stack_, stubs_;
  uc_engine* engine_ = nullptr;
  std::optional<Recorder> recorder_;
  const TraceOptions* options_ = nullptr;
  uint64_t blocks_ = 0;
  uint64_t pc_ = 0;          // the instruction that runs
  std::vector<bool> plain_;  // by byte of the code: an instruction that begins here was looked at and is right
  std::optional<LineTable> lines_;
  std::unordered_map<uint64_t, uint32_t> line_cache_;
  bool broken_off_ = false;  // the last run was: the emulator may be in the middle of an exception
};

Error Refused(uc_err error) {
  return MakeError(ErrorCode::kUnsupported, fmt::format("the emulator refuses: {}", uc_strerror(error)));
}

uint64_t UnicornTracer::Register(int number) const {
  uint64_t value = 0;
  uc_reg_read(engine_, number, &value);
  return value;
}

void UnicornTracer::SetRegister(int number, uint64_t value) { uc_reg_write(engine_, number, &value); }

Status UnicornTracer::Map() {
  struct Range {
    uint64_t base;
    HostPages& pages;
    uint32_t rights;
  };
  Range ranges[] = {{kStubBase, stubs_, UC_PROT_EXEC},  // an object that is defined elsewhere cannot be read
                    {kCodeBase, code_, UC_PROT_READ | UC_PROT_EXEC},
                    {kDataBase, data_, UC_PROT_READ | UC_PROT_WRITE},
                    {kStackBase, stack_, UC_PROT_READ | UC_PROT_WRITE}};
  for (Range& range : ranges) {
    uc_err error = uc_mem_map_ptr(engine_, range.base, range.pages.size(), range.rights, range.pages.data());
    if (error != UC_ERR_OK) return Refused(error);
  }
  if (!image_.code.empty()) std::memcpy(code_.data(), image_.code.data(), image_.code.size());
  for (size_t i = 0; i < image_.stubs.size(); ++i) {
    std::memcpy(stubs_.data() + 16 * i, image_.arch->return_code.data(), image_.arch->return_bytes);
  }
  return {};
}

Status UnicornTracer::AddHook(int type, void* callback, uint64_t begin, uint64_t end) {
  uc_hook handle = 0;
  uc_err error = uc_hook_add(engine_, &handle, type, callback, this, begin, end);
  return error == UC_ERR_OK ? Status{} : Status{Refused(error)};
}

template <typename F>
void* Callback(F* function) {
  return reinterpret_cast<void*>(function);
}

Status UnicornTracer::Hook() {
  Status done =
      AddHook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, Callback(OnAccess), kDataBase, kDataBase + data_.size() - 1);
  if (done) done = AddHook(UC_HOOK_BLOCK, Callback(OnBlock), kCodeBase, kCodeBase + code_.size());
  if (done) done = AddHook(UC_HOOK_CODE, Callback(OnStubCode), kStubBase + 16, kStubBase + stubs_.size() - 1);
  if (done) done = AddHook(UC_HOOK_CODE, Callback(OnCode), kCodeBase, kCodeBase + code_.size());
  if (done) done = AddHook(UC_HOOK_INTR, Callback(OnInterrupt), 1, 0);
  if (done) done = AddHook(UC_HOOK_MEM_INVALID, Callback(OnInvalid), 1, 0);
  if (!done || image_.arch->arch != Arch::kX86_64) return done;
  uc_hook handle = 0;
  uc_err error = uc_hook_add(engine_, &handle, UC_HOOK_INSN, Callback(OnSyscall), this, 1, 0, UC_X86_INS_SYSCALL);
  return error == UC_ERR_OK ? Status{} : Status{Refused(error)};
}

// AArch64 and RISC-V begin with floating point switched off.
Status UnicornTracer::AllowVectors() {
  if (image_.arch->arch == Arch::kAArch64) SetRegister(UC_ARM64_REG_CPACR_EL1, 3U << 20);
  if (image_.arch->arch == Arch::kRiscV64) {
    SetRegister(UC_RISCV_REG_MSTATUS, Register(UC_RISCV_REG_MSTATUS) | 3U << 13);
  }
  return {};
}

Status UnicornTracer::Open() {
  uc_arch arch = image_.arch->arch == Arch::kX86_64    ? UC_ARCH_X86
                 : image_.arch->arch == Arch::kAArch64 ? UC_ARCH_ARM64
                                                       : UC_ARCH_RISCV;
  uc_mode mode = image_.arch->arch == Arch::kX86_64    ? UC_MODE_64
                 : image_.arch->arch == Arch::kAArch64 ? UC_MODE_ARM
                                                       : UC_MODE_RISCV64;
  uc_err error = uc_open(arch, mode, &engine_);
  if (error != UC_ERR_OK) return Refused(error);
  if (Status mapped = Map(); !mapped) return mapped;
  if (Status hooked = Hook(); !hooked) return hooked;
  return AllowVectors();
}

Status UnicornTracer::Reopen() {
  uc_close(engine_);
  engine_ = nullptr;
  return Open();
}

void UnicornTracer::Stop(RunEnd end, std::string reason) {
  recorder_->Stop(end, std::move(reason));
  uc_emu_stop(engine_);
}

uint32_t UnicornTracer::Line() {
  if (!options_->lines || !lines_) return 0;
  auto [found, fresh] = line_cache_.try_emplace(pc_, 0);
  if (fresh) found->second = lines_->LineOf(pc_);
  return found->second;
}

uint8_t* UnicornTracer::Host(uint64_t address, uint64_t size) {
  struct Range {
    uint64_t base;
    HostPages& pages;
  };
  for (Range range : {Range{kDataBase, data_}, Range{kStackBase, stack_}, Range{kCodeBase, code_}}) {
    uint64_t offset = address - range.base;
    if (offset < range.pages.size() && size <= range.pages.size() - offset) return range.pages.data() + offset;
  }
  return nullptr;
}

// A range that a library function accesses, in pieces of up to eight bytes; values are read from memory.
void UnicornTracer::Record(EventKind kind, uint64_t address, uint64_t size) {
  if (address < kDataBase || address >= kStackBase) return;
  while (size > 0 && !recorder_->stopped()) {
    auto piece = static_cast<uint32_t>(std::min<uint64_t>(size, 8));
    uint64_t value = 0;
    std::memcpy(&value, Host(address, piece), piece);
    recorder_->Access(kind, address, piece, value, Line());
    address += piece;
    size -= piece;
  }
}

void UnicornTracer::CopyMemory(uint64_t to, uint64_t from, uint64_t size) {
  if (size == 0) return;
  uint8_t* target = Host(to, size);
  uint8_t* source = Host(from, size);
  if (target == nullptr || source == nullptr || to < kDataBase) {
    return Stop(RunEnd::kLeftCode, "a copy of memory that is not there");
  }
  Record(EventKind::kRead, from, size);
  std::memmove(target, source, size);
  Record(EventKind::kWrite, to, size);
}

void UnicornTracer::SetMemory(uint64_t to, uint8_t value, uint64_t size) {
  if (size == 0) return;
  uint8_t* target = Host(to, size);
  if (target == nullptr || to < kDataBase) return Stop(RunEnd::kLeftCode, "memset of memory that is not there");
  std::memset(target, value, size);
  Record(EventKind::kWrite, to, size);
}

int UnicornTracer::CompareMemory(uint64_t a, uint64_t b, uint64_t size) {
  if (size == 0) return 0;
  uint8_t* left = Host(a, size);
  uint8_t* right = Host(b, size);
  if (left == nullptr || right == nullptr) {
    Stop(RunEnd::kLeftCode, "memcmp of memory that is not there");
    return 0;
  }
  Record(EventKind::kRead, a, size);
  Record(EventKind::kRead, b, size);
  int order = std::memcmp(left, right, size);
  return (order > 0 ? 1 : order < 0 ? -1 : 0) * options_->compare_scale;
}

uint64_t UnicornTracer::Length(uint64_t text) {
  uint64_t length = 0;
  for (uint8_t* at = Host(text, 1); at != nullptr; at = Host(text + length, 1)) {
    if (*at == 0) {
      Record(EventKind::kRead, text, length + 1);
      return length;
    }
    ++length;
  }
  Stop(RunEnd::kLeftCode, "strlen of memory that is not there");
  return 0;
}

void UnicornTracer::OnStub(uint64_t address) {
  size_t index = (address - kStubBase) / 16;
  if (index >= image_.stubs.size()) return Stop(RunEnd::kLeftCode, "a jump outside of the program");
  const std::string& name = image_.stubs[index];
  const StubInfo* stub = FindStub(name);
  if (stub == nullptr) {
    return Stop(RunEnd::kUnknownCall, fmt::format("calls `{}`, which is not in the object", name));
  }
  uint64_t a = Register(image_.arch->arguments[0]);
  uint64_t b = Register(image_.arch->arguments[1]);
  uint64_t c = Register(image_.arch->arguments[2]);
  uint64_t result = 0;
  switch (stub->action) {
    case StubAction::kLock:
      recorder_->Lock(a, Line());
      break;
    case StubAction::kUnlock:
      recorder_->Unlock(a, Line());
      break;
    case StubAction::kCopy:
      CopyMemory(a, b, c);
      result = a;
      break;
    case StubAction::kSet:
      SetMemory(a, static_cast<uint8_t>(b), c);
      result = a;
      break;
    case StubAction::kCompare:
      result = static_cast<uint64_t>(static_cast<int64_t>(CompareMemory(a, b, c)));
      break;
    case StubAction::kLength:
      result = Length(a);
      break;
    case StubAction::kTrap:
      return Stop(RunEnd::kTrap, fmt::format("calls `{}`", name));
  }
  Clobber();
  SetRegister(image_.arch->result, result);
  if (recorder_->stopped()) uc_emu_stop(engine_);
}

// A build must not rely on registers that the real function may change.
void UnicornTracer::Clobber() {
  uint64_t junk = 0xbad0000000000bad;
  for (int number : image_.arch->clobbered) SetRegister(number, junk++);
}

std::string UnicornTracer::InvalidAccess(uint64_t address) const {
  size_t stub = (address - kStubBase) / 16;
  if (address >= kStubBase && stub < image_.stubs.size()) {
    return stub == 0 ? "reads or writes its return address as data"
                     : fmt::format("accesses `{}`, which is not in the object", image_.stubs[stub]);
  }
  if (Register(image_.arch->sp) < kStackBase + 8192)
    return fmt::format("needs more than {} KiB of stack", kStackSize / 1024);
  if (image_.has_thread_local && (address < kPage || address > ~uint64_t{0} - (1U << 20))) {
    return "accesses a thread-local variable, which the check does not cover";
  }
  if (address < kPage) return fmt::format("accesses address {:#x}: a null pointer", address);
  return fmt::format("accesses memory at {:#x} that is not of the program", address);
}

bool UnicornTracer::OnInvalid(uc_engine*, uc_mem_type type, uint64_t address, int, int64_t, void* self) {
  auto& tracer = *static_cast<UnicornTracer*>(self);
  bool fetch = type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT;
  tracer.recorder_->Stop(RunEnd::kLeftCode, fetch ? fmt::format("jumps to {:#x}, which is not code", address)
                                                  : tracer.InvalidAccess(address));
  return false;
}

void UnicornTracer::OnAccess(uc_engine*, uc_mem_type type, uint64_t address, int size, int64_t value, void* self) {
  auto& tracer = *static_cast<UnicornTracer*>(self);
  bool write = type == UC_MEM_WRITE;
  auto seen = static_cast<uint64_t>(value);
  if (size > 8) return tracer.Stop(RunEnd::kTrap, fmt::format("an access of {} bytes at once", size));
  if (!write) {
    uint8_t* host = tracer.Host(address, static_cast<uint64_t>(size));
    seen = 0;
    if (host != nullptr) std::memcpy(&seen, host, static_cast<size_t>(size));
  }
  tracer.recorder_->Access(write ? EventKind::kWrite : EventKind::kRead, address, static_cast<uint32_t>(size), seen,
                           tracer.Line());
  if (tracer.recorder_->stopped()) uc_emu_stop(tracer.engine_);
}

void UnicornTracer::OnBlock(uc_engine*, uint64_t, uint32_t, void* self) {
  auto& tracer = *static_cast<UnicornTracer*>(self);
  if (++tracer.blocks_ > tracer.options_->max_blocks) {
    tracer.Stop(RunEnd::kStepLimit, fmt::format("not finished after {} basic blocks", tracer.options_->max_blocks));
  }
}

void UnicornTracer::OnStubCode(uc_engine*, uint64_t address, uint32_t, void* self) {
  static_cast<UnicornTracer*>(self)->OnStub(address);
}

void UnicornTracer::OnCode(uc_engine*, uint64_t address, uint32_t size, void* self) {
  auto& tracer = *static_cast<UnicornTracer*>(self);
  tracer.pc_ = address;
  uint64_t offset = address - kCodeBase;
  if (offset >= tracer.plain_.size() || tracer.plain_[offset]) return;
  switch (LookAtInstruction(tracer.image_.arch->arch, {tracer.code_.data() + offset, size})) {
    case CodeKind::kPlain:
      tracer.plain_[offset] = true;
      return;
    case CodeKind::kAtomic:
      return tracer.Stop(RunEnd::kAtomic, "has an atomic instruction or a fence: the check covers locks only");
    case CodeKind::kNotEmulated:
      return tracer.Stop(RunEnd::kTrap, "has AVX instructions, which the emulator does not know");
  }
}

void UnicornTracer::OnInterrupt(uc_engine*, uint32_t number, void* self) {
  auto& tracer = *static_cast<UnicornTracer*>(self);
  // AArch64: 2 is svc, 7 brk. RISC-V: 8 to 11 are ecall, 3 ebreak. x86: 0x80 and 3 are instructions, 6 is ud2.
  Arch arch = tracer.image_.arch->arch;
  bool call = (arch == Arch::kAArch64 && number == 2) || (arch == Arch::kRiscV64 && number >= 8 && number <= 11) ||
              (arch == Arch::kX86_64 && number == 0x80);
  if (call) return tracer.Stop(RunEnd::kSystemCall, "makes a system call");
  if (arch == Arch::kX86_64 && number == 0) return tracer.Stop(RunEnd::kTrap, "a division traps");
  if (arch == Arch::kX86_64 && number == 6) {
    return tracer.Stop(RunEnd::kTrap, "an instruction that traps or that the emulator does not know");
  }
  tracer.Stop(RunEnd::kTrap, fmt::format("an instruction traps (exception {})", number));
}

void UnicornTracer::OnSyscall(uc_engine*, void* self) {
  static_cast<UnicornTracer*>(self)->Stop(RunEnd::kSystemCall, "makes a system call");
}

void UnicornTracer::Reset() {
  std::memcpy(data_.data(), image_.data.data(), image_.data.size());
  std::memset(stack_.data(), 0, stack_.size());
  for (int number : image_.arch->arguments) SetRegister(number, 0);
}

void UnicornTracer::Start(uint64_t address) {
  uint64_t sp = kStackBase + kStackSize - 4096;
  blocks_ = 0;
  if (image_.arch->link >= 0) {
    SetRegister(image_.arch->link, kStubBase);
  } else {
    sp -= 8;
    uint64_t back = kStubBase;
    std::memcpy(Host(sp, 8), &back, sizeof back);
  }
  SetRegister(image_.arch->sp, sp);
  recorder_->ThreadBegins();
  uc_err error = uc_emu_start(engine_, address, kStubBase, 0, 0);
  JudgeEnd(error);
}

void UnicornTracer::JudgeEnd(uc_err error) {
  if (recorder_->stopped()) return;
  if (error == UC_ERR_OK && Register(image_.arch->pc) == kStubBase) return recorder_->ThreadEnds();
  if (error == UC_ERR_INSN_INVALID || error == UC_ERR_EXCEPTION) {
    return recorder_->Stop(RunEnd::kTrap, "an instruction that traps or that the emulator does not know");
  }
  recorder_->Stop(RunEnd::kLeftCode, fmt::format("leaves the program: {}", uc_strerror(error)));
}

Result<Trace> UnicornTracer::Run(const std::string& thread, const TraceOptions& options) {
  auto function = image_.functions.find(thread);
  if (function == image_.functions.end()) {
    return MakeError(ErrorCode::kNotFound, fmt::format("there is no function `{}` in {}", thread, image_.build));
  }
  options_ = &options;
  if (options.lines && !lines_) {
    Result<LineTable> lines = LineTable::Open(image_.path);
    if (!lines) return lines.error();
    lines_.emplace(lines.Take());
  }
  if (broken_off_) {
    if (Status opened = Reopen(); !opened) return opened.error();
  }
  Reset();
  recorder_.emplace(image_, data_.data(), thread, options);
  Start(function->second);
  Trace trace = recorder_->Take();
  broken_off_ = trace.end != RunEnd::kEnded;
  if (options.lines && lines_) trace.source = lines_->FileOf(function->second);
  return trace;
}

}  // namespace

Result<std::unique_ptr<Tracer>> Tracer::Make(const Image& image) {
  auto tracer = std::make_unique<UnicornTracer>(image);
  if (Status opened = tracer->Open(); !opened) return opened.error();
  return std::unique_ptr<Tracer>(std::move(tracer));
}

}  // namespace heddle::refine
