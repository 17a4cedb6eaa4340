// Allocation. A block is known from the moment the program has it until just before it gives it back, so memory that
// is used again by another thread does not look shared. The allocator behind is glibc's own.
#include <malloc.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>

#include "runtime/intercept/real.h"
#include "runtime/visible.h"

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void* __libc_valloc(size_t bytes);
void* __libc_pvalloc(size_t bytes);
void __libc_free(void* block);
}

using namespace heddle::rt;  // NOLINT: this file is the C interface

static void* Allocated(void* block, size_t bytes, AllocHow how, const void* pc) {
  if (block == nullptr || Passive()) return block;
  Op op = MakeOp(Kind::Alloc, block, pc, bytes);
  op.detail = static_cast<uint8_t>(how);
  Commit(op);
  return block;
}

static void Freeing(void* block, const void* pc) {
  if (block != nullptr && !Passive()) Commit(MakeOp(Kind::Free, block, pc));
}

HEDDLE_INTERCEPT void* malloc(size_t bytes) noexcept {
  return Allocated(__libc_malloc(bytes), bytes, AllocHow::Malloc, HEDDLE_PC);
}
HEDDLE_INTERCEPT void* calloc(size_t count, size_t bytes) noexcept {
  return Allocated(__libc_calloc(count, bytes), count * bytes, AllocHow::Calloc, HEDDLE_PC);
}
HEDDLE_INTERCEPT void free(void* block) noexcept {
  Freeing(block, HEDDLE_PC);
  __libc_free(block);
}
HEDDLE_INTERCEPT void* realloc(void* block, size_t bytes) noexcept {
  size_t before = block == nullptr ? 0 : malloc_usable_size(block);
  Freeing(block, HEDDLE_PC);
  void* moved = __libc_realloc(block, bytes);
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
  return realloc(block, total);
}
HEDDLE_INTERCEPT void* memalign(size_t alignment, size_t bytes) noexcept {
  return Allocated(__libc_memalign(alignment, bytes), bytes, AllocHow::Aligned, HEDDLE_PC);
}
HEDDLE_INTERCEPT void* valloc(size_t bytes) noexcept {
  return Allocated(__libc_valloc(bytes), bytes, AllocHow::Aligned, HEDDLE_PC);
}
HEDDLE_INTERCEPT void* pvalloc(size_t bytes) noexcept {
  return Allocated(__libc_pvalloc(bytes), bytes, AllocHow::Aligned, HEDDLE_PC);
}
HEDDLE_INTERCEPT void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  return Allocated(__libc_memalign(alignment, bytes), bytes, AllocHow::Aligned, HEDDLE_PC);
}
HEDDLE_INTERCEPT int posix_memalign(void** out, size_t alignment, size_t bytes) noexcept {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* block = __libc_memalign(alignment, bytes);
  if (block == nullptr) return ENOMEM;
  *out = Allocated(block, bytes, AllocHow::Aligned, HEDDLE_PC);
  return 0;
}

static void* Map(void* at, size_t bytes, int protection, int flags, int fd, off_t offset, const void* pc) {
  bool passive = Passive();  // first: it finds the real function
  void* mapped = REAL(mmap)(at, bytes, protection, flags, fd, offset);
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
