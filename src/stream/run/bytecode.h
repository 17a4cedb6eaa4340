// Register code for the functions of lift and slift.
//
// Registers 0 .. locals-1 are the function's locals (parameters first), the rest are temporaries. An operand is a
// register number; with kTake it is moved out of the register, which is then unit. Parameters of a lift are Options:
// the register holds the value itself and a separate array says whether it is present.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "stream/core/core.h"

namespace heddle::stream {

enum class Code : uint8_t {
  kConst,        // dst = constants[x]
  kMove,         // dst = x
  kPresent,      // dst = parameter x is present; y = 1 negates
  kOption,       // dst = parameter x as an Option value
  kGetParam,     // dst = value of parameter x, an error when absent
  kBranch,       // if x is true go on; false: jump to y; an error: dst = x and jump to z
  kOrElseParam,  // if parameter x is present: dst = its value and jump to y
  kOrElse,       // if x is Some: dst = its content, jump to y; if an error: dst = x, jump to y
  kLogic,        // dst = x; if x is an error or equals y (0 or 1), jump to z
  kJump,         // to x
  kSome,         // dst = Some(x)
  kRecord,       // dst = record of y registers from x on, shape in constants
  kMember,       // dst = x.items[y]
  kCall,         // dst = functions[z](y registers from x on)
  kFold,         // see FoldInfo x
  kPrimitive1,
  kPrimitive2,
  kPrimitive3,  // dst = primitive(x, y, z)
  kReturn,      // x
  kReturnNone,
  kReturnParam,   // parameter x if present, else none
  kReturnOption,  // unpack the Option x
};

constexpr uint32_t kTake = 0x80000000U;
// While a function is compiled: an operand that is a constant. Then constants are the registers after the others.
constexpr uint32_t kConstant = 0x40000000U;

struct Instruction {
  Code code = Code::kReturn;
  Primitive primitive = Primitive::kAdd;
  uint32_t dst = 0;
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t z = 0;
};

// A fold or map; its body is [begin, end) and leaves its value in `result`.
struct FoldInfo {
  Op op = Op::kSetFold;
  uint32_t collection = 0;
  uint32_t start = 0;
  std::vector<uint32_t> locals;
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t result = 0;
};

struct Chunk {
  std::vector<Instruction> code;
  std::vector<Value> constants;
  std::vector<const RecordShape*> shapes;
  std::vector<FoldInfo> folds;
  std::vector<const Function*> callees;                  // compiled on demand by the interpreter
  uint32_t registers = 0;                                // without those of the constants
  std::vector<std::pair<uint32_t, std::string>> places;  // by instruction, where an error of it arises
};

// Registers for a chunk, with its constants in their places; a run leaves those as they are.
std::vector<Value> NewRegisters(const Chunk& chunk);

// Gives an error value the place of the instruction.
void Locate(const Chunk& chunk, uint32_t instruction, Value& value);

// `option_parameters`: the function belongs to a lift. `option_result`: None means no event.
Chunk CompileFunction(const Function& function, bool option_parameters, bool option_result);

}  // namespace heddle::stream
