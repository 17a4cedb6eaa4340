// Writes expressions as C++ statements; private to emit_cpp*.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "stream/core/core.h"
#include "stream/core/liveness.h"

namespace heddle::stream {

// A text as a literal of C++.
std::string CppLiteral(std::string_view text);

// What several functions of one file share.
class CppShared {
 public:
  std::string Constant(const Value& value);
  std::string Shape(const RecordShape* shape);
  std::string FunctionName(const Function* function);
  // Definitions of constants and shapes, and of recursive functions, in an order that compiles.
  std::string Definitions();

 private:
  std::string ConstantCode(const Value& value);

  std::vector<std::string> constants_;
  std::map<std::string, std::string> constant_names_;
  std::map<const RecordShape*, std::string> shapes_;
  std::string shape_code_;
  std::map<const Function*, std::string> functions_;
  std::vector<const Function*> pending_;
};

// One function body. Locals are C++ variables l0, l1, ...; parameter k of a lift is present when p_k is true.
class CppWriter {
 public:
  CppWriter(CppShared& shared, uint32_t option_parameters) : shared_(shared), live_(option_parameters) {}

  // Statements that leave the value of `expr` in variable `to`.
  std::string Into(const std::string& to, const ExprRef& expr, const LocalSet& after);
  // Statements that set `to` and make `flag` true, or do nothing when the result is None.
  std::string Tail(const std::string& to, const std::string& flag, const ExprRef& expr, const LocalSet& after);

 private:
  // An operand: declarations go to `before`, the result is an expression.
  std::string Operand(const ExprRef& expr, const LocalSet& after, std::string& before);
  std::string Conditional(const std::string& to, const Expr& e, const LocalSet& after);
  std::string PrimitiveCode(const std::string& to, const ExprRef& expr, const LocalSet& after);
  std::string FoldCode(const std::string& to, const ExprRef& expr, const LocalSet& after);
  // A condition about presence only, which cannot be an error; empty when it is of another kind.
  std::string Native(const ExprRef& expr);
  std::string Temporary() { return "t" + std::to_string(next_++); }
  LocalSet After(const LocalSet& after, const ExprRef& e) { return Liveness::Join(after, live_.Uses(e)); }

  CppShared& shared_;
  Liveness live_;
  int next_ = 0;
};

}  // namespace heddle::stream
