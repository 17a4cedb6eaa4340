#include "litmus/syntax/c_unit.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "litmus/syntax/parse_impl.h"

// Declarations are read word by word, without a symbol table of C: a type is the words of C and the names that typedef
// and struct gave; its stars and _Atomic(...) say whether something is a pointer and whether it is atomic.
namespace heddle::litmus {
namespace {

constexpr std::array<std::string_view, 38> kTypes = {
    "int",     "long",     "short",      "char",          "unsigned", "signed",   "void",    "bool",
    "_Bool",   "atomic_t", "volatile",   "const",         "register", "intptr_t", "size_t",  "uint32_t",
    "int32_t", "uint64_t", "int64_t",    "uint8_t",       "int8_t",   "uint16_t", "int16_t", "uintptr_t",
    "global",  "local",    "__global",   "__local",       "uint",     "static",   "extern",  "inline",
    "struct",  "_Atomic",  "__inline__", "_Thread_local", "__thread", "_Alignas"};

class UnitParser {
 public:
  UnitParser(Cursor& cursor, Test& test, CUnit& unit) : cursor_(cursor), test_(test), unit_(unit) {}

  Status Run() {
    while (!AtEnding(cursor_) && !AtThread()) {
      if (cursor_.Take(";")) continue;
      size_t begin = cursor_.at();
      if (cursor_.TakeWord("typedef")) {
        if (Status status = Typedef(); !status) return status;
        continue;
      }
      if (!AtType()) return cursor_.Wrong("expected a thread, P0 or P1 or ..., a declaration or the condition");
      Type type;
      if (Status status = ReadType(type); !status) return status;
      if (cursor_.Take(";")) continue;  // struct node { ... };
      if (AtThread()) {
        // void P0 (...): the type says nothing.
        return {};
      }
      if (Status status = Declarators(type, begin); !status) return status;
    }
    return {};
  }

 private:
  struct Type {
    std::string name;
    bool pointer = false;
    bool atomic = false;
    bool nothing = false;  // void
  };

  bool AtThread() {
    std::string_view word = cursor_.PeekWord();
    return word.size() >= 2 && word[0] == 'P' &&
           std::all_of(word.begin() + 1, word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  }

  bool AtType() {
    std::string word(cursor_.PeekWord());
    return IsCTypeWord(word) || unit_.types.contains(word);
  }

  // The words of a type, the definition of a struct, and the stars after it.
  Status ReadType(Type& type) {
    while (AtType()) {
      std::string word(cursor_.Word());
      if (word.starts_with("atomic_") || unit_.atomic_types.contains(word)) type.atomic = true;
      if (word == "_Thread_local" || word == "__thread") {
        return cursor_.Wrong("thread-local variables are not supported: pass them as parameters");
      }
      if (word == "_Alignas") {
        if (Status status = SkipParentheses(); !status) return status;
        continue;
      }
      if (word == "_Atomic") {
        type.atomic = true;
        if (cursor_.Take("(")) {
          Type inner;
          if (Status status = ReadType(inner); !status) return status;
          if (Status status = cursor_.Need(")", "after the atomic type"); !status) return status;
          type.name = inner.name;
        }
        continue;
      }
      if (word == "struct") {
        std::string tag(cursor_.Peek() == '{' ? std::string_view() : cursor_.Word());
        type.name = tag.empty() ? "%struct" + std::to_string(unit_.structs.size()) : tag;
        if (cursor_.Peek() == '{') {
          if (Status status = Struct(type.name); !status) return status;
        }
        continue;
      }
      if (word == "void") type.nothing = true;
      if (unit_.types.contains(word) || type.name.empty()) type.name = word;
    }
    // `_Atomic(node*) p` and `node* _Atomic p` are atomic pointers; `_Atomic int* p` points to something atomic.
    Stars(type);
    return {};
  }

  void Stars(Type& type) {
    while (true) {
      if (cursor_.Take("*")) {
        type.pointer = true;
        type.nothing = false;
      } else if (type.pointer && (cursor_.PeekWord() == "_Atomic" || cursor_.PeekWord() == "const" ||
                                  cursor_.PeekWord() == "volatile" || cursor_.PeekWord() == "restrict")) {
        if (cursor_.Word() == "_Atomic") type.atomic = true;
      } else {
        return;
      }
    }
  }

  Status SkipParentheses() {
    if (Status status = cursor_.Need("(", "here"); !status) return status;
    int depth = 1;
    while (depth > 0) {
      if (cursor_.AtEnd()) return cursor_.Wrong("`(` is not closed");
      if (cursor_.Peek() == '(') ++depth;
      if (cursor_.Peek() == ')') --depth;
      cursor_.Seek(cursor_.at() + 1);
    }
    return {};
  }

  Status Struct(const std::string& name) {
    cursor_.Take("{");
    std::vector<std::string> members;
    while (!cursor_.Take("}")) {
      if (cursor_.AtEnd()) return cursor_.Wrong("the struct is not closed by `}`");
      if (cursor_.Take(";")) continue;
      if (!AtType()) return cursor_.Wrong("expected a member of the struct, found " + cursor_.Shown());
      Type type;
      if (Status status = ReadType(type); !status) return status;
      do {
        Type own = type;
        Stars(own);
        std::string member(cursor_.Word());
        if (member.empty()) return cursor_.Wrong("expected the name of a member, found " + cursor_.Shown());
        if (cursor_.Peek() == '[') return cursor_.Wrong("an array inside a struct is not supported");
        unit_.members.emplace(member, CMember{static_cast<int>(members.size()), own.atomic, name});
        members.push_back(member);
      } while (cursor_.Take(","));
    }
    unit_.structs[name] = std::move(members);
    return {};
  }

  Status Typedef() {
    Type type;
    if (Status status = ReadType(type); !status) return status;
    std::string name(cursor_.Word());
    if (name.empty()) return cursor_.Wrong("expected the name of the type, found " + cursor_.Shown());
    unit_.types.insert(name);
    if (type.atomic) unit_.atomic_types.insert(name);
    auto found = unit_.structs.find(type.name);
    if (found != unit_.structs.end()) unit_.structs[name] = found->second;
    return cursor_.Need(";", "after the typedef");
  }

  // int l = 0, m;   or   void lock(...) { ... }
  Status Declarators(const Type& type, size_t begin) {
    do {
      Type own = type;
      Stars(own);
      std::string name(cursor_.Word());
      if (name.empty()) return cursor_.Wrong("expected a name, found " + cursor_.Shown());
      if (cursor_.Peek() == '(') return Function(own, name, begin);
      if (Status status = Global(own, name); !status) return status;
    } while (cursor_.Take(","));
    return cursor_.Need(";", "after the declaration");
  }

  Status Function(const Type& type, const std::string& name, size_t begin) {
    CFunction function;
    function.name = name;
    function.returns = !type.nothing;
    cursor_.Take("(");
    while (!cursor_.Take(")")) {
      if (cursor_.AtEnd()) return cursor_.Wrong("the parameters are not closed by `)`");
      if (cursor_.Take(",")) continue;
      if (!AtType()) return cursor_.Wrong("expected a parameter, found " + cursor_.Shown());
      Type own;
      if (Status status = ReadType(own); !status) return status;
      std::string parameter(cursor_.Word());
      if (parameter.empty() && own.nothing) continue;  // (void)
      if (parameter.empty()) return cursor_.Wrong("expected the name of a parameter, found " + cursor_.Shown());
      function.parameters.push_back({parameter, own.name, own.pointer, own.atomic});
    }
    if (cursor_.Take(";")) return {};  // only declared
    if (cursor_.Peek() != '{') return cursor_.Wrong("expected `{`, found " + cursor_.Shown());
    function.begin = cursor_.at();
    int depth = 0;
    do {
      if (cursor_.AtEnd()) return cursor_.WrongAt(begin, begin + 1, "the function is not closed by `}`");
      if (cursor_.Peek() == '{') ++depth;
      if (cursor_.Peek() == '}') --depth;
      cursor_.Seek(cursor_.at() + 1);
    } while (depth > 0);
    function.end = cursor_.at();
    unit_.functions[name] = std::move(function);
    return {};
  }

  Status Global(const Type& type, const std::string& name) {
    if (type.atomic) unit_.atomic_globals.insert(name);
    int count = 0;
    if (cursor_.Take("[")) {
      count = static_cast<int>(cursor_.Number().value_or(0));
      if (Status status = cursor_.Need("]", "after the size"); !status) return status;
    }
    auto structure = unit_.structs.find(type.name);
    if (structure != unit_.structs.end() && !type.pointer) count = static_cast<int>(structure->second.size());
    if (count < 0 || count > 256) return cursor_.Wrong("an array of more than 256 elements");
    bool known = test_.FindCell(name) >= 0 || test_.FindCell(name + "[0]") >= 0;
    if (!known && count > 0) MakeArray(test_, name, count, 4);
    if (!known && count == 0) CellNamed(test_, name);
    if (!cursor_.Take("=")) return {};
    std::vector<int64_t> values;
    if (Status status = Initial(values, 0); !status) return status;
    for (size_t i = 0; i < values.size() && !known; ++i) {
      int cell = test_.FindCell(count == 0 ? name : name + "[" + std::to_string(i) + "]");
      if (cell >= 0) test_.cells[static_cast<size_t>(cell)].init = values[i];
    }
    return {};
  }

  // A number, a list of them in braces, ATOMIC_FLAG_INIT and its kin.
  Status Initial(std::vector<int64_t>& values, int depth) {
    if (depth > 8) return cursor_.Wrong("the initial value is nested too deeply");
    if (cursor_.Take("{")) {
      while (!cursor_.Take("}")) {
        if (cursor_.AtEnd()) return cursor_.Wrong("expected `}`");
        if (cursor_.Take(",")) continue;
        if (cursor_.Take(".")) {
          cursor_.Word();
          if (Status status = cursor_.Need("=", "after the member"); !status) return status;
        }
        if (Status status = Initial(values, depth + 1); !status) return status;
      }
      return {};
    }
    if (std::optional<int64_t> number = cursor_.Number()) {
      values.push_back(*number);
      return {};
    }
    std::string word(cursor_.Word());
    if (word == "ATOMIC_VAR_INIT" || word == "ATOMIC_INIT") {
      if (Status status = cursor_.Need("(", "before the value"); !status) return status;
      values.push_back(cursor_.Number().value_or(0));
      return cursor_.Need(")", "after the value");
    }
    if (word == "NULL" || word == "false" || word == "ATOMIC_FLAG_INIT") {
      values.push_back(0);
      return {};
    }
    if (word == "true") {
      values.push_back(1);
      return {};
    }
    return cursor_.Wrong("expected a number, found " + (word.empty() ? cursor_.Shown() : "`" + word + "`"));
  }

  Cursor& cursor_;
  Test& test_;
  CUnit& unit_;
};

}  // namespace

bool IsCTypeWord(std::string_view word) {
  static constexpr std::array<std::string_view, 7> kAtomic = {
      "atomic_int", "atomic_bool", "atomic_uint", "atomic_long", "atomic_flag", "atomic_char", "atomic_short"};
  return std::find(kTypes.begin(), kTypes.end(), word) != kTypes.end() ||
         std::find(kAtomic.begin(), kAtomic.end(), word) != kAtomic.end() || word.starts_with("atomic_u") ||
         word == "atomic_intptr_t" || word == "atomic_size_t" || word == "atomic_llong" || word == "atomic_int32_t" ||
         word == "atomic_int64_t";
}

Status ParseCUnit(Cursor& cursor, Test& test, CUnit& unit) { return UnitParser(cursor, test, unit).Run(); }

}  // namespace heddle::litmus
