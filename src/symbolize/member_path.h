// The part of a global variable at an address, from the types in DWARF: "[1].count" in `struct {int price, count;}
// x[4]`. Seen by symbolizer.cpp only.
#pragma once

#include <cstdint>
#include <string>

namespace llvm {
class DWARFContext;
}

namespace heddle::symbolize {

// The smallest member or element that holds the `size` bytes at `offset` in the variable that begins at `variable` (an
// address in the file), as C writes it behind the variable's name. Empty when the variable has no parts, when the bytes
// lie in several of them, or when the types are not known.
std::string MemberPath(llvm::DWARFContext& context, uint64_t variable, uint64_t offset, uint64_t size);

}  // namespace heddle::symbolize
