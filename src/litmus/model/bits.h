// Sets and relations over the events of one execution, as bits in flat words. A shape says how many events there are
// and how many words a row needs; a set is one row, a relation is one row for each event. Storage comes from an Arena,
// which is emptied at once when the execution that the values belong to is done: nothing is freed one by one.
//
// Values are written once, when they are made, and shared by pointer after that.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace heddle::litmus {

using Word = uint64_t;

struct Shape {
  int events = 0;
  int words = 0;  // in a row

  static Shape For(int events) { return {events, (events + 63) / 64}; }
  size_t SetWords() const { return static_cast<size_t>(words); }
  size_t RelWords() const { return static_cast<size_t>(words) * static_cast<size_t>(events); }
};

// Bump allocation of words. Clear() keeps the memory.
class Arena {
 public:
  Word* Take(size_t words) {
    if (used_ + words > size_) return Grow(words);
    Word* result = block_ + used_;
    used_ += words;
    return result;
  }
  Word* TakeZeroed(size_t words) {
    Word* result = Take(words);
    if (words != 0) std::memset(result, 0, words * sizeof(Word));
    return result;
  }
  void Clear();

 private:
  Word* Grow(size_t words);

  std::vector<std::unique_ptr<Word[]>> blocks_;
  std::vector<size_t> sizes_;
  size_t current_ = 0;
  Word* block_ = nullptr;
  size_t size_ = 0;
  size_t used_ = 0;
};

// The bits of a set in order: for (int e : Members(row, shape)) is written ForEach(row, shape, f).
template <typename F>
void ForEach(const Word* row, Shape shape, F&& f) {
  for (int w = 0; w < shape.words; ++w) {
    for (Word bits = row[w]; bits != 0; bits &= bits - 1) f(w * 64 + std::countr_zero(bits));
  }
}

inline bool Has(const Word* row, int e) { return (row[e / 64] >> (e % 64) & 1) != 0; }
inline void Put(Word* row, int e) { row[e / 64] |= Word{1} << (e % 64); }
inline Word* Row(Word* rel, Shape shape, int e) { return rel + static_cast<ptrdiff_t>(e) * shape.words; }
inline const Word* Row(const Word* rel, Shape shape, int e) { return rel + static_cast<ptrdiff_t>(e) * shape.words; }
inline bool Has(const Word* rel, Shape shape, int a, int b) { return Has(Row(rel, shape, a), b); }
inline void Put(Word* rel, Shape shape, int a, int b) { Put(Row(rel, shape, a), b); }

bool AnyBit(const Word* words, size_t count);
void Full(Word* row, Shape shape);                                           // the set of all events
void ComposeInto(Word* out, const Word* a, const Word* b, Shape shape);      // out must be zero
void InvertInto(Word* out, const Word* a, Shape shape);                      // out must be zero
void CloseTransitively(Word* rel, Shape shape);                              // in place
void ProductInto(Word* out, const Word* from, const Word* to, Shape shape);  // from * to
bool IsIrreflexive(const Word* rel, Shape shape);
bool IsAcyclic(const Word* rel, Shape shape, std::vector<Word>& scratch);
// A shortest cycle of the relation as a list of events, empty when it has none.
std::vector<int> ShortestCycle(const Word* rel, Shape shape);

}  // namespace heddle::litmus
