// C++'s allocation functions: by malloc and free, as libstdc++'s are. They are ours so that those of another allocator
// (tcmalloc, mimalloc) do not come first, and so that a report names the line of the program.
//
// A program may replace any of them, and malloc itself: each is called by the name that the program sees, which dlsym
// finds. Exceptions and the handler for lack of memory are libstdc++'s; when it is not there, the program cannot have
// asked for either.
#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>

#include "runtime/libc/elf_symbols.h"
#include "runtime/libc/real.h"
#include "runtime/message.h"
#include "runtime/threads/thread.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

// NOLINTBEGIN(*-reserved-identifier): the names that C++ compilers give
extern "C" {
[[gnu::weak]] void _ZSt17__throw_bad_allocv();     // std::__throw_bad_alloc
[[gnu::weak]] void (*_ZSt15get_new_handlerv())();  // std::get_new_handler
}

namespace {

template <typename F>
F Visible(F* known, const char* name) {
  F found = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (found == nullptr) [[unlikely]] {
    found = reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
    __atomic_store_n(known, found, __ATOMIC_RELAXED);
  }
  return found;
}

using Take = void* (*)(size_t);
using TakeAligned = void* (*)(size_t, size_t);
using Give = void (*)(void*);

void* Malloc(size_t bytes) {
  static Take known = nullptr;
  return Visible(&known, "malloc")(bytes);
}
void* AlignedAlloc(size_t bytes, size_t alignment) {
  static TakeAligned known = nullptr;
  return Visible(&known, "aligned_alloc")(alignment, (bytes + alignment - 1) & ~(alignment - 1));
}

// What the program does when there is no memory; returns when it should be tried again.
void NoMemory() {
  void (*handler)() = _ZSt15get_new_handlerv != nullptr ? _ZSt15get_new_handlerv() : nullptr;
  if (handler != nullptr) return handler();
  if (_ZSt17__throw_bad_allocv != nullptr) _ZSt17__throw_bad_allocv();
  Message("operator new: no memory, and no std::bad_alloc to throw");
  abort();
}

// An exception passes through the caller's frame, so nothing here may need to be undone then.
template <typename Try>
void* UntilThere(void* caller, Try try_now) {
  for (;;) {
    void* block = nullptr;
    {
      OnBehalfOf behalf(caller);
      block = try_now();
    }
    if (block != nullptr) [[likely]]
      return block;
    NoMemory();
  }
}

}  // namespace

HEDDLE_INTERCEPT void* _Znwm(size_t bytes) {
  return UntilThere(HEDDLE_PC, [bytes] { return Malloc(bytes == 0 ? 1 : bytes); });
}
HEDDLE_INTERCEPT void* _ZnwmSt11align_val_t(size_t bytes, size_t alignment) {
  return UntilThere(HEDDLE_PC, [=] { return AlignedAlloc(bytes == 0 ? 1 : bytes, alignment); });
}
HEDDLE_INTERCEPT void _ZdlPv(void* block) noexcept {
  static Give known = nullptr;
  OnBehalfOf behalf(HEDDLE_PC);
  Visible(&known, "free")(block);
}

// By default the forms for arrays, for sizes and for alignments are the ones above.
HEDDLE_INTERCEPT void* _Znam(size_t bytes) {
  static Take known = nullptr;
  Take visible = Visible(&known, "_Znwm");
  if (visible != _Znwm) return visible(bytes);
  return UntilThere(HEDDLE_PC, [bytes] { return Malloc(bytes == 0 ? 1 : bytes); });
}
HEDDLE_INTERCEPT void* _ZnamSt11align_val_t(size_t bytes, size_t alignment) {
  static TakeAligned known = nullptr;
  auto visible = Visible(&known, "_ZnwmSt11align_val_t");
  if (visible != _ZnwmSt11align_val_t) return visible(bytes, alignment);
  return UntilThere(HEDDLE_PC, [=] { return AlignedAlloc(bytes == 0 ? 1 : bytes, alignment); });
}

static void Delete(void* block, void* caller) {
  static Give known = nullptr;
  OnBehalfOf behalf(caller);
  Visible(&known, "_ZdlPv")(block);
}
HEDDLE_INTERCEPT void _ZdaPv(void* block) noexcept { Delete(block, HEDDLE_PC); }
HEDDLE_INTERCEPT void _ZdlPvm(void* block, size_t) noexcept { Delete(block, HEDDLE_PC); }
HEDDLE_INTERCEPT void _ZdaPvm(void* block, size_t) noexcept {
  static Give known = nullptr;
  OnBehalfOf behalf(HEDDLE_PC);
  Visible(&known, "_ZdaPv")(block);
}
static void DeleteAligned(void* block, size_t alignment, void* caller) {
  static void (*known)(void*, size_t) = nullptr;
  OnBehalfOf behalf(caller);
  Visible(&known, "_ZdlPvSt11align_val_t")(block, alignment);
}
HEDDLE_INTERCEPT void _ZdlPvSt11align_val_t(void* block, size_t) noexcept {
  static Give known = nullptr;
  OnBehalfOf behalf(HEDDLE_PC);
  Visible(&known, "free")(block);
}
HEDDLE_INTERCEPT void _ZdaPvSt11align_val_t(void* block, size_t alignment) noexcept {
  DeleteAligned(block, alignment, HEDDLE_PC);
}
HEDDLE_INTERCEPT void _ZdlPvmSt11align_val_t(void* block, size_t, size_t alignment) noexcept {
  DeleteAligned(block, alignment, HEDDLE_PC);
}
HEDDLE_INTERCEPT void _ZdaPvmSt11align_val_t(void* block, size_t, size_t alignment) noexcept {
  DeleteAligned(block, alignment, HEDDLE_PC);
}

// libstdc++'s own forms that do not throw call operator new and catch: that is beyond us, so they are asked when there
// is no memory, and when the program has its own operator new.
static const char kNothrow[] = "_ZnwmRKSt9nothrow_t";
static const char kNothrowAligned[] = "_ZnwmSt11align_val_tRKSt9nothrow_t";
template <typename F>
static F OfLibrary(const char* name) {
  return reinterpret_cast<F>(DefinedIn(FindModule("libstdc++"), name));
}

static void* Nothrow(size_t bytes, const void* tag, void* caller) {
  static Take known = nullptr;
  Take visible = Visible(&known, "_Znwm");
  if (visible == _Znwm) {
    OnBehalfOf behalf(caller);
    if (void* block = Malloc(bytes == 0 ? 1 : bytes); block != nullptr) return block;
  }
  auto library = OfLibrary<void* (*)(size_t, const void*)>(kNothrow);
  if (library != nullptr) return library(bytes, tag);
  return visible == _Znwm ? nullptr : visible(bytes);
}
static void* NothrowAligned(size_t bytes, size_t alignment, const void* tag, void* caller) {
  static TakeAligned known = nullptr;
  auto visible = Visible(&known, "_ZnwmSt11align_val_t");
  if (visible == _ZnwmSt11align_val_t) {
    OnBehalfOf behalf(caller);
    if (void* block = AlignedAlloc(bytes == 0 ? 1 : bytes, alignment); block != nullptr) return block;
  }
  auto library = OfLibrary<void* (*)(size_t, size_t, const void*)>(kNothrowAligned);
  if (library != nullptr) return library(bytes, alignment, tag);
  return visible == _ZnwmSt11align_val_t ? nullptr : visible(bytes, alignment);
}
HEDDLE_INTERCEPT void* _ZnwmRKSt9nothrow_t(size_t bytes, const void* tag) { return Nothrow(bytes, tag, HEDDLE_PC); }
HEDDLE_INTERCEPT void* _ZnamRKSt9nothrow_t(size_t bytes, const void* tag) { return Nothrow(bytes, tag, HEDDLE_PC); }
HEDDLE_INTERCEPT void* _ZnwmSt11align_val_tRKSt9nothrow_t(size_t bytes, size_t alignment, const void* tag) {
  return NothrowAligned(bytes, alignment, tag, HEDDLE_PC);
}
HEDDLE_INTERCEPT void* _ZnamSt11align_val_tRKSt9nothrow_t(size_t bytes, size_t alignment, const void* tag) {
  return NothrowAligned(bytes, alignment, tag, HEDDLE_PC);
}
HEDDLE_INTERCEPT void _ZdlPvRKSt9nothrow_t(void* block, const void*) noexcept { Delete(block, HEDDLE_PC); }
HEDDLE_INTERCEPT void _ZdaPvRKSt9nothrow_t(void* block, const void*) noexcept { Delete(block, HEDDLE_PC); }
HEDDLE_INTERCEPT void _ZdlPvSt11align_val_tRKSt9nothrow_t(void* block, size_t alignment, const void*) noexcept {
  DeleteAligned(block, alignment, HEDDLE_PC);
}
HEDDLE_INTERCEPT void _ZdaPvSt11align_val_tRKSt9nothrow_t(void* block, size_t alignment, const void*) noexcept {
  DeleteAligned(block, alignment, HEDDLE_PC);
}
// NOLINTEND(*-reserved-identifier)
