#include <algorithm>
#include <cctype>
#include <map>

#include "litmus/syntax/parse_impl.h"

// Power. Comparisons, and the store-conditional, leave their result in two registers that branches compare.
namespace heddle::litmus {
namespace {

constexpr std::string_view kLeft = "%left";
constexpr std::string_view kRight = "%right";

class PpcParser : public InstructionParser {
 public:
  std::string RegisterName(std::string_view word) const override {
    bool digits = word.size() >= 2 && word[0] == 'r' &&
                  std::all_of(word.begin() + 1, word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    return digits ? std::string(word) : "";
  }

  Status Parse(Cursor& cursor, ThreadBuilder& thread) override {
    begin_ = cursor.at();
    std::string op(cursor.Word());
    if (op.empty()) return cursor.Wrong("expected an instruction, found " + cursor.Shown());
    if (!cursor.AtEnd() && cursor.Peek() == '.') {
      cursor.Take(".");
      op += ".";
    }
    if (op == "nop") return {};
    if (op == "blr") {
      thread.Branch(-1, kEndLabel);
      return {};
    }
    if (std::optional<Tag> fence = FenceTag(op)) {
      thread.Emit(Instr::Kind::kFence).tags.set(*fence);
      return {};
    }
    if (auto access = Accesses().find(op); access != Accesses().end()) return Memory(cursor, thread, access->second);
    if (op[0] == 'b') return Branch(cursor, thread, op);
    return Arithmetic(cursor, thread, op);
  }

 private:
  struct Access {
    bool load;
    bool indexed;
    bool reserved;
    int width;
    bool extends = false;  // the sign
  };

  static std::optional<Tag> FenceTag(const std::string& op) {
    if (op == "sync" || op == "hwsync") return TagOf("SYNC");
    if (op == "lwsync") return TagOf("LWSYNC");
    if (op == "isync") return TagOf("ISYNC");
    if (op == "eieio") return TagOf("EIEIO");
    return std::nullopt;
  }

  static const std::map<std::string, Access>& Accesses() {
    static const std::map<std::string, Access> map = {
        {"lwz", {true, false, false, 4}},  {"lwzx", {true, true, false, 4}},   {"lwarx", {true, true, true, 4}},
        {"ld", {true, false, false, 8}},   {"ldx", {true, true, false, 8}},    {"ldarx", {true, true, true, 8}},
        {"lbz", {true, false, false, 1}},  {"lhz", {true, false, false, 2}},   {"stw", {false, false, false, 4}},
        {"stwx", {false, true, false, 4}}, {"stwcx.", {false, true, true, 4}}, {"stwcx", {false, true, true, 4}},
        {"std", {false, false, false, 8}}, {"stdx", {false, true, false, 8}},  {"stdcx.", {false, true, true, 8}},
        {"stb", {false, false, false, 1}}, {"sth", {false, false, false, 2}},  {"lwa", {true, false, false, 4, true}},
    };
    return map;
  }

  Result<std::string> Register(Cursor& cursor) {
    cursor.Skip();
    size_t begin = cursor.at();
    std::string word(cursor.Word());
    if (RegisterName(word).empty()) {
      return cursor.WrongAt(begin, std::max(begin + 1, cursor.at()),
                            "expected a register, found " + (word.empty() ? cursor.Shown() : "`" + word + "`"));
    }
    return word;
  }

  Status Comma(Cursor& cursor) { return cursor.Need(",", "between operands"); }

  // Register 0 as the base of an address is the number 0.
  static int Base(ThreadBuilder& thread, const std::string& reg) {
    return reg == "r0" ? thread.Const(0) : thread.Reg(reg);
  }

  Result<int> Address(Cursor& cursor, ThreadBuilder& thread, bool indexed) {
    if (!indexed) {
      int64_t offset = cursor.Number().value_or(0);
      if (Status status = cursor.Need("(", "before the base register"); !status) return status.error();
      Result<std::string> base = Register(cursor);
      if (!base) return base.error();
      if (Status status = cursor.Need(")", "after the base register"); !status) return status.error();
      int address = Base(thread, *base);
      return offset == 0 ? address : thread.Binary(Op::kAdd, address, thread.Const(offset));
    }
    int base = -1;
    if (std::optional<int64_t> number = cursor.Number()) {
      base = thread.Const(*number);
    } else {
      Result<std::string> reg = Register(cursor);
      if (!reg) return reg.error();
      base = Base(thread, *reg);
    }
    if (Status comma = Comma(cursor); !comma) return comma.error();
    Result<std::string> index = Register(cursor);
    if (!index) return index.error();
    return thread.Binary(Op::kAdd, base, thread.Reg(*index));
  }

  Status Memory(Cursor& cursor, ThreadBuilder& thread, const Access& access) {
    Result<std::string> reg = Register(cursor);
    if (!reg) return reg.error();
    if (Status comma = Comma(cursor); !comma) return comma;
    Result<int> address = Address(cursor, thread, access.indexed);
    if (!address) return address.error();
    int value = access.load ? -1 : thread.Reg(*reg);
    int dst = access.load ? thread.Register(*reg) : -1;
    int status = -1;
    if (access.reserved && !access.load) {
      thread.Assign(kRight, thread.Const(0));
      status = thread.Register(kLeft);
    }
    Instr& instr = thread.Emit(access.load ? Instr::Kind::kLoad : Instr::Kind::kStore);
    instr.dst = dst;
    instr.value = value;
    instr.addr = *address;
    instr.width = access.width;
    instr.zero_extends = !access.extends;
    if (access.reserved) instr.tags = Tags({TagOf("EX"), TagOf("X")});
    instr.reserve = access.reserved && access.load;
    instr.conditional = access.reserved && !access.load;
    instr.status = status;
    return {};
  }

  Status Branch(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
    static const std::map<std::string, Op> kOps = {{"beq", Op::kEq}, {"bne", Op::kNe}, {"blt", Op::kLt},
                                                   {"bge", Op::kGe}, {"bgt", Op::kGt}, {"ble", Op::kLe}};
    if (op == "b") {
      thread.Branch(-1, cursor.Word());
      return {};
    }
    auto found = kOps.find(op);
    if (found == kOps.end()) return cursor.WrongAt(begin_, cursor.at(), "unknown instruction `" + op + "`");
    if (!cursor.Take("-")) cursor.Take("+");  // which way is likely
    if (Status status = TakeField(cursor); !status) return status;
    int condition = thread.Binary(found->second, thread.Reg(kLeft), thread.Reg(kRight));
    thread.Branch(condition, cursor.Word());
    return {};
  }

  // cr0, before a comparison's operands and a branch's label: the only condition register here.
  Status TakeField(Cursor& cursor) {
    std::string_view word = cursor.PeekWord();
    if (word.size() != 3 || !word.starts_with("cr") || std::isdigit(static_cast<unsigned char>(word[2])) == 0)
      return {};
    if (word != "cr0") return cursor.Wrong("only the condition register cr0 is supported");
    cursor.Word();
    return Comma(cursor);
  }

  Result<int> Operand(Cursor& cursor, ThreadBuilder& thread) {
    if (std::optional<int64_t> number = cursor.Number()) return thread.Const(*number);
    Result<std::string> reg = Register(cursor);
    if (!reg) return reg.error();
    return thread.Reg(*reg);
  }

  Status Arithmetic(Cursor& cursor, ThreadBuilder& thread, std::string op) {
    bool sets = op.back() == '.';
    if (sets) op.pop_back();
    static const std::map<std::string, Op> kOps = {
        {"add", Op::kAdd},  {"addi", Op::kAdd}, {"sub", Op::kSub},   {"xor", Op::kXor},  {"xori", Op::kXor},
        {"or", Op::kOr},    {"ori", Op::kOr},   {"and", Op::kAnd},   {"andi", Op::kAnd}, {"mullw", Op::kMul},
        {"subf", Op::kSub}, {"slwi", Op::kShl}, {"srwi", Op::kShr},  {"subi", Op::kSub}, {"srawi", Op::kSar},
        {"divw", Op::kDiv}, {"nor", Op::kOr},   {"mulld", Op::kMul}, {"divd", Op::kDiv}};
    bool move = op == "li" || op == "mr" || op == "lis" || op == "neg" || op == "not" || op == "extsw";
    bool compare = op == "cmpw" || op == "cmpwi" || op == "cmpd" || op == "cmpdi";
    auto found = kOps.find(op);
    if (!move && !compare && found == kOps.end()) {
      return cursor.WrongAt(begin_, cursor.at(), "unknown instruction `" + op + "`");
    }
    if (compare) {
      if (Status status = TakeField(cursor); !status) return status;
    }
    Result<std::string> first = Register(cursor);
    if (!first) return first.error();
    if (Status comma = Comma(cursor); !comma) return comma;
    Result<int> second = Operand(cursor, thread);
    if (!second) return second.error();
    if (compare) {
      bool word = op.starts_with("cmpw");  // compares the lower halves
      int left = thread.Reg(*first);
      thread.Assign(kLeft, word ? thread.Unary(Op::kSext32, left) : left);
      thread.Assign(kRight, word ? thread.Unary(Op::kSext32, *second) : *second);
      return {};
    }
    int value = *second;
    if (op == "lis") value = thread.Binary(Op::kShl, value, thread.Const(16));
    if (op == "neg") value = thread.Unary(Op::kNeg, value);
    if (op == "not") value = thread.Unary(Op::kComplement, value);
    if (op == "extsw") value = thread.Unary(Op::kSext32, value);
    if (!move) {
      if (Status comma = Comma(cursor); !comma) return comma;
      Result<int> third = Operand(cursor, thread);
      if (!third) return third.error();
      value = op == "subf" ? thread.Binary(Op::kSub, *third, *second)
                           : Computed(thread, op, found->second, *second, *third);
      if (op == "nor") value = thread.Unary(Op::kComplement, value);
    }
    thread.Assign(*first, value);
    if (sets) {
      thread.Assign(kLeft, thread.Reg(*first));
      thread.Assign(kRight, thread.Const(0));
    }
    return {};
  }

  // Instructions on words take the lower halves, as numbers with a sign unless they shift zeros in.
  static int Computed(ThreadBuilder& thread, const std::string& op, Op operation, int left, int right) {
    bool unsigned_word = op == "slwi" || op == "srwi";
    bool signed_word = op == "srawi" || op == "mullw" || op == "divw";
    if (unsigned_word) left = thread.Unary(Op::kZext32, left);
    if (signed_word) left = thread.Unary(Op::kSext32, left);
    if (op == "mullw" || op == "divw") right = thread.Unary(Op::kSext32, right);
    int value = thread.Binary(operation, left, right);
    return op == "slwi" ? thread.Unary(Op::kZext32, value) : value;
  }

  size_t begin_ = 0;
};

class NoParser : public InstructionParser {
 public:
  Status Parse(Cursor& cursor, ThreadBuilder&) override { return cursor.Wrong("not an instruction"); }
  std::string RegisterName(std::string_view word) const override { return std::string(word); }
};

}  // namespace

std::unique_ptr<InstructionParser> MakePpcParser() { return std::make_unique<PpcParser>(); }
std::unique_ptr<InstructionParser> MakeNoParser() { return std::make_unique<NoParser>(); }

}  // namespace heddle::litmus
