// What the readers of the GPU languages share: dotted mnemonics and operands that are registers, locations or numbers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "litmus/syntax/builder.h"

namespace heddle::litmus {

// ld.acquire.gpu as its pieces.
std::vector<std::string> DottedPieces(std::string_view word);

struct GpuOperand {
  enum class Kind { kRegister, kLocation, kNumber } kind = Kind::kNumber;
  std::string name;
  int value = -1;    // expression: the value of a register or number
  int address = -1;  // expression: of a location, or of [register]
  bool brackets = false;
};

// A register is r with a number, or a name that the test declared as one.
bool IsGpuRegister(const ThreadBuilder& thread, std::string_view word);
Result<std::vector<GpuOperand>> GpuOperands(Cursor& cursor, ThreadBuilder& thread);

// add, or, xor ... as an operation on the value read; false when the word is none.
bool GpuOperation(std::string_view word, Op& op);
// add/sub/mov/beq/goto, common to PTX and VULKAN; false when the word is none of them.
Result<bool> GpuLocal(Cursor& cursor, ThreadBuilder& thread, const std::string& op);

}  // namespace heddle::litmus
