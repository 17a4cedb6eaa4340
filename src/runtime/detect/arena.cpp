#include "runtime/detect/arena.h"

#include <cstdint>
#include <cstring>

#include "runtime/memory/pages.h"
#include "runtime/spin.h"

namespace heddle::rt::detect {
namespace {

constexpr uint32_t kSmallest = 6;
constexpr uint32_t kClasses = 11;
constexpr size_t kChunk = size_t{1} << 20U;

struct Free {
  Free* next;
};
SpinLock g_lock;
Free* g_free[kClasses];
char* g_chunk = nullptr;
size_t g_left = 0;
const char* g_ready = nullptr;

uint32_t ClassOf(size_t bytes) {
  uint32_t size_class = 0;
  while ((size_t{1} << (kSmallest + size_class)) < bytes) ++size_class;
  return size_class;
}

void* Fresh(size_t bytes) {
  if (g_left < bytes) {
    void* pages = MapPages(kChunk);
    if (pages == nullptr) return nullptr;
    g_chunk = static_cast<char*>(pages);
    g_left = kChunk;
    g_ready = g_chunk;
  }
  char* block = g_chunk;
  g_chunk += bytes;
  g_left -= bytes;
  KeepAhead(g_chunk, &g_ready, g_chunk + g_left);
  return block;
}

}  // namespace

void* ArenaTake(size_t bytes) {
  uint32_t size_class = ClassOf(bytes);
  if (size_class >= kClasses) return nullptr;
  size_t rounded = size_t{1} << (kSmallest + size_class);
  Free* block = nullptr;
  {
    SpinHolder hold(g_lock);
    block = g_free[size_class];
    if (block == nullptr) return Fresh(rounded);
    g_free[size_class] = block->next;
  }
  memset(static_cast<void*>(block), 0, rounded);
  return block;
}

void ArenaGive(void* block, size_t bytes) {
  if (block == nullptr) return;
  uint32_t size_class = ClassOf(bytes);
  auto* free = static_cast<Free*>(block);
  SpinHolder hold(g_lock);
  free->next = g_free[size_class];
  g_free[size_class] = free;
}

void LockArena() { g_lock.Lock(); }
void UnlockArena() { g_lock.Unlock(); }

}  // namespace heddle::rt::detect
