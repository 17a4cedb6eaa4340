// Functions of values as combinational Verilog; private to verilog*.cpp.
#pragma once

#include <string>
#include <vector>

#include "stream/core/core.h"
#include "stream/emit/verilog.h"

namespace heddle::stream {

// A value on wires. Unit has no data; `error` is empty when it cannot fail.
struct Wires {
  std::string data;
  std::string error;
};

// An Option on wires, for the parameters and the result of a lift.
struct OptionWires {
  std::string valid;
  Wires value;
};

// Bits of a value; negative when it has no hardware. A set is a mask; a map is a mask of its keys, then the values, 0
// where there is none.
int VerilogWidth(const TypeRef& type, const VerilogOptions& options);

class VerilogFunction {
 public:
  VerilogFunction(const VerilogOptions& options, Symbols& symbols, std::string prefix)
      : options_(options), symbols_(symbols), prefix_(std::move(prefix)) {}

  // The locals that are parameters. Options for a lift.
  std::vector<OptionWires> parameters;
  bool option_parameters = false;

  Wires Value(const ExprRef& expr);
  OptionWires Tail(const ExprRef& expr);

  const std::string& text() const { return text_; }
  // What cannot be said in hardware; empty when all is well.
  const std::string& problem() const { return problem_; }

  static std::string Or(const std::string& a, const std::string& b);
  std::string Constant(const stream::Value& value, const TypeRef& type);

 private:
  Wires Fail(std::string problem);
  std::string Wire(const TypeRef& type, const std::string& value);
  std::string Flag(const std::string& value);
  Wires Primitive(const Expr& e);
  Wires Collection(const Expr& e, const Wires& a, const Wires& b);
  Wires Arithmetic(const Expr& e, const Wires& a, const Wires& b);
  Wires Conditional(const Expr& e);
  bool IsParameter(const ExprRef& expr) const;
  bool ConstantOperand(const Expr& e, int64_t* value);

  const VerilogOptions& options_;
  Symbols& symbols_;
  std::string prefix_;
  std::string text_;
  std::string problem_;
  std::map<uint32_t, Wires> lets_;
  int next_ = 0;
};

}  // namespace heddle::stream
