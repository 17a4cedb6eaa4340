// Internal: what a C test declares beside its threads: structs, type names, global variables and functions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "litmus/syntax/builder.h"

namespace heddle::litmus {

struct CParameter {
  std::string name;
  std::string type;  // the name of the struct or typedef, or the words of the type
  bool pointer = false;
  bool atomic = false;  // what it points to, or itself
};

struct CFunction {
  std::string name;
  std::vector<CParameter> parameters;
  bool returns = false;
  size_t begin = 0;  // offset of its {
  size_t end = 0;    // after its }
};

struct CMember {
  int index = 0;
  bool atomic = false;
  std::string owner;
};

struct CUnit {
  std::map<std::string, CFunction> functions;
  std::map<std::string, std::vector<std::string>> structs;  // names of the members, by struct or typedef
  std::multimap<std::string, CMember> members;              // by the name of the member
  std::set<std::string> types;                              // typedef names
  std::set<std::string> atomic_types;                       // typedef names of atomic types
  std::set<std::string> atomic_globals;
};

// Words of C that begin a type.
bool IsCTypeWord(std::string_view word);

// Reads declarations and functions until a thread or the condition comes. Global variables become cells of the test,
// unless the initial state has them already.
Status ParseCUnit(Cursor& cursor, Test& test, CUnit& unit);

}  // namespace heddle::litmus
