// The allocator behind ours: libc's. A library that replaces malloc (tcmalloc, jemalloc, mimalloc) replaces these names
// too; in a program that is watched, libc's own stand in its place (foreign_allocator.h).
#pragma once

#include <cstddef>

extern "C" {
// NOLINTBEGIN(*-reserved-identifier): libc's own names
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* block);
// NOLINTEND(*-reserved-identifier)
}

namespace heddle::rt {

struct LibcHeap {
  void* (*malloc)(size_t bytes) = __libc_malloc;
  void* (*calloc)(size_t count, size_t bytes) = __libc_calloc;
  void* (*realloc)(void* block, size_t bytes) = __libc_realloc;
  void* (*memalign)(size_t alignment, size_t bytes) = __libc_memalign;
  void (*free)(void* block) = __libc_free;
  bool is_libc = true;  // false: a library has replaced it
};
// Constant once the runtime has started; no block is had before.
extern LibcHeap g_libc_heap;

}  // namespace heddle::rt
