#include "runtime/detect/objects.h"

#include <new>

#include "runtime/detect/shadow.h"
#include "runtime/memory/pages.h"

namespace heddle::rt::detect {

Stripe g_stripes[kStripes];
SyncObject* g_objects = nullptr;

namespace {

constexpr uint32_t kMaxObjects = 1U << 22U;
SpinLock g_pool_lock;
uint32_t g_made = 0;  // object 0 is none
uint32_t g_free = 0;
uint64_t g_serial = 0;
const char* g_ready = nullptr;

constexpr uint32_t kDescriptors = 2048;
SyncObject g_descriptors[kDescriptors];

uint32_t* Head(uint64_t address, bool make, Region** region) {
  *region = make ? RegionOf(address) : RegionIfTouched(address);
  if (*region == nullptr) return nullptr;
  return &(*region)->objects[(address & (kRegionBytes - 1)) >> 3U];
}

SyncObject* Take(uint64_t address) {
  SpinHolder hold(g_pool_lock);
  uint32_t index = g_free;
  if (index != 0) {
    g_free = g_objects[index].next;
  } else {
    if (g_made == kMaxObjects - 1) return nullptr;
    index = ++g_made;
    KeepAhead(reinterpret_cast<char*>(&g_objects[index + 1]), &g_ready,
              reinterpret_cast<char*>(&g_objects[kMaxObjects]));
  }
  auto* object = new (&g_objects[index]) SyncObject;
  object->address = address;
  object->index = index;
  object->serial = ++g_serial;
  return object;
}

void Give(SyncObject* object) {
  object->order.Clear();
  object->readers_order.Clear();
  object->must.Clear();
  object->stores.Clear();
  SpinHolder hold(g_pool_lock);
  object->next = g_free;
  g_free = object->index;
}

}  // namespace

bool StartObjects() {
  if (g_objects == nullptr) g_objects = static_cast<SyncObject*>(MapPages(kMaxObjects * sizeof(SyncObject)));
  if (g_ready == nullptr) g_ready = reinterpret_cast<char*>(g_objects);
  for (uint32_t i = 0; i < kDescriptors; ++i) g_descriptors[i].address = (uint64_t{1} << 48U) + i * 16;
  return g_objects != nullptr;
}

void LockStripes() {
  for (Stripe& stripe : g_stripes) stripe.lock.Lock();
  g_pool_lock.Lock();
}
void UnlockStripes() {
  g_pool_lock.Unlock();
  for (Stripe& stripe : g_stripes) stripe.lock.Unlock();
}

SyncObject* MakeObject(uint64_t address) {
  Region* region = nullptr;
  uint32_t* head = Head(address, true, &region);
  if (head == nullptr) return nullptr;
  SyncObject* object = Take(address);
  if (object == nullptr) return nullptr;
  object->next = *head;
  __atomic_store_n(head, object->index, __ATOMIC_RELEASE);
  uint64_t page = (address & (kRegionBytes - 1)) >> 12U;
  __atomic_fetch_or(&region->object_pages[page / 64], uint64_t{1} << (page % 64), __ATOMIC_RELAXED);
  return object;
}

void ForgetObjects(uint64_t begin, uint64_t bytes, void (*lost)(SyncObject* object)) {
  // A word's list is short; words at the edges may hold objects of a neighbour, so addresses are compared.
  struct Range {
    uint64_t begin;
    uint64_t end;
    void (*lost)(SyncObject*);
  };
  static thread_local Range t_range __attribute__((tls_model("initial-exec")));
  t_range = {begin, begin + bytes, lost};
  VisitObjects(begin, bytes, [](uint64_t word) {
    StripeHolder hold(word);
    Region* region = nullptr;
    uint32_t* at = Head(word, false, &region);
    while (at != nullptr && *at != 0) {
      SyncObject* object = &g_objects[*at];
      if (object->address < t_range.begin || object->address >= t_range.end) {
        at = &object->next;
        continue;
      }
      *at = object->next;
      if (t_range.lost != nullptr) t_range.lost(object);
      Give(object);
    }
  });
}

SyncObject* DescriptorObject(uint64_t key) { return &g_descriptors[key * 0x9E3779B97F4A7C15ULL >> 53U]; }

}  // namespace heddle::rt::detect
