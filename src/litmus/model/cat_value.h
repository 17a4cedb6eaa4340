// Values of the cat language while one execution is judged. They live in arenas and are copied freely.
#pragma once

#include <cstdint>

#include "litmus/model/bits.h"

namespace heddle::litmus {

struct CatEnv;

struct CatValue {
  enum class Kind : uint8_t {
    kEmpty,      // 0: the empty set or relation
    kSet,        // bits: of events
    kRel,        // bits
    kEvent,      // a
    kPair,       // a, b: one pair of a relation
    kTag,        // a: number of a 'tag
    kTuple,      // items, a of them
    kList,       // items, a of them: a set whose elements are not events
    kClosure,    // a: node of the function; env
    kPrimitive,  // a
  };
  Kind kind = Kind::kEmpty;
  int32_t a = 0;
  int32_t b = 0;
  union {
    const Word* bits = nullptr;
    const CatValue* items;
    CatEnv* env;
  };
};

// Local names, innermost first.
struct CatEnv {
  CatValue value;
  CatEnv* next;
};

}  // namespace heddle::litmus
