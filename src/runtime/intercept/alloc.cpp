// Allocation. A block is known from the moment the program has it until just before it gives it back, so memory that
// is used again by another thread does not look shared. The allocator behind is glibc's own (libc/libc_heap.h), or,
// under controlled scheduling, one whose addresses are the same in every run (memory/thread_heap.h). Which one is known
// when the runtime has started, so that comes before the first block.
#include <malloc.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>

#include "runtime/control/replay/processes.h"
#include "runtime/control/replay/written_files.h"
#include "runtime/control/search/c11.h"
#include "runtime/libc/libc_heap.h"
#include "runtime/libc/real.h"
#include "runtime/memory/thread_heap.h"
#include "runtime/message.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

// The allocator behind. Signals wait meanwhile: a heap has no lock to protect it from a handler.
static void* Aligned(size_t alignment, size_t bytes) {
  if (g_mode == Mode::Unknown) [[unlikely]]
    Start();
  ThreadHeap* heap = t_heap;
  if (heap == nullptr) return alignment <= 16 ? g_libc_heap.malloc(bytes) : g_libc_heap.memalign(alignment, bytes);
  RuntimeScope scope;
  void* block = heap->Take(bytes, alignment < 16 ? 16 : alignment);
  if (block != nullptr) return block;
  return alignment <= 16 ? g_libc_heap.malloc(bytes) : g_libc_heap.memalign(alignment, bytes);
}
static void* Plain(size_t bytes) {
  if (g_mode == Mode::Unknown) [[unlikely]]
    Start();
  if (t_heap == nullptr) [[likely]]
    return g_libc_heap.malloc(bytes);
  return Aligned(16, bytes);
}
static void GiveBack(void* block) {
  if (!IsHeapBlock(block)) [[likely]]
    return g_libc_heap.free(block);
  // A thread that has ended has no heap; what libc still frees for it is not used again.
  if (t_heap == nullptr) return;
  RuntimeScope scope;
  BlockState state = t_heap->Give(block);
  if (state == BlockState::kLive || g_mode == Mode::Detect) return;  // the detector has told what is wrong
  Message(state == BlockState::kFreed ? "free(): the block was freed before" : "free(): no block begins there");
  abort();
}
// What malloc_usable_size says, which a library with an allocator of its own may have replaced. glibc keeps the size of
// a block in the word before it: with what comes before, and three bits of which one says that the block was mapped.
static size_t Usable(void* block) {
  if (IsHeapBlock(block)) return HeapBlockBytes(block);
  if (!g_libc_heap.is_libc) {  // then nothing is watched: the mode is off
    static auto real = reinterpret_cast<size_t (*)(void*)>(FindNext("malloc_usable_size"));
    return real(block);
  }
  constexpr size_t kBits = 7;
  constexpr size_t kMapped = 2;
  size_t size = static_cast<const size_t*>(block)[-1];
  return (size & ~kBits) - ((size & kMapped) != 0 ? 2 : 1) * sizeof(size_t);
}
static void* Cleared(size_t count, size_t bytes) {
  if (g_mode == Mode::Unknown) [[unlikely]]
    Start();
  if (t_heap == nullptr) [[likely]]
    return g_libc_heap.calloc(count, bytes);
  size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  void* block = Plain(total);
  if (block != nullptr) REAL(memset)(block, 0, total);
  return block;
}
static void* Resized(void* block, size_t bytes) {
  if (g_mode == Mode::Unknown) [[unlikely]]
    Start();
  bool ours = IsHeapBlock(block);
  if (!ours && (block != nullptr || t_heap == nullptr)) return g_libc_heap.realloc(block, bytes);
  if (block == nullptr) return Plain(bytes);
  if (bytes == 0) {
    GiveBack(block);
    return nullptr;
  }
  // Always another block: who uses the old one is seen.
  size_t before = HeapBlockBytes(block);
  void* moved = Plain(bytes);
  if (moved == nullptr) return nullptr;
  REAL(memcpy)(moved, block, bytes < before ? bytes : before);
  GiveBack(block);
  return moved;
}

static void* Allocated(void* block, size_t bytes, AllocHow how, const void* pc) {
  if (block == nullptr || Passive()) return block;
  if (control::C11()) control::ForgetC11(block, bytes);
  Op op = MakeOp(Kind::Alloc, block, pc, bytes);
  op.detail = static_cast<uint8_t>(how);
  // A program that asks for malloc_usable_size may use all of it. (Our own heap says what was asked for.)
  if (g_mode == Mode::Detect) op.arg2 = Usable(block);
  Commit(op);
  return block;
}

static void Freeing(void* block, const void* pc) {
  if (block != nullptr && !Passive()) Commit(MakeOp(Kind::Free, block, pc));
}

HEDDLE_INTERCEPT void* malloc(size_t bytes) noexcept {
  if (g_mode == Mode::Off) [[likely]]
    return g_libc_heap.malloc(bytes);
  return Allocated(Plain(bytes), bytes, AllocHow::Malloc, HEDDLE_PC);
}
HEDDLE_INTERCEPT void* calloc(size_t count, size_t bytes) noexcept {
  return Allocated(Cleared(count, bytes), count * bytes, AllocHow::Calloc, HEDDLE_PC);
}
HEDDLE_INTERCEPT void free(void* block) noexcept {
  if (g_mode == Mode::Off) [[likely]]
    return g_libc_heap.free(block);
  Freeing(block, HEDDLE_PC);
  GiveBack(block);
}
HEDDLE_INTERCEPT void* realloc(void* block, size_t bytes) noexcept {
  size_t before = block == nullptr ? 0 : Usable(block);
  Freeing(block, HEDDLE_PC);
  void* moved = Resized(block, bytes);
  // On failure the old block lives on.
  if (moved == nullptr && bytes != 0) Allocated(block, before, AllocHow::Realloc, HEDDLE_PC);
  return Allocated(moved, bytes, AllocHow::Realloc, HEDDLE_PC);
}
HEDDLE_INTERCEPT void* reallocarray(void* block, size_t count, size_t bytes) noexcept {
  size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  OnBehalfOf caller(HEDDLE_PC);
  return realloc(block, total);
}
HEDDLE_INTERCEPT void* memalign(size_t alignment, size_t bytes) noexcept {
  return Allocated(Aligned(alignment, bytes), bytes, AllocHow::Aligned, HEDDLE_PC);
}
HEDDLE_INTERCEPT void* valloc(size_t bytes) noexcept {
  return Allocated(Aligned(4096, bytes), bytes, AllocHow::Aligned, HEDDLE_PC);
}
HEDDLE_INTERCEPT void* pvalloc(size_t bytes) noexcept {
  return Allocated(Aligned(4096, (bytes + 4095) & ~size_t{4095}), bytes, AllocHow::Aligned, HEDDLE_PC);
}
HEDDLE_INTERCEPT void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  return Allocated(Aligned(alignment, bytes), bytes, AllocHow::Aligned, HEDDLE_PC);
}
HEDDLE_INTERCEPT int posix_memalign(void** out, size_t alignment, size_t bytes) noexcept {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* block = Aligned(alignment, bytes);
  if (block == nullptr) return ENOMEM;
  *out = Allocated(block, bytes, AllocHow::Aligned, HEDDLE_PC);
  return 0;
}

HEDDLE_INTERCEPT size_t malloc_usable_size(void* block) noexcept { return block == nullptr ? 0 : Usable(block); }

static void* Map(void* at, size_t bytes, int protection, int flags, int fd, off_t offset, const void* pc) {
  bool passive = Passive();  // first: it finds the real function
  // The kernel's choice of a place depends on what was mapped before.
  bool in_turn = !passive && control::Controlled();
  if (in_turn) control::Take(control::PointOf(heddle::sched::kCall, 0, pc));
  bool of_file = (flags & MAP_ANONYMOUS) == 0 && fd >= 0;
  if (in_turn && of_file) control::PrepareMapping(fd, bytes, offset);
  void* mapped = REAL(mmap)(at, bytes, protection, flags, fd, offset);
  int error = errno;
  if (in_turn) control::Done();
  if (in_turn && (flags & MAP_TYPE) != MAP_PRIVATE) control::NoteSharedMapping();
  errno = error;
  if (mapped != MAP_FAILED && !passive) Commit(MakeOp(Kind::Map, mapped, pc, bytes));  // NOLINT: libc's macro casts
  return mapped;
}

HEDDLE_INTERCEPT void* mmap(void* at, size_t bytes, int protection, int flags, int fd, off_t offset) noexcept {
  return Map(at, bytes, protection, flags, fd, offset, HEDDLE_PC);
}
// What mmap is called in programs compiled for large files.
HEDDLE_INTERCEPT void* mmap64(void* at, size_t bytes, int protection, int flags, int fd, off64_t offset) noexcept {
  return Map(at, bytes, protection, flags, fd, offset, HEDDLE_PC);
}
HEDDLE_INTERCEPT int munmap(void* at, size_t bytes) noexcept {
  if (Passive()) return REAL(munmap)(at, bytes);
  if (control::Controlled()) {
    control::CallInTurn(heddle::sched::kCall, 0, HEDDLE_PC, [] { return 0; });
  }
  Commit(MakeOp(Kind::Unmap, at, HEDDLE_PC, bytes));
  return REAL(munmap)(at, bytes);
}
// The old range is given back before the new one is had, as with realloc.
HEDDLE_INTERCEPT void* mremap(void* at, size_t old_bytes, size_t bytes, int flags, ...) noexcept {
  va_list more;
  va_start(more, flags);
  void* wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : nullptr;
  va_end(more);
  if (Passive()) return REAL(mremap)(at, old_bytes, bytes, flags, wanted);
  Commit(MakeOp(Kind::Unmap, at, HEDDLE_PC, old_bytes));
  void* mapped = REAL(mremap)(at, old_bytes, bytes, flags, wanted);
  bool failed = mapped == MAP_FAILED;  // NOLINT: libc's macro casts
  Commit(MakeOp(Kind::Map, failed ? at : mapped, HEDDLE_PC, failed ? old_bytes : bytes));
  return mapped;
}
