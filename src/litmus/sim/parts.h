// Accesses of different sizes. A location is divided where an access begins or ends inside it; an access then has an
// event for each part, and the relation `sm` holds them together (base_names.h): nothing of another thread comes
// between, when the model says so with it. This is how the published mixed-size models of Arm and x86 are written
// (Flur et al., "Mixed-size concurrency", POPL 2017; Alglave, Deacon, Grisenthwaite, Hacquard, Maranget, TOPLAS 2021).
//
// Where the divisions are depends on addresses that a run computes. So a run that needs a new one says so, the test is
// divided there, and all starts again. Memory is little-endian.
#pragma once

#include <array>
#include <cstdint>

#include "litmus/syntax/test.h"

namespace heddle::litmus {

struct Part {
  int cell = -1;
  int element = 0;  // of a pair: which half
  int shift = 0;    // bits: where the part stands in the value of the element
};

struct Access {
  static constexpr size_t kMost = 16;
  std::array<Part, kMost> parts;
  size_t count = 0;
  bool whole = true;  // one cell that is not divided: its value is the access's, whatever their sizes
};

struct Boundary {
  int cell = -1;
  int64_t address = 0;
};

enum class Place { kFound, kNone, kDivide, kMisaligned };

// Adds the parts of `width` bytes at the address. A location that is smaller than the access counts as large enough:
// tests use registers of 64 bits for locations without a type. kDivide: at `boundary` first.
Place FindParts(const Test& test, int64_t address, int width, int element, Access& access, Boundary& boundary);

// Divides a cell of the test in two.
void Divide(Test& test, const Boundary& boundary);

// What an access that writes `value` puts into a part, and the value that parts make up.
int64_t PartOf(const Test& test, const Access& access, const Part& part, int64_t value);
int64_t Combined(const Test& test, const Access& access, int element, const std::array<int64_t, Access::kMost>& values);
// The bits of the value of a cell that is `size` bytes wide.
int64_t Masked(int64_t value, int size);

}  // namespace heddle::litmus
