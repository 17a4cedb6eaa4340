// The values that events carry: a tag and a payload in 16 bytes, reference-counted when on the heap.
//
// This header is self-contained (standard library only): the C++ back end pastes it in front of the code it emits, so
// that the interpreter and a compiled monitor share one layout. Counts are not atomic: a value stays in one thread.
//
// An error is a value too. It travels through strict primitives and only matters when it reaches an output.
#pragma once

#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::stream {

enum class Tag : uint8_t {
  kInt,
  kBool,
  kUnit,
  kFloat,
  kNone,
  // The tags below own a cell on the heap (sets, maps and lists: the root of a tree, null when empty).
  kError,
  kString,
  kSome,
  kRecord,
  kSet,
  kMap,
  kList,
};

struct TreeNode;
struct ArrayCell;

struct StringCell {
  uint32_t refs;
  std::string text;
};

class Value {
 public:
  Value() : tag_(Tag::kUnit) { payload_.integer = 0; }
  Value(const Value& other) : payload_(other.payload_), tag_(other.tag_) { Retain(); }
  Value(Value&& other) noexcept : payload_(other.payload_), tag_(other.tag_) { other.tag_ = Tag::kUnit; }
  // Both save the other first: it may be part of what this one frees, or this one itself.
  Value& operator=(const Value& other) {
    other.Retain();
    auto payload = other.payload_;
    Tag tag = other.tag_;
    Release();
    payload_ = payload;
    tag_ = tag;
    return *this;
  }
  Value& operator=(Value&& other) noexcept {
    auto payload = other.payload_;
    Tag tag = other.tag_;
    other.tag_ = Tag::kUnit;
    Release();
    payload_ = payload;
    tag_ = tag;
    return *this;
  }
  ~Value() { Release(); }

  static Value Int(int64_t value) {
    Value v(Tag::kInt);
    v.payload_.integer = value;
    return v;
  }
  static Value Bool(bool value) {
    Value v(Tag::kBool);
    v.payload_.integer = value ? 1 : 0;
    return v;
  }
  static Value Float(double value) {
    Value v(Tag::kFloat);
    v.payload_.real = value;
    return v;
  }
  static Value None() { return Value(Tag::kNone); }
  static Value String(std::string_view text) { return FromString(Tag::kString, text); }
  static Value Error(std::string_view message) { return FromString(Tag::kError, message); }
  // An error that knows where it arose has its place after this mark.
  static constexpr char kPlaceMark = '\x01';
  // Takes over one reference to the tree.
  static Value Tree(Tag tag, TreeNode* root) {
    Value v(tag);
    v.payload_.tree = root;
    return v;
  }
  static Value Array(Tag tag, ArrayCell* cell) {
    Value v(tag);
    v.payload_.array = cell;
    return v;
  }
  static inline Value Some(Value item);

  Tag tag() const { return tag_; }
  bool is_error() const { return tag_ == Tag::kError; }
  int64_t integer() const { return payload_.integer; }
  bool boolean() const { return payload_.integer != 0; }
  double real() const { return payload_.real; }
  const std::string& text() const { return payload_.text->text; }
  TreeNode* tree() const { return payload_.tree; }
  ArrayCell* array() const { return payload_.array; }
  bool SameCell(const Value& other) const { return payload_.integer == other.payload_.integer; }

  // Gives the tree away: the value becomes unit and the caller owns the reference.
  TreeNode* TakeTree() {
    tag_ = Tag::kUnit;
    return payload_.tree;
  }
  void Swap(Value& other) noexcept {
    std::swap(payload_, other.payload_);
    std::swap(tag_, other.tag_);
  }

 private:
  explicit Value(Tag tag) : tag_(tag) { payload_.integer = 0; }
  static Value FromString(Tag tag, std::string_view text) {
    Value v(tag);
    v.payload_.text = new StringCell{1, std::string(text)};
    return v;
  }
  // Every heap cell starts with its count.
  void Retain() const {
    if (tag_ >= Tag::kError && payload_.refs != nullptr) ++*payload_.refs;
  }
  // Most values are plain: only the test is inlined.
  [[gnu::always_inline]] void Release() {
    if (tag_ >= Tag::kError) Drop();
  }
  [[gnu::noinline]] void Drop() {
    if (payload_.refs != nullptr && --*payload_.refs == 0) Free();
  }
  inline void Free();

  union {
    int64_t integer;
    double real;
    uint32_t* refs;
    StringCell* text;
    TreeNode* tree;
    ArrayCell* array;
  } payload_;
  Tag tag_;
};

// The names of a record's members; tuples have none to print. Shapes live as long as the process.
struct RecordShape {
  std::vector<std::string> names;
  bool tuple = false;
};

// Records and Some: a fixed number of values.
struct ArrayCell {
  uint32_t refs;
  uint32_t count;
  const RecordShape* shape;
  Value* items() { return std::launder(reinterpret_cast<Value*>(this + 1)); }

  // Items are unit until the caller fills them.
  static ArrayCell* Make(uint32_t count, const RecordShape* shape) {
    void* memory = ::operator new(sizeof(ArrayCell) + count * sizeof(Value));
    auto* cell = new (memory) ArrayCell{1, count, shape};
    for (uint32_t i = 0; i < count; ++i) new (reinterpret_cast<Value*>(cell + 1) + i) Value();
    return cell;
  }
  static void Destroy(ArrayCell* cell) {
    for (uint32_t i = 0; i < cell->count; ++i) cell->items()[i].~Value();
    ::operator delete(cell);
  }
};
static_assert(sizeof(ArrayCell) % alignof(Value) == 0);

// A node of a set (key), a map (key and value) or a list (key only, ordered by position). See tree.h.
struct TreeNode {
  uint32_t refs;
  uint32_t size;
  TreeNode* left;
  TreeNode* right;
  Value key;
  Value value;
};

inline void ReleaseTree(TreeNode* node) {
  while (node != nullptr && --node->refs == 0) {
    ReleaseTree(node->left);
    TreeNode* right = node->right;
    delete node;
    node = right;
  }
}

inline void Value::Free() {
  switch (tag_) {
    case Tag::kError:
    case Tag::kString:
      delete payload_.text;
      break;
    case Tag::kSome:
    case Tag::kRecord:
      ArrayCell::Destroy(payload_.array);
      break;
    default:
      payload_.tree->refs = 1;  // ReleaseTree counts it down itself
      ReleaseTree(payload_.tree);
  }
}

inline Value Value::Some(Value item) {
  ArrayCell* cell = ArrayCell::Make(1, nullptr);
  cell->items()[0] = std::move(item);
  return Array(Tag::kSome, cell);
}

// A total order: first by tag, then by content. Floats order NaN before everything, so that sets stay consistent.
inline int Compare(const Value& a, const Value& b);

inline int CompareFloat(double a, double b) {
  if (a != a || b != b) return (a != a ? 0 : 1) - (b != b ? 0 : 1);
  return a < b ? -1 : (a > b ? 1 : 0);
}

// Walks two trees in order; both are small or equal in the common case.
inline void PushLeft(TreeNode* node, std::vector<TreeNode*>& stack) {
  for (; node != nullptr; node = node->left) stack.push_back(node);
}

inline int CompareTrees(TreeNode* a, TreeNode* b) {
  if (a == b) return 0;
  if (a == nullptr || b == nullptr) return a == nullptr ? -1 : 1;
  std::vector<TreeNode*> left;
  std::vector<TreeNode*> right;
  PushLeft(a, left);
  PushLeft(b, right);
  while (!left.empty() && !right.empty()) {
    TreeNode* x = left.back();
    TreeNode* y = right.back();
    left.pop_back();
    right.pop_back();
    if (int c = Compare(x->key, y->key); c != 0) return c;
    if (int c = Compare(x->value, y->value); c != 0) return c;
    PushLeft(x->right, left);
    PushLeft(y->right, right);
  }
  return left.empty() ? (right.empty() ? 0 : -1) : 1;
}

inline int CompareArrays(ArrayCell* a, ArrayCell* b) {
  for (uint32_t i = 0; i < a->count && i < b->count; ++i) {
    if (int c = Compare(a->items()[i], b->items()[i]); c != 0) return c;
  }
  return a->count == b->count ? 0 : (a->count < b->count ? -1 : 1);
}

inline int Compare(const Value& a, const Value& b) {
  if (a.tag() != b.tag()) return a.tag() < b.tag() ? -1 : 1;
  switch (a.tag()) {
    case Tag::kInt:
    case Tag::kBool:
      return a.integer() < b.integer() ? -1 : (a.integer() > b.integer() ? 1 : 0);
    case Tag::kFloat:
      return CompareFloat(a.real(), b.real());
    case Tag::kUnit:
    case Tag::kNone:
      return 0;
    case Tag::kError:
    case Tag::kString: {
      if (a.SameCell(b)) return 0;
      int c = a.text().compare(b.text());
      return c < 0 ? -1 : (c > 0 ? 1 : 0);
    }
    case Tag::kSome:
    case Tag::kRecord:
      return CompareArrays(a.array(), b.array());
    case Tag::kSet:
    case Tag::kMap:
    case Tag::kList:
      return CompareTrees(a.tree(), b.tree());
  }
  return 0;
}

}  // namespace heddle::stream
