#include "runtime/threads/thread.h"

#include <cstring>
#include <new>

#include "runtime/memory/hot_section.h"
#include "runtime/memory/pages.h"
#include "runtime/mode.h"
#include "runtime/spin.h"

namespace heddle::rt {

constinit thread_local Hot t_hot __attribute__((tls_model("initial-exec"))){};
extern "C" {
constinit thread_local uint64_t __heddle_segment __attribute__((tls_model("initial-exec"), visibility("default"))) = 0;
}

namespace {

HEDDLE_HOT_SECTION std::atomic<uint32_t> g_next_number{0};

// Appends the decimal digits of `value`.
char* PutNumber(char* at, const char* end, uint32_t value) {
  char digits[12];
  int count = 0;
  do {
    digits[count++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  while (count > 0 && at < end) *at++ = digits[--count];
  return at;
}

// T0 is main; its children are T1, T2, ...; theirs T1.1, ... Very deep trees are cut: the id is for people.
void BuildId(Thread* thread, Thread* parent, uint32_t child) {
  char* at = thread->id;
  const char* end = thread->id + sizeof thread->id - 1;
  if (parent == nullptr) {
    *at++ = thread->number == 0 ? 'T' : 'X';
    PutNumber(at, end, thread->number);
    return;
  }
  bool of_main = strcmp(parent->id, "T0") == 0;
  if (of_main) {
    *at++ = 'T';
  } else {
    for (const char* from = parent->id; *from != '\0' && at < end; ++from) *at++ = *from;
    if (at < end) *at++ = '.';
  }
  PutNumber(at, end, child);
}

// Handles of threads and whose they are. Open addressing; grows by mapping a larger table. An entry stops being live
// before its thread is joined or detached, so a live one is never of a thread whose handle libc has given away.
struct Handle {
  pthread_t handle;
  uint32_t number_plus_one;  // 0: the entry is free
  bool live;
};
SpinLock g_handles_lock;
Handle* g_handles = nullptr;
uint32_t g_handles_size = 0;
HEDDLE_HOT_SECTION uint32_t g_handles_used = 0;

uint32_t HandleSlot(pthread_t handle) {
  return static_cast<uint32_t>((static_cast<uint64_t>(handle) * 0x9E3779B97F4A7C15ULL) >> 40U) & (g_handles_size - 1);
}

// The handle's entry, or the free one that it would have.
Handle& EntryOf(pthread_t handle) {
  uint32_t i = HandleSlot(handle);
  while (g_handles[i].number_plus_one != 0 && g_handles[i].handle != handle) i = (i + 1) & (g_handles_size - 1);
  return g_handles[i];
}

void SetEntry(Handle& entry, pthread_t handle, uint32_t number) {
  if (entry.number_plus_one == 0) ++g_handles_used;
  entry = {handle, number + 1, true};
}

bool GrowHandles() {
  uint32_t old_size = g_handles_size;
  Handle* old = g_handles;
  uint32_t size = old_size == 0 ? 256 : old_size * 2;
  void* pages = MapPages(size * sizeof(Handle));
  if (pages == nullptr) return false;
  g_handles = static_cast<Handle*>(pages);
  g_handles_size = size;
  g_handles_used = 0;
  for (uint32_t i = 0; i < old_size; ++i) {
    if (old[i].number_plus_one == 0 || !old[i].live) continue;
    SetEntry(EntryOf(old[i].handle), old[i].handle, old[i].number_plus_one - 1);
  }
  if (old != nullptr) UnmapPages(old, old_size * sizeof(Handle));
  return true;
}

}  // namespace

Thread* NewThread(Thread* parent, void* (*start)(void*), void* argument) {
  void* pages = MapPages(sizeof(Thread));
  if (pages == nullptr) return nullptr;
  Thread* thread = new (pages) Thread;  // pages are zero: the large arrays are not touched
  thread->number = g_next_number.fetch_add(1, std::memory_order_relaxed);
  thread->start = start;
  thread->start_argument = argument;
  thread->start_pc = reinterpret_cast<uint64_t>(start);
  BuildId(thread, parent, parent == nullptr ? 0 : parent->children.fetch_add(1, std::memory_order_relaxed) + 1);
  return thread;
}

void FreeThread(Thread* thread) { UnmapPages(thread, sizeof(Thread)); }

void BindThread(Thread* thread) {
  t_hot.thread = thread;
  t_hot.top = t_hot.bottom = thread->frames;
  t_hot.limit = thread->frames + kMaxFrames;
  t_hot.gone = 0;
}

Thread* CurrentThread() {
  if (t_hot.thread != nullptr || t_hot.gone != 0) return t_hot.thread;
  RuntimeScope scope;
  Thread* thread = NewThread(nullptr, nullptr, nullptr);
  if (thread == nullptr) return nullptr;
  BindThread(thread);
  g_hooks.thread_begin(thread, nullptr);
  return thread;
}

void LockHandles() { g_handles_lock.Lock(); }
void UnlockHandles() { g_handles_lock.Unlock(); }

namespace {

bool HasRoom() { return g_handles_used * 2 < g_handles_size || GrowHandles(); }

// With the lock: the live entry of the handle, or null.
Handle* LiveEntry(pthread_t handle) {
  if (g_handles_size == 0) return nullptr;
  Handle& entry = EntryOf(handle);
  return entry.number_plus_one != 0 && entry.live ? &entry : nullptr;
}

}  // namespace

void RememberHandle(pthread_t handle, uint32_t number) {
  SpinHolder hold(g_handles_lock);
  if (!HasRoom()) return;
  Handle& entry = EntryOf(handle);
  bool is_joined = entry.number_plus_one == number + 1;  // its creator was faster, or somebody waits for its end
  if (!is_joined) SetEntry(entry, handle, number);
}

void RememberCreated(pthread_t handle, uint32_t number) {
  SpinHolder hold(g_handles_lock);
  if (!HasRoom()) return;
  Handle& entry = EntryOf(handle);
  bool has_begun = entry.number_plus_one == number + 1;
  bool is_anothers = entry.number_plus_one != 0 && entry.live;
  if (!has_begun && !is_anothers) SetEntry(entry, handle, number);
}

uint32_t NumberOf(pthread_t handle) {
  SpinHolder hold(g_handles_lock);
  const Handle* entry = LiveEntry(handle);
  return entry == nullptr ? UINT32_MAX : entry->number_plus_one - 1;
}

uint32_t TakeHandle(pthread_t handle) {
  SpinHolder hold(g_handles_lock);
  Handle* entry = LiveEntry(handle);
  if (entry == nullptr) return UINT32_MAX;
  entry->live = false;
  return entry->number_plus_one - 1;
}

void PutHandleBack(pthread_t handle, uint32_t number) {
  SpinHolder hold(g_handles_lock);
  if (g_handles_size == 0) return;
  Handle& entry = EntryOf(handle);
  if (entry.number_plus_one == number + 1) entry.live = true;
}

void ForgetOtherHandles(pthread_t self) {
  SpinHolder hold(g_handles_lock);
  for (uint32_t i = 0; i < g_handles_size; ++i) {
    if (g_handles[i].handle != self) g_handles[i].live = false;
  }
}

void ForgetHandle(pthread_t handle, uint32_t number) {
  SpinHolder hold(g_handles_lock);
  Handle* entry = LiveEntry(handle);
  if (entry != nullptr && entry->number_plus_one == number + 1) entry->live = false;
}

}  // namespace heddle::rt
