// The global variables of a generated thread, and the lvalues that they give.
#pragma once

#include <string>
#include <vector>

#include "refine/gen/random.h"

namespace heddle::refine {

// Something that can be read and assigned, of integer type.
struct Lvalue {
  std::string text;  // may contain %I for a masked index expression
  uint32_t index_mask = 0;
  int lock = -1;  // the lock that it belongs to; -1: none
  bool is_volatile = false;
  int bits = 32;  // of its type
};

struct Global {
  enum Kind { kScalar, kArray, kStruct, kPointer };
  Kind kind = kScalar;
  std::string name;
  std::string type;         // of a scalar or element; the tag of a structure
  std::string declaration;  // a whole line
  int lock = -1;
  uint32_t count = 0;   // elements
  uint32_t target = 0;  // of a pointer: its class, see Globals::targets
};

struct Globals {
  std::vector<std::string> lines;
  std::vector<Global> all;
  std::vector<Lvalue> lvalues;
  std::vector<std::vector<std::string>> structs_by_type;  // names of objects of one structure type
  std::vector<int> struct_locks;                          // of each type
  struct Pointer {
    std::string name;
    std::vector<std::string> targets;  // addresses of globals of its type
    int lock = -1;
  };
  std::vector<Pointer> pointers;
  struct Buffer {
    std::string name;
    uint32_t bytes;
    int lock;
  };
  std::vector<Buffer> buffers;  // arrays, for memcpy and memset
};

// `prefix` begins every name.
Globals MakeGlobals(Random& random, const std::string& prefix, uint32_t locks);

}  // namespace heddle::refine
