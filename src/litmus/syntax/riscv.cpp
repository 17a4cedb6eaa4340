#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "litmus/syntax/parse_impl.h"

// RISC-V. An atomic memory operation is one operation of the instruction set: both its events carry aq and rl.
namespace heddle::litmus {
namespace {

std::vector<std::string> Pieces(std::string_view word) {
  std::vector<std::string> pieces(1);
  for (char c : word) {
    if (c == '.') {
      pieces.emplace_back();
    } else {
      pieces.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return pieces;
}

// x5 for t0 and so on.
std::string Canonical(std::string_view word) {
  static constexpr std::array<std::string_view, 33> kNames = {
      "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1",  "a0",  "a1", "a2", "a3", "a4", "a5", "a6",
      "a7",   "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "fp"};
  auto found = std::find(kNames.begin(), kNames.end(), word);
  if (found != kNames.end()) {
    auto index = found - kNames.begin();
    return "x" + std::to_string(index == 32 ? 8 : index);
  }
  if (word.size() >= 2 && word[0] == 'x' &&
      std::all_of(word.begin() + 1, word.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
    return std::string(word);
  }
  return "";
}

class RiscvParser : public InstructionParser {
 public:
  // A name that is not of the architecture is a register too: %r.
  std::string RegisterName(std::string_view word) const override {
    std::string name = Canonical(word);
    return name.empty() ? std::string(word) : name;
  }

  Status Parse(Cursor& cursor, ThreadBuilder& thread) override {
    begin_ = cursor.at();
    std::vector<std::string> op = Pieces(cursor.DottedWord());
    if (op[0].empty()) return cursor.Wrong("expected an instruction, found " + cursor.Shown());
    if (op[0] == "nop" || op[0] == "pause") return {};
    if (op[0] == "ret") {
      thread.Branch(-1, kEndLabel);
      return {};
    }
    if (op[0] == "fence") return Fence(cursor, thread, op);
    if (op[0] == "lr" || op[0] == "sc" || Width(op[0]) != 0) return Memory(cursor, thread, op);
    if (op[0].starts_with("amo")) return Amo(cursor, thread, op);
    if (op[0] == "jal") {  // without a link
      if (!cursor.TakeWord("x0") && !cursor.TakeWord("zero"))
        return cursor.Wrong("expected x0, found " + cursor.Shown());
      if (Status comma = Comma(cursor); !comma) return comma;
      return Branch(cursor, thread, "j");
    }
    if (op[0][0] == 'b' || op[0] == "j") return Branch(cursor, thread, op[0]);
    return Arithmetic(cursor, thread, op.size() == 2 ? op[0] + "." + op[1] : op[0]);
  }

 private:
  static int Width(const std::string& op) {
    static const std::map<std::string, int> widths = {{"lw", 4},  {"lwu", 4}, {"ld", 8},  {"lb", 1},
                                                      {"lbu", 1}, {"lh", 2},  {"lhu", 2}, {"sw", 4},
                                                      {"sd", 8},  {"sb", 1},  {"sh", 2}};
    auto found = widths.find(op);
    return found == widths.end() ? 0 : found->second;
  }

  Result<std::string> Register(Cursor& cursor) {
    cursor.Skip();
    size_t begin = cursor.at();
    bool symbolic = cursor.Take("%");
    std::string word(cursor.Word());
    std::string name = symbolic ? word : Canonical(word);
    if (name.empty())
      return cursor.WrongAt(begin, std::max(begin + 1, cursor.at()), "expected a register, found `" + word + "`");
    return name;
  }

  static int Value(ThreadBuilder& thread, const std::string& reg) {
    return reg == "x0" ? thread.Const(0) : thread.Reg(reg);
  }
  static int Destination(ThreadBuilder& thread, const std::string& reg) {
    return reg == "x0" ? -1 : thread.Register(reg);
  }

  static TagSet Orders(const std::vector<std::string>& op) {
    bool aq = false;
    bool rl = false;
    for (const std::string& piece : op) {
      if (piece == "aq" || piece == "aqrl") aq = true;
      if (piece == "rl" || piece == "aqrl") rl = true;
    }
    TagSet tags;
    if (aq && rl) tags.set(TagOf("AcqRel"));
    if (aq && !rl) tags.set(TagOf("Acq"));
    if (rl && !aq) tags.set(TagOf("Rel"));
    return tags;
  }

  // 0(x6), (x6).
  Result<int> Address(Cursor& cursor, ThreadBuilder& thread) {
    int64_t offset = cursor.Number().value_or(0);
    if (Status status = cursor.Need("(", "before the address"); !status) return status.error();
    Result<std::string> base = Register(cursor);
    if (!base) return base.error();
    if (Status status = cursor.Need(")", "after the address"); !status) return status.error();
    int address = Value(thread, *base);
    return offset == 0 ? address : thread.Binary(Op::kAdd, address, thread.Const(offset));
  }

  Status Comma(Cursor& cursor) { return cursor.Need(",", "between operands"); }

  Status Fence(Cursor& cursor, ThreadBuilder& thread, const std::vector<std::string>& op) {
    std::string kind;
    if (op.size() > 1) {
      kind = op[1];
      if (kind != "tso" && kind != "i" && cursor.Take(",")) kind += "." + std::string(cursor.Word());
    } else if (cursor.Take(".")) {
      kind = cursor.Word();
    } else if (!cursor.AtEnd()) {
      kind = cursor.Word();
      if (kind == "i" && cursor.Peek() != ',') return Emit(thread, TagOf("Fence.i"));
      if (kind != "tso") {
        if (Status status = Comma(cursor); !status) return status;
        kind += "." + std::string(cursor.Word());
      }
    } else {
      kind = "rw.rw";
    }
    // Input and output of devices do not occur in tests.
    std::erase_if(kind, [](char c) { return c == 'o'; });
    if (kind != "i") std::erase_if(kind, [](char c) { return c == 'i'; });
    if (kind == "ts") kind = "tso";
    std::optional<Tag> tag = FindTag("Fence." + kind);
    if (!tag) return cursor.WrongAt(begin_, cursor.at(), "unknown fence `" + kind + "`");
    return Emit(thread, *tag);
  }

  static Status Emit(ThreadBuilder& thread, Tag tag) {
    thread.Emit(Instr::Kind::kFence).tags.set(tag);
    return {};
  }

  Status Memory(Cursor& cursor, ThreadBuilder& thread, const std::vector<std::string>& op) {
    bool reserved = op[0] == "lr" || op[0] == "sc";
    bool load = op[0][0] == 'l';
    int status_reg = -1;
    if (op[0] == "sc") {
      Result<std::string> status = Register(cursor);
      if (!status) return status.error();
      status_reg = Destination(thread, *status);
      if (Status comma = Comma(cursor); !comma) return comma;
    }
    Result<std::string> reg = Register(cursor);
    if (!reg) return reg.error();
    if (Status comma = Comma(cursor); !comma) return comma;
    Result<int> address = Address(cursor, thread);
    if (!address) return address.error();
    int value = load ? -1 : Value(thread, *reg);
    int dst = load ? Destination(thread, *reg) : -1;
    Instr& instr = thread.Emit(load ? Instr::Kind::kLoad : Instr::Kind::kStore);
    instr.dst = dst;
    instr.value = value;
    instr.addr = *address;
    instr.tags = Orders(op);
    if (reserved) instr.tags.set(TagOf("EX"));
    instr.reserve = op[0] == "lr";
    instr.conditional = op[0] == "sc";
    instr.status = status_reg;
    instr.status_depends = true;
    bool wide = std::find(op.begin(), op.end(), "d") != op.end();
    instr.width = reserved ? (wide ? 8 : 4) : Width(op[0]);
    instr.zero_extends = op[0] == "lwu";
    if (dst >= 0 && (op[0] == "lb" || op[0] == "lh")) {
      int shift = thread.Const(64 - 8 * Width(op[0]));
      thread.Assign(*reg, thread.Binary(Op::kSar, thread.Binary(Op::kShl, thread.Reg(*reg), shift), shift));
    }
    return {};
  }

  Status Amo(Cursor& cursor, ThreadBuilder& thread, const std::vector<std::string>& op) {
    static const std::map<std::string, Op> kOps = {
        {"amoswap", Op::kOld}, {"amoadd", Op::kAdd},   {"amoand", Op::kAnd},
        {"amoor", Op::kOr},    {"amoxor", Op::kXor},   {"amomax", Op::kMax},
        {"amomin", Op::kMin},  {"amomaxu", Op::kMaxU}, {"amominu", Op::kMinU}};
    auto found = kOps.find(op[0]);
    if (found == kOps.end()) return cursor.WrongAt(begin_, cursor.at(), "unknown instruction `" + op[0] + "`");
    Result<std::string> rd = Register(cursor);
    if (!rd) return rd.error();
    if (Status comma = Comma(cursor); !comma) return comma;
    Result<std::string> rs = Register(cursor);
    if (!rs) return rs.error();
    if (Status comma = Comma(cursor); !comma) return comma;
    Result<int> address = Address(cursor, thread);
    if (!address) return address.error();
    bool word = op.size() <= 1 || op[1] != "d";
    int given = Value(thread, *rs);
    int old = thread.Old();
    if (word) given = thread.Unary(Op::kSext32, given);
    if (word && op[0].ends_with("u")) {
      given = thread.Unary(Op::kZext32, given);
      old = thread.Unary(Op::kZext32, old);
    }
    int value = found->second == Op::kOld ? given : thread.Binary(found->second, old, given);
    int dst = Destination(thread, *rd);
    Instr& rmw = thread.Emit(Instr::Kind::kRmw);
    rmw.dst = dst;
    rmw.addr = *address;
    rmw.value = value;
    rmw.amo = true;
    rmw.tags = rmw.write_tags = Orders(op) | Tags({TagOf("X")});
    rmw.width = word ? 4 : 8;
    return {};
  }

  Status Branch(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
    if (op == "j" || op == "b") {
      thread.Branch(-1, cursor.Word());
      return {};
    }
    static const std::map<std::string, Op> kOps = {
        {"beq", Op::kEq}, {"bne", Op::kNe},   {"blt", Op::kLt},   {"bge", Op::kGe},  {"bgt", Op::kGt},
        {"ble", Op::kLe}, {"bltu", Op::kLtU}, {"bgeu", Op::kGeU}, {"beqz", Op::kEq}, {"bnez", Op::kNe}};
    auto found = kOps.find(op);
    if (found == kOps.end()) return cursor.WrongAt(begin_, cursor.at(), "unknown instruction `" + op + "`");
    Result<std::string> left = Register(cursor);
    if (!left) return left.error();
    if (Status comma = Comma(cursor); !comma) return comma;
    int right = -1;
    if (op.back() == 'z') {
      right = thread.Const(0);
    } else {
      Result<std::string> reg = Register(cursor);
      if (!reg) return reg.error();
      if (Status comma = Comma(cursor); !comma) return comma;
      right = Value(thread, *reg);
    }
    int condition = thread.Binary(found->second, Value(thread, *left), right);
    thread.Branch(condition, cursor.Word());
    return {};
  }

  Status Arithmetic(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
    static const std::map<std::string, Op> kOps = {
        {"add", Op::kAdd},  {"sub", Op::kSub}, {"xor", Op::kXor}, {"or", Op::kOr},    {"and", Op::kAnd},
        {"sll", Op::kShl},  {"srl", Op::kShr}, {"sra", Op::kSar}, {"mul", Op::kMul},  {"slt", Op::kLt},
        {"sltu", Op::kLtU}, {"div", Op::kDiv}, {"rem", Op::kMod}, {"divu", Op::kDivU}};
    static constexpr std::string_view kMoves[] = {"li",  "mv",   "la",  "seqz",   "snez", "not",
                                                  "neg", "negw", "lui", "sext.w", "sgtz", "sltz"};
    bool one = std::find(std::begin(kMoves), std::end(kMoves), op) != std::end(kMoves);
    // addiw is add with a number, on words.
    std::string base = op;
    bool word = !one && base.ends_with("w");
    if (word) base.pop_back();
    bool immediate = !kOps.contains(base) && (base == "sltiu" || base.ends_with("i"));
    if (base == "sltiu") base = "sltu";
    if (immediate && base.ends_with("i")) base.pop_back();
    auto found = kOps.find(base);
    if (found == kOps.end() && !one) return cursor.WrongAt(begin_, cursor.at(), "unknown instruction `" + op + "`");
    Result<std::string> rd = Register(cursor);
    if (!rd) return rd.error();
    if (Status comma = Comma(cursor); !comma) return comma;
    Result<int> first = Operand(cursor, thread, op == "la");
    if (!first) return first.error();
    int value = *first;
    int zero = thread.Const(0);
    if (op == "seqz") value = thread.Binary(Op::kEq, value, zero);
    if (op == "snez") value = thread.Binary(Op::kNe, value, zero);
    if (op == "sltz") value = thread.Binary(Op::kLt, value, zero);
    if (op == "sgtz") value = thread.Binary(Op::kGt, value, zero);
    if (op == "not") value = thread.Unary(Op::kComplement, value);
    if (op.starts_with("neg")) value = thread.Unary(Op::kNeg, value);
    if (op == "lui") value = thread.Binary(Op::kShl, value, thread.Const(12));
    if (op == "sext.w" || op == "negw" || op == "lui") value = thread.Unary(Op::kSext32, value);
    if (!one) {
      if (Status comma = Comma(cursor); !comma) return comma;
      Result<int> second = Operand(cursor, thread, false);
      if (!second) return second.error();
      value = Computed(thread, base, found->second, value, *second, word);
    }
    if (*rd != "x0") thread.Assign(*rd, value);
    return {};
  }

  // Words are computed from the lower halves and have their sign extended. Division by zero gives -1, and the first
  // operand as the rest.
  static int Computed(ThreadBuilder& thread, const std::string& name, Op op, int left, int right, bool word) {
    bool shift = name[0] == 's' && (name.ends_with("ll") || name.starts_with("sr"));
    bool divides = name.starts_with("div") || name == "rem";
    if (word) {
      bool by_sign = name == "sra" || name == "div" || name == "rem";
      left = thread.Unary(by_sign ? Op::kSext32 : Op::kZext32, left);
      if (divides) right = thread.Unary(by_sign ? Op::kSext32 : Op::kZext32, right);
    }
    if (shift) right = thread.Binary(Op::kAnd, right, thread.Const(word ? 31 : 63));
    int value = thread.Binary(op, left, right);
    if (divides) {
      int by_zero = name == "rem" ? left : thread.Const(-1);
      value = thread.Add({Op::kSelect, thread.Binary(Op::kEq, right, thread.Const(0)), by_zero, value});
    }
    return word ? thread.Unary(Op::kSext32, value) : value;
  }

  Result<int> Operand(Cursor& cursor, ThreadBuilder& thread, bool symbol) {
    if (std::optional<int64_t> number = cursor.Number()) return thread.Const(*number);
    if (symbol) return thread.AddressOf(cursor.Word());
    Result<std::string> reg = Register(cursor);
    if (!reg) return reg.error();
    return Value(thread, *reg);
  }

  size_t begin_ = 0;
};

}  // namespace

std::unique_ptr<InstructionParser> MakeRiscvParser() { return std::make_unique<RiscvParser>(); }

}  // namespace heddle::litmus
