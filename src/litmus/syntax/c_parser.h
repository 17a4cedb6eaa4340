// Internal: reads the functions of a C or OPENCL test into instructions. Reads of memory inside expressions become
// loads into registers of their own, from left to right.
//
// Beside the threads P0, P1, ... a test may have structs, typedefs, global variables and functions (c_unit.h). A call
// of such a function is read in place: its parameters and variables are registers with names of their own.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "litmus/syntax/builder.h"
#include "litmus/syntax/c_unit.h"

namespace heddle::litmus {

class CFunctionParser {
 public:
  CFunctionParser(Cursor& cursor, ThreadBuilder& thread, const CUnit& unit, bool opencl)
      : cursor_(cursor), thread_(thread), unit_(unit), opencl_(opencl), frames_(1) {
    frames_.back().end = "%end";
  }

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
  Status For();
  Status Return();
  Status Leave(bool again);  // break and continue
  Status Declaration();
  Status Simple();
  bool AtType();
  void SkipType();
  std::string NewLabel() { return "%label" + std::to_string(labels_++); }
  void EndIf();

  // Expressions: the value as an expression of the thread.
  Result<int> Expression();
  Result<int> Choice(int condition);
  Result<int> Binary(int level);
  Result<int> Unary();
  Result<int> Primary();
  Result<int> Postfix(int value);
  Result<int> Member(int base);  // the address of the member whose name comes next, in the struct at `base`
  Result<int> Inline(const CFunction& function, size_t begin);
  // What can stand to the left of `=` or to the right of `&`: where it is, and whether its type is atomic.
  struct Place {
    int address = -1;
    bool atomic = false;
  };
  Result<Place> Lvalue();
  bool PointsToAtomic(const std::string& name) const;
  bool AtLvalue();  // a name with -> or . or [ after it
  int Read(const Place& place);
  void Write(const Place& place, int value);
  Result<int> Call(const std::string& name, size_t begin);

  // Calls of atomics and fences (c_calls.cpp).
  struct Arguments {
    std::vector<int> values;
    std::vector<std::string> words;  // memory orders, scopes and fence flags by name, in order
    std::string expected_local;      // &local as the second argument of compare-exchange
  };
  Result<Arguments> ReadArguments();
  // The function of <stdatomic.h> that a builtin of gcc is, without `_explicit`; empty when it is none.
  std::string Builtin(const std::string& name, Arguments& arguments) const;
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
  bool IsLocal(const std::string& name) const { return frames_.back().locals.contains(name); }
  // The register of a local variable; a new one when the name is new in this function.
  std::string Declare(const std::string& name);
  const std::string& Local(const std::string& name) const { return frames_.back().locals.at(name); }

  struct Frame {
    std::map<std::string, std::string> locals;               // names to registers
    std::vector<std::string> atomic_pointers;                // locals that point to something atomic
    std::string result;                                      // register of what the function returns
    std::string end;                                         // label
    std::vector<std::pair<std::string, std::string>> loops;  // labels of break and continue
  };

  Cursor& cursor_;
  ThreadBuilder& thread_;
  const CUnit& unit_;
  bool opencl_;
  std::map<std::string, int> parameters_;  // cells
  std::vector<Frame> frames_;
  std::string barrier_label_;
  int barriers_ = 0;
  int temporaries_ = 0;
  int labels_ = 0;
  int inlined_ = 0;
  int depth_ = 0;
};

}  // namespace heddle::litmus
