#include <algorithm>
#include <cctype>

#include "litmus/syntax/parse_impl.h"

// The initial state: entries between { and }, each with an optional type, a location or a register, and a value.
namespace heddle::litmus {
namespace {

// How many bytes the words of a type say: `long int` is as wide as `long`. Types that are not known have a word, as
// locations without a type do; 0: a type that no access here has.
int WidthOf(const std::vector<std::string>& words) {
  int width = 4;
  for (const std::string& word : words) {
    if (word.find("128") != std::string::npos || word == "float" || word == "double" || word == "pteval_t") return 0;
    if (word.find("64") != std::string::npos || word.find("long") != std::string::npos || word == "size_t" ||
        word == "intptr_t" || word == "uintptr_t" || word == "ptrdiff_t" || word == "*") {
      width = 8;
    } else if (width == 4 && (word.find("16") != std::string::npos || word == "short" || word == "atomic_short")) {
      width = 2;
    } else if (width == 4 && (word == "int8_t" || word == "uint8_t" || word == "char" || word == "atomic_char")) {
      width = 1;
    }
  }
  return width;
}

constexpr int kLongest = 256;  // elements of an array

class InitParser {
 public:
  InitParser(Cursor& cursor, Test& test, const InstructionParser& parser, std::vector<LaterRegister>& later)
      : cursor_(cursor), test_(test), parser_(parser), later_(later) {}

  Status Run() {
    if (Status status = cursor_.Need("{", "before the initial state"); !status) return status;
    FindArrays();
    while (!cursor_.Take("}")) {
      if (cursor_.AtEnd()) return cursor_.Wrong("the initial state is not closed by `}`");
      if (cursor_.Take(";") || cursor_.Take(",")) continue;
      if (Status status = Entry(); !status) return status;
    }
    cursor_.Take(";");
    return {};
  }

 private:
  // Arrays may be named before they are declared: 0:X1=v; int64_t v[2];
  void FindArrays() {
    size_t before = cursor_.at();
    while (!cursor_.AtEnd() && cursor_.Peek() != '}') {
      int width = WidthOf(TypeWords());
      std::string name(cursor_.Word());
      size_t bracket = cursor_.at();
      if (!name.empty() && cursor_.Take("[")) {
        std::optional<int64_t> count = cursor_.Number();
        if (width > 0 && count && *count > 0 && *count <= kLongest && cursor_.Take("]")) {
          MakeArray(test_, name, static_cast<int>(*count), width);
        }
        cursor_.Seek(bracket);
      }
      int depth = 0;
      while (!cursor_.AtEnd()) {
        char c = cursor_.Peek();
        if (depth == 0 && (c == ';' || c == '}')) break;
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        cursor_.Seek(cursor_.at() + 1);
      }
      if (cursor_.Peek() == ';') cursor_.Take(";");
    }
    cursor_.Seek(before);
  }

  // Whether the word at the cursor is a type: another word, a star, a number or a bracket with a name follows it.
  bool AtType() {
    size_t before = cursor_.at();
    std::string_view word = cursor_.Word();
    char next = cursor_.Peek();
    bool is_type = !word.empty() && (std::isalpha(static_cast<unsigned char>(next)) != 0 || next == '_' ||
                                     next == '*' || std::isdigit(static_cast<unsigned char>(next)) != 0);
    if (cursor_.PeekWord() == "aliases") is_type = false;
    cursor_.Seek(before);
    return is_type;
  }

  // The words of a type, with a star for each pointer.
  std::vector<std::string> TypeWords() {
    std::vector<std::string> words;
    while (AtType()) {
      words.emplace_back(cursor_.Word());
      while (cursor_.Take("*")) words.emplace_back("*");
    }
    return words;
  }

  Status Entry() {
    cursor_.Skip();
    size_t begin = cursor_.at();
    std::vector<std::string> type = TypeWords();
    bool typed = !type.empty();
    width_ = WidthOf(type);
    if (width_ == 0) {
      return cursor_.WrongAt(begin, begin + type[0].size(), "values of type `" + type[0] + "` are not supported");
    }
    std::optional<int64_t> thread = TakeThread();
    if (thread) return Register(*thread);
    bool bracket = cursor_.Take("[");
    cursor_.Take("%");
    cursor_.Take(".");
    std::string name(cursor_.Word());
    if (name.empty()) return cursor_.Wrong("expected a location or a register, found " + cursor_.Shown());
    if (cursor_.Peek() == '(' && (name == "PTE" || name == "TTD" || name == "PA" || name == "tag")) {
      return cursor_.Wrong("page tables and memory tags are not supported");
    }
    if (bracket) {
      if (Status status = cursor_.Need("]", "after the location"); !status) return status;
    }
    if (cursor_.TakeWord("aliases")) return Alias(name, TagOf("GEN"));
    if (cursor_.Take("@")) return ProxyAlias(name);
    if (cursor_.Take("[")) return Array(name);
    int cell = CellNamed(test_, name);
    test_.cells[static_cast<size_t>(cell)].init_given = true;
    if (typed) test_.cells[static_cast<size_t>(cell)].size = width_;
    if (cursor_.Take("=") || cursor_.Take(":")) {
      Result<int64_t> value = Value();
      if (!value) return value.error();
      test_.cells[static_cast<size_t>(cell)].init = Fitting(*value);
    }
    if (cursor_.Take("@")) cursor_.Word();  // VULKAN: the storage class, which each access names itself
    return Done();
  }

  // What fits into the type. A word is a signed number, as the instructions that access it leave it.
  int64_t Fitting(int64_t value) const {
    if (width_ > 4 || IsAddress(value)) return value;
    if (width_ == 4) return value > INT32_MAX && value <= UINT32_MAX ? static_cast<int32_t>(value) : value;
    return value & (width_ == 1 ? 0xff : 0xffff);
  }

  Status Done() {
    char next = cursor_.Peek();
    if (next == ';' || next == '}' || next == ',') return {};
    return cursor_.Wrong("expected `;` after the entry, found " + cursor_.Shown());
  }

  // 0: or P0: before a register.
  std::optional<int64_t> TakeThread() {
    size_t before = cursor_.at();
    if (cursor_.Peek() == 'P') cursor_.Seek(cursor_.at() + 1);
    std::optional<int64_t> number = cursor_.Number();
    if (number && cursor_.Take(":")) return number;
    cursor_.Seek(before);
    return std::nullopt;
  }

  Status Register(int64_t thread) {
    cursor_.Skip();
    size_t begin = cursor_.at();
    cursor_.Take("%");
    std::string word(cursor_.Word());
    std::string name = parser_.RegisterName(word);
    if (name.empty()) return cursor_.WrongAt(begin, cursor_.at() + 1, "`" + word + "` is not a register");
    int64_t value = 0;
    if (cursor_.Take("=")) {
      Result<int64_t> given = Value();
      if (!given) return given.error();
      value = *given;
    }
    later_.push_back({static_cast<int>(thread), name, value});
    return Done();
  }

  Result<int64_t> Value() {
    if (std::optional<int64_t> number = cursor_.Number()) return *number;
    bool parenthesis = cursor_.Take("(");
    cursor_.Take("*");
    cursor_.Take("&");
    bool inner = cursor_.Take("(");
    cursor_.Take("&");
    cursor_.Take("%");
    std::string name(cursor_.Word());
    if (name.empty()) return cursor_.Wrong("expected a value, found " + cursor_.Shown());
    int64_t value = 0;
    if (name == "ATOMIC_INIT" || name == "ATOMIC_VAR_INIT") {
      cursor_.Take("(");
      value = cursor_.Number().value_or(0);
      if (Status status = cursor_.Need(")", "after the value"); !status) return status.error();
    } else if (name == "true" || name == "false") {
      value = name == "true" ? 1 : 0;
    } else {
      value = Address(name);
    }
    if (cursor_.Take("[")) {
      value += cursor_.Number().value_or(0) * width_;
      if (Status status = cursor_.Need("]", "after the index"); !status) return status.error();
    }
    if (cursor_.Take("+")) value += cursor_.Number().value_or(0);
    if (inner) cursor_.Take(")");
    if (parenthesis) cursor_.Take(")");
    return value;
  }

  int64_t Address(const std::string& name) {
    int cell = CellNamed(test_, name);
    return test_.cells[static_cast<size_t>(cell)].address;
  }

  Status Array(const std::string& name) {
    int count = static_cast<int>(cursor_.Number().value_or(0));
    if (Status status = cursor_.Need("]", "after the size"); !status) return status;
    if (count > kLongest) return cursor_.Wrong("an array of more than 256 elements");
    std::vector<int64_t> values;
    if (cursor_.Take("=")) {
      if (Status status = cursor_.Need("{", "before the elements"); !status) return status;
      while (!cursor_.Take("}")) {
        if (cursor_.AtEnd()) return cursor_.Wrong("expected `}`");
        if (cursor_.Take(",")) continue;
        Result<int64_t> value = Value();
        if (!value) return value.error();
        values.push_back(*value);
      }
    }
    count = std::max<int>(count, static_cast<int>(values.size()));
    if (test_.FindCell(name + "[0]") < 0) MakeArray(test_, name, count, width_);
    for (size_t i = 0; i < values.size(); ++i) {
      int cell = test_.FindCell(name + "[" + std::to_string(i) + "]");
      if (cell < 0) return cursor_.Wrong("more values than elements");
      test_.cells[static_cast<size_t>(cell)].init = values[i];
    }
    return Done();
  }

  Status ProxyAlias(const std::string& name) {
    std::string proxy(cursor_.Word());
    Tag tag = TagOf("GEN");
    if (proxy == "surface") {
      tag = TagOf("SUR");
    } else if (proxy == "texture") {
      tag = TagOf("TEX");
    } else if (proxy == "constant") {
      tag = TagOf("CON");
    } else if (proxy != "generic") {
      return cursor_.Wrong("expected generic, constant, texture or surface after `@`");
    }
    if (!cursor_.TakeWord("aliases")) return cursor_.Wrong("expected `aliases`, found " + cursor_.Shown());
    return Alias(name, tag);
  }

  Status Alias(const std::string& name, Tag proxy) {
    std::string other(cursor_.Word());
    if (other.empty()) return cursor_.Wrong("expected the location that it is an alias of");
    int target = CellNamed(test_, other);
    int cell = CellNamed(test_, name);
    Cell& alias = test_.cells[static_cast<size_t>(cell)];
    alias.physical = test_.cells[static_cast<size_t>(target)].physical;
    alias.tags.set(proxy);
    if (proxy != TagOf("GEN")) {
      int seen_at = test_.cells[static_cast<size_t>(target)].seen_at;
      alias.seen_at = seen_at >= 0 ? seen_at : target;
    }
    return Done();
  }

  Cursor& cursor_;
  Test& test_;
  const InstructionParser& parser_;
  std::vector<LaterRegister>& later_;
  int width_ = 4;
};

}  // namespace

Status ParseInit(Cursor& cursor, Test& test, const InstructionParser& parser, std::vector<LaterRegister>& later) {
  return InitParser(cursor, test, parser, later).Run();
}

}  // namespace heddle::litmus
