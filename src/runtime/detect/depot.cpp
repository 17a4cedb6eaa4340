#include "runtime/detect/depot.h"

#include "runtime/memory/pages.h"

namespace heddle::rt::detect {
namespace {

constexpr uint32_t kBuckets = 1U << 16U;
struct Node {
  uint64_t value;
  uint32_t parent;
  uint32_t next;
};
Node* g_nodes = nullptr;
uint32_t g_heads[kBuckets];
uint32_t g_count = 0;  // node 0 is the empty path

uint32_t Find(uint32_t from, uint32_t until, uint32_t parent, uint64_t value) {
  for (uint32_t node = from; node != until; node = g_nodes[node].next) {
    if (g_nodes[node].parent == parent && g_nodes[node].value == value) return node;
  }
  return 0;
}

}  // namespace

bool StartDepot() {
  if (g_nodes == nullptr) g_nodes = static_cast<Node*>(MapPages(kDepotNodes * sizeof(Node)));
  return g_nodes != nullptr;
}

uint32_t DepotPut(uint32_t parent, uint64_t value) {
  uint64_t hash = value * 0x9E3779B97F4A7C15ULL ^ parent * 0xC2B2AE3D27D4EB4FULL;
  uint32_t* bucket = &g_heads[(hash ^ hash >> 29U) >> 32U & (kBuckets - 1)];
  uint32_t head = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
  uint32_t found = Find(head, 0, parent, value);
  if (found != 0) return found;
  if (__atomic_load_n(&g_count, __ATOMIC_RELAXED) >= kDepotNodes - 1) return 0;
  uint32_t node = __atomic_add_fetch(&g_count, 1, __ATOMIC_RELAXED);
  if (node >= kDepotNodes) return 0;
  g_nodes[node] = {value, parent, head};
  while (!__atomic_compare_exchange_n(bucket, &g_nodes[node].next, node, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    // Somebody was faster; perhaps with the same path. Our node is then left unused.
    found = Find(g_nodes[node].next, head, parent, value);
    if (found != 0) return found;
    head = g_nodes[node].next;
  }
  return node;
}

uint32_t DepotParent(uint32_t node) { return g_nodes[node].parent; }
uint64_t DepotValue(uint32_t node) { return g_nodes[node].value; }

uint32_t DepotPath(uint32_t node, uint64_t* out, uint32_t limit) {
  uint32_t count = 0;
  for (; node != 0 && count < limit; node = g_nodes[node].parent) out[count++] = g_nodes[node].value;
  return count;
}

}  // namespace heddle::rt::detect
