#include "csp/eval/value.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace heddle::csp {
namespace {

uint32_t Mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15ull;
  return static_cast<uint32_t>(h ^ (h >> 32));
}

uint32_t HashOf(Kind kind, int64_t number, const void* ptr, std::span<const Value> kids) {
  uint64_t h = Mix(static_cast<uint64_t>(kind) + 1, static_cast<uint64_t>(number));
  h = Mix(h, reinterpret_cast<uintptr_t>(ptr));
  for (Value kid : kids) h = Mix(h * 31, kid->hash ^ (reinterpret_cast<uintptr_t>(kid) >> 4));
  return Mix(h, kids.size());
}

constexpr size_t kChunk = 4096;
constexpr size_t kSmallChunks = 32;
constexpr size_t kLargeChunk = size_t{1} << 18;
constexpr size_t kFirstSlots = 256;

}  // namespace

Store::Store() : table_(Reserve<Slot>(kFirstSlots, true)), slots_(kFirstSlots) {
  true_ = Make(Kind::kBool, 1, nullptr, {});
  false_ = Make(Kind::kBool, 0, nullptr, {});
}

// Large pieces lie in huge pages: what is looked up is anywhere in them.
template <typename T>
Store::Memory<T> Store::Reserve(size_t n, bool zeroed, bool huge) {
  constexpr size_t kHuge = size_t{2} << 20;
  size_t bytes = n * sizeof(T);  // NOLINT(bugprone-sizeof-expression): of pointers too
  huge = huge && bytes >= kHuge;
  if (huge) bytes = (bytes + kHuge - 1) / kHuge * kHuge;
  void* memory = huge ? std::aligned_alloc(kHuge, bytes) : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  if (huge) madvise(memory, bytes, MADV_HUGEPAGE);
  if (zeroed) std::memset(memory, 0, bytes);
  return Memory<T>(static_cast<T*>(memory));
}

const Node** Store::Allocate(size_t n) {
  if (n > chunk_left_) {
    size_t size = std::max(n, chunks_.size() < kSmallChunks ? kChunk : kLargeChunk);
    chunks_.push_back(Reserve<const Node*>(size, false));
    chunk_next_ = chunks_.back().get();
    chunk_left_ = size;
    bytes_ += size * sizeof(Node*);
  }
  const Node** result = chunk_next_;
  chunk_next_ += n;
  chunk_left_ -= n;
  return result;
}

Value Store::Make(Kind kind, int64_t number, const void* ptr, std::span<const Value> kids) {
  uint32_t hash = HashOf(kind, number, ptr, kids);
  size_t mask = slots_ - 1;
  size_t at = hash & mask;
  for (; table_[at].node != 0; at = (at + 1) & mask) {
    if (table_[at].hash != hash) continue;
    const Node* n = NodeAt(table_[at].node - 1);
    if (n->kind == kind && n->number == number && n->ptr == ptr && n->count == kids.size() &&
        std::equal(kids.begin(), kids.end(), n->kid_array)) {
      return n;
    }
  }
  const Node** copy = Allocate(kids.size());
  std::copy(kids.begin(), kids.end(), copy);
  // Most scripts need few nodes: the first piece is not a huge page.
  if (node_count_ % kNodes == 0) {
    pieces_.push_back(Reserve<Node>(kNodes, false, !pieces_.empty()));
  }
  Node* node = new (&pieces_.back()[node_count_ % kNodes]) Node{};
  node->kind = kind;
  node->hash = hash;
  node->count = static_cast<uint32_t>(kids.size());
  node->number = number;
  node->ptr = ptr;
  node->kid_array = copy;
  bytes_ += sizeof(Node);
  table_[at] = {hash, static_cast<uint32_t>(++node_count_)};
  if (node_count_ * 2 > slots_) Grow();
  return node;
}

void Store::Grow() {
  Memory<Slot> bigger = Reserve<Slot>(slots_ * 2, true);
  size_t mask = slots_ * 2 - 1;
  for (size_t i = 0; i < slots_; ++i) {
    if (table_[i].node == 0) continue;
    size_t at = table_[i].hash & mask;
    while (bigger[at].node != 0) at = (at + 1) & mask;
    bigger[at] = table_[i];
  }
  table_ = std::move(bigger);
  slots_ *= 2;
}

Value Store::String(std::string_view text) {
  std::vector<Value> chars;
  for (char c : text) chars.push_back(Char(static_cast<unsigned char>(c)));
  return Seq(chars);
}

Value Store::Set(std::vector<Value> items) {
  auto less = [](Value a, Value b) { return Compare(a, b) < 0; };
  if (!std::is_sorted(items.begin(), items.end(), less)) std::sort(items.begin(), items.end(), less);
  items.erase(std::unique(items.begin(), items.end()), items.end());
  return SortedSet(items);
}

Value Store::Map(std::vector<std::pair<Value, Value>> entries) {
  std::vector<size_t> order(entries.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    int c = Compare(entries[a].first, entries[b].first);
    return c != 0 ? c < 0 : a < b;
  });
  std::vector<Value> flat;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i + 1 < order.size() && entries[order[i + 1]].first == entries[order[i]].first) continue;
    flat.push_back(entries[order[i]].first);
    flat.push_back(entries[order[i]].second);
  }
  return Make(Kind::kMap, 0, nullptr, flat);
}

Value Store::Dot(std::span<const Value> parts) {
  std::vector<Value> flat;
  for (Value part : parts) {
    if (part->kind == Kind::kDot) {
      flat.insert(flat.end(), part->kids().begin(), part->kids().end());
    } else {
      flat.push_back(part);
    }
  }
  return flat.size() == 1 ? flat[0] : Make(Kind::kDot, 0, nullptr, flat);
}

int Compare(Value a, Value b) {
  if (a == b) return 0;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  if (a->number != b->number) return a->number < b->number ? -1 : 1;
  size_t common = std::min(a->count, b->count);
  // Dotted values sort as words do, so that the events of a channel stay together; the rest by length first.
  if (a->kind != Kind::kDot && a->count != b->count) return a->count < b->count ? -1 : 1;
  for (size_t i = 0; i < common; ++i) {
    if (int c = Compare(a->kid(i), b->kid(i)); c != 0) return c;
  }
  if (a->count != b->count) return a->count < b->count ? -1 : 1;
  return a->ptr < b->ptr ? -1 : 1;
}

}  // namespace heddle::csp
