// Internal: reads the functions of a C or OPENCL test into instructions. Reads of memory inside expressions become
// loads into registers of their own, from left to right.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "litmus/syntax/builder.h"

namespace heddle::litmus {

class CFunctionParser {
 public:
  CFunctionParser(Cursor& cursor, ThreadBuilder& thread, bool opencl)
      : cursor_(cursor), thread_(thread), opencl_(opencl) {}

  // (int* x, ...) { ... }
  Status Run();

 private:
  // Statements (c_statements.cpp).
  Status Parameters();
  Status Block();
  Status Statement();
  Status If();
  Status While();
  Status DoWhile();
  Status Declaration();
  Status Simple();
  bool AtType();
  void SkipType();
  std::string NewLabel() { return "%label" + std::to_string(labels_++); }
  void EndIf();

  // Expressions: the value as an expression of the thread.
  Result<int> Expression() { return Binary(0); }
  Result<int> Binary(int level);
  Result<int> Unary();
  Result<int> Primary();
  Result<int> Postfix(int value);
  Result<int> Call(const std::string& name, size_t begin);

  // Calls of atomics and fences (c_calls.cpp).
  struct Arguments {
    std::vector<int> values;
    std::vector<std::string> words;  // memory orders, scopes and fence flags by name, in order
    std::string expected_local;      // &local as the second argument of compare-exchange
  };
  Result<Arguments> ReadArguments();
  Result<int> Load(const Arguments& arguments, bool explicit_order);
  Result<int> Store(const Arguments& arguments, bool explicit_order);
  Result<int> Exchange(const Arguments& arguments, Op op);
  Result<int> CompareExchange(const Arguments& arguments, bool weak);
  Result<int> Fence(const Arguments& arguments);
  Result<int> Barrier(const Arguments& arguments);
  TagSet OrderTags(const Arguments& arguments, size_t index, bool explicit_order) const;
  TagSet ScopeTags(const Arguments& arguments) const;

  int PlainLoad(int address);
  void PlainStore(int address, int value);
  std::string Temporary() { return "%t" + std::to_string(temporaries_++); }
  int64_t WidthAt(int address) const;
  bool IsLocal(const std::string& name) const;

  Cursor& cursor_;
  ThreadBuilder& thread_;
  bool opencl_;
  std::map<std::string, int> parameters_;  // cells
  std::vector<std::string> locals_;
  std::string barrier_label_;
  int barriers_ = 0;
  int temporaries_ = 0;
  int labels_ = 0;
  int depth_ = 0;
};

}  // namespace heddle::litmus
