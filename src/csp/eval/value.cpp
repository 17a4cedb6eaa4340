#include "csp/eval/value.h"

#include <algorithm>

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

}  // namespace

Store::Store() : table_(256, nullptr) {
  true_ = Make(Kind::kBool, 1, nullptr, {});
  false_ = Make(Kind::kBool, 0, nullptr, {});
}

const Node** Store::Allocate(size_t n) {
  if (n > chunk_left_) {
    size_t size = std::max(n, kChunk);
    chunks_.push_back(std::make_unique<const Node*[]>(size));
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
  size_t mask = table_.size() - 1;
  size_t at = hash & mask;
  for (; table_[at] != nullptr; at = (at + 1) & mask) {
    const Node* n = table_[at];
    if (n->hash == hash && n->kind == kind && n->number == number && n->ptr == ptr && n->count == kids.size() &&
        std::equal(kids.begin(), kids.end(), n->kid_array)) {
      return n;
    }
  }
  const Node** copy = Allocate(kids.size());
  std::copy(kids.begin(), kids.end(), copy);
  Node node{};
  node.kind = kind;
  node.hash = hash;
  node.count = static_cast<uint32_t>(kids.size());
  node.number = number;
  node.ptr = ptr;
  node.kid_array = copy;
  nodes_.push_back(node);
  bytes_ += sizeof(Node);
  table_[at] = &nodes_.back();
  if (nodes_.size() * 2 > table_.size()) Grow();
  return &nodes_.back();
}

void Store::Grow() {
  std::vector<const Node*> bigger(table_.size() * 2, nullptr);
  size_t mask = bigger.size() - 1;
  for (const Node& node : nodes_) {
    size_t at = node.hash & mask;
    while (bigger[at] != nullptr) at = (at + 1) & mask;
    bigger[at] = &node;
  }
  table_ = std::move(bigger);
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
