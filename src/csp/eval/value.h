// Values and process terms of a script.
//
// Every value is an immutable Node, and equal nodes are one object (hash-consing): comparing two values, or two process
// states, is comparing two pointers. One node type serves all kinds:
//
//   kind      number          ptr           kids
//   kInt...   the value
//   kTuple, kSeq, kDot                      the parts; a kDot is flat and has at least two
//   kSet                                    the elements, sorted by Compare, without repetition
//   kMap                                    key value key value ..., sorted by key
//   kGlobal   global index                  a channel or constructor by itself
//   kFrame                    the kLet      captured values; the values of its names are kept aside
//   kFunction                 the Decl      frame, then the arguments so far, one kTuple for each parenthesis
//   kLambda                   the Unit      captured values
//   kBuiltin  builtin index                 (arguments so far are not kept: builtins take one list)
//   kSeqFrom  the first number              the infinite sequence <n..>
//   kLazySeq  LazyKind        Unit or Expr  a sequence that is not computed yet, see LazyKind
//   kXxxSet   symbolic sets, see SetKind    operands
//   kFailed   its error       the Expr      an argument whose evaluation failed
//   kProcess  ProcOp                        operands, see process.h; ptr is the Unit of a late term
//
// Nodes live as long as their Store. Not thread-safe.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle::csp {

enum class Kind : uint8_t {
  kInt,
  kBool,
  kChar,
  kTuple,
  kSeq,
  kSet,
  kMap,
  kDot,
  kGlobal,
  kFrame,
  kFunction,
  kLambda,
  kBuiltin,
  kSymbolicSet,
  kSeqFrom,
  kLazySeq,
  kProcess,
  kFailed,
};

// Sets that are known by a rule instead of by their elements.
enum class SetKind : uint8_t {
  kInts,      // Int
  kIntsFrom,  // {n..}: kids = n
  kBools,
  kChars,
  kProcs,        // Proc
  kEvents,       // Events
  kProductions,  // {| e, ... |}: kids = the partial values
  kSeqs,         // Seq(S)
  kSubsets,      // Set(S)
  kDots,         // S.T: kids = the sets
  kTuples,       // (S,T): kids = the sets
  kMaps,         // Map(S,T)
};

// Sequences that are computed as far as they are needed. What was computed is the node's `memo`, a sequence again.
enum class LazyKind : uint8_t {
  kLate,    // the value of an expression: ptr = its Unit, kids = captured values
  kFront,   // items and then more: kids = a kSeq that is not empty, a sequence
  kAppend,  // one after the other: kids = two sequences
  kOver,    // a comprehension: ptr = its Expr, kids = what is left of its first generator, captured values
};

struct Node {
  Kind kind;
  uint32_t hash;
  uint32_t count;            // of kids
  mutable uint32_t tag = 0;  // event number of an event, for whoever owns the numbering; 0 is none
  int64_t number;
  const void* ptr;
  mutable void* memo = nullptr;  // what has been computed about it; owned elsewhere
  const Node* const* kid_array;

  std::span<const Node* const> kids() const { return {kid_array, count}; }
  const Node* kid(size_t i) const { return kid_array[i]; }
};

using Value = const Node*;

class Store {
 public:
  Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  Value Make(Kind kind, int64_t number, const void* ptr, std::span<const Value> kids);
  Value Make(Kind kind, int64_t number, const void* ptr, std::initializer_list<Value> kids) {
    return Make(kind, number, ptr, std::span<const Value>(kids.begin(), kids.size()));
  }

  Value Int(int64_t n) { return Make(Kind::kInt, n, nullptr, {}); }
  Value Bool(bool b) { return b ? true_ : false_; }
  Value Char(int64_t c) { return Make(Kind::kChar, c, nullptr, {}); }
  Value String(std::string_view text);
  Value Tuple(std::span<const Value> parts) { return Make(Kind::kTuple, 0, nullptr, parts); }
  Value Seq(std::span<const Value> items) { return Make(Kind::kSeq, 0, nullptr, items); }
  Value Set(std::vector<Value> items);  // sorts and removes repetitions
  Value SortedSet(std::span<const Value> items) { return Make(Kind::kSet, 0, nullptr, items); }
  Value Map(std::vector<std::pair<Value, Value>> entries);  // a later entry for a key wins
  Value Dot(std::span<const Value> parts);                  // flattens
  Value Symbolic(SetKind kind, std::span<const Value> kids = {}) {
    return Make(Kind::kSymbolicSet, static_cast<int64_t>(kind), nullptr, kids);
  }
  Value EmptySet() { return SortedSet({}); }

  size_t size() const { return node_count_; }
  size_t bytes() const { return bytes_; }

 private:
  // A node's place and its hash, which tells most others apart without looking at them.
  struct Slot {
    uint32_t hash;
    uint32_t node;  // its number plus one; 0: empty
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  template <typename T>
  using Memory = std::unique_ptr<T[], Free>;
  static constexpr size_t kNodes = size_t{1} << 15;  // in a piece

  template <typename T>
  static Memory<T> Reserve(size_t n, bool zeroed, bool huge = true);
  const Node* NodeAt(uint32_t number) const { return &pieces_[number / kNodes][number % kNodes]; }
  void Grow();
  const Node** Allocate(size_t n);

  std::vector<Memory<Node>> pieces_;
  size_t node_count_ = 0;
  Memory<Slot> table_;  // open addressing
  size_t slots_ = 0;    // a power of two
  std::vector<Memory<const Node*>> chunks_;
  size_t chunk_left_ = 0;
  const Node** chunk_next_ = nullptr;
  size_t bytes_ = 0;
  Value true_ = nullptr;
  Value false_ = nullptr;
};

// A total order that does not depend on addresses: numbers by value, sequences and sets by length and then by element.
int Compare(Value a, Value b);

inline SetKind SymbolicKind(Value set) { return static_cast<SetKind>(set->number); }
inline bool IsSet(Value v) { return v->kind == Kind::kSet || v->kind == Kind::kSymbolicSet; }

}  // namespace heddle::csp
