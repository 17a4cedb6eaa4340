#include "litmus/run/body.h"

#include <fmt/format.h>

#include <set>

// Registers are C variables. Expressions over them are C expressions. An access of an x86 test is an asm volatile
// statement of one instruction with the marks of optcheck around the whole thread; the compiler keeps volatile
// statements in order and what the processor sees between them is register moves. Branches are gotos.
namespace heddle::litmus {
namespace {

class Writer {
 public:
  Writer(const Test& test, const Thread& thread) : test_(test), thread_(thread), c_(test.arch == Arch::kC) {}

  Result<BodyText> Run() {
    std::set<int> targets;
    for (const Instr& instr : thread_.code) {
      if (instr.target >= 0) targets.insert(instr.target);
    }
    for (size_t i = 0; i <= thread_.code.size(); ++i) {
      if (targets.contains(static_cast<int>(i))) text_.code += fmt::format("    L{}:;\n", i);
      if (i == thread_.code.size()) break;
      if (Status status = One(thread_.code[i]); !status) return status.error();
    }
    for (size_t i = 0; i < thread_.registers.size(); ++i) {
      int64_t init = i < thread_.register_init.size() ? thread_.register_init[i] : 0;
      if (init >= kAddressBase) return Unsupported("an address in a register");
      text_.registers += fmt::format("    int64_t r{} = {};\n", i, init);
    }
    if (!failure_.empty()) return Unsupported(failure_);
    return std::move(text_);
  }

 private:
  static Error Unsupported(const std::string& what) {
    return MakeError(ErrorCode::kUnsupported, "the harness cannot run " + what);
  }

  std::string Show(int index, const std::string& old) {
    const Expr& e = thread_.exprs[static_cast<size_t>(index)];
    auto a = [&] { return Show(e.a, old); };
    auto b = [&] { return Show(e.b, old); };
    auto op = [&](const char* sign) { return fmt::format("({} {} {})", a(), sign, b()); };
    switch (e.op) {
      case Op::kConst:
        if (e.imm >= kAddressBase) failure_ = "an address as a value";
        return fmt::format("INT64_C({})", e.imm);
      case Op::kReg:
        return fmt::format("r{}", e.a);
      case Op::kOld:
        return old;
      case Op::kAdd:
        return op("+");
      case Op::kSub:
        return op("-");
      case Op::kMul:
        return op("*");
      case Op::kAnd:
        return op("&");
      case Op::kOr:
        return op("|");
      case Op::kXor:
        return op("^");
      case Op::kShl:
        return op("<<");
      case Op::kShr:
        return op(">>");
      case Op::kEq:
        return op("==");
      case Op::kNe:
        return op("!=");
      case Op::kLt:
        return op("<");
      case Op::kLe:
        return op("<=");
      case Op::kGt:
        return op(">");
      case Op::kGe:
        return op(">=");
      case Op::kLogicalAnd:
        return op("&&");
      case Op::kLogicalOr:
        return op("||");
      case Op::kZext32:
        return fmt::format("((int64_t)(uint32_t)({}))", a());
      case Op::kSext32:
        return fmt::format("((int64_t)(int32_t)({}))", a());
      case Op::kZext8:
        return fmt::format("(({}) & 0xff)", a());
      case Op::kZext16:
        return fmt::format("(({}) & 0xffff)", a());
      case Op::kNot:
        return fmt::format("(!({}))", a());
      case Op::kNeg:
        return fmt::format("(-({}))", a());
      case Op::kComplement:
        return fmt::format("(~({}))", a());
      default:
        failure_ = "one of the operations of this test";
        return "0";
    }
  }

  // The pointer to the cell of an address that is a constant, or that of a constant plus something that is always zero.
  std::string Pointer(int index) {
    const Expr& e = thread_.exprs[static_cast<size_t>(index)];
    if (e.op == Op::kConst) {
      int cell = test_.CellAt(e.imm);
      if (cell >= 0) return fmt::format("p{}", cell);
    }
    if (e.op == Op::kAdd) {
      const Expr& left = thread_.exprs[static_cast<size_t>(e.a)];
      if (left.op == Op::kConst && test_.CellAt(left.imm) >= 0) {
        return fmt::format("(p{} + {})", test_.CellAt(left.imm), Show(e.b, "0"));
      }
    }
    failure_ = "computed addresses";
    return "p0";
  }

  static std::string Order(const TagSet& tags) {
    if (tags.test(TagOf("SC"))) return "memory_order_seq_cst";
    if (tags.test(TagOf("ACQ_REL"))) return "memory_order_acq_rel";
    if (tags.test(TagOf("ACQ"))) return "memory_order_acquire";
    if (tags.test(TagOf("CON"))) return "memory_order_consume";
    if (tags.test(TagOf("REL"))) return "memory_order_release";
    return "memory_order_relaxed";
  }

  void Line(const std::string& line) { text_.code += "    " + line + "\n"; }

  Status One(const Instr& instr) {
    switch (instr.kind) {
      case Instr::Kind::kAssign:
        Line(fmt::format("r{} = {};", instr.dst, Show(instr.value, "0")));
        break;
      case Instr::Kind::kLoad:
        Load(instr);
        break;
      case Instr::Kind::kStore:
        Store(instr);
        break;
      case Instr::Kind::kRmw:
        Rmw(instr);
        break;
      case Instr::Kind::kFence:
        Fence(instr);
        break;
      case Instr::Kind::kBranch:
        Line(fmt::format("if ({}) goto L{};", Show(instr.value, "0"), instr.target));
        break;
      case Instr::Kind::kJump:
        Line(fmt::format("goto L{};", instr.target));
        break;
      case Instr::Kind::kEndIf:
        break;
    }
    return {};
  }

  bool Plain(const Instr& instr) const { return instr.tags.test(TagOf("NA")); }

  void Load(const Instr& instr) {
    std::string target = instr.dst >= 0 ? fmt::format("r{} = ", instr.dst) : "(void)";
    std::string pointer = Pointer(instr.addr);
    if (c_) {
      Line(Plain(instr)
               ? fmt::format("{}*(int*){};", target, pointer)
               : fmt::format("{}atomic_load_explicit((_Atomic int*){}, {});", target, pointer, Order(instr.tags)));
      return;
    }
    Line(fmt::format("{{ int t; __asm__ volatile(\"movl %1, %0\" : \"=r\"(t) : \"m\"(*{})); {}t; }}", pointer, target));
  }

  void Store(const Instr& instr) {
    if (instr.conditional) failure_ = "store-conditionals";
    std::string pointer = Pointer(instr.addr);
    std::string value = Show(instr.value, "0");
    if (c_) {
      Line(Plain(instr) ? fmt::format("*(int*){} = (int){};", pointer, value)
                        : fmt::format("atomic_store_explicit((_Atomic int*){}, (int){}, {});", pointer, value,
                                      Order(instr.tags)));
      return;
    }
    Line(fmt::format("__asm__ volatile(\"movl %1, %0\" : \"=m\"(*{}) : \"r\"((int){}));", pointer, value));
  }

  void Rmw(const Instr& instr) {
    std::string pointer = Pointer(instr.addr);
    std::string old = instr.dst >= 0 ? fmt::format("r{} = t; ", instr.dst) : "";
    if (instr.expect >= 0) {
      std::string status = instr.status >= 0
                               ? fmt::format("r{} = done ? {} : {}; ", instr.status, instr.status_ok, instr.status_fail)
                               : "";
      std::string failure = instr.fail_tags.test(TagOf("REL")) ? "memory_order_relaxed" : Order(instr.fail_tags);
      if (!c_) failure = "memory_order_seq_cst";
      Line(fmt::format(
          "{{ int t = (int){}; int done = atomic_compare_exchange_{}_explicit((_Atomic int*){}, &t, (int){}, {}, {}); "
          "(void)done; {}{}}}",
          Show(instr.expect, "0"), instr.may_fail ? "weak" : "strong", pointer, Show(instr.value, "t"),
          c_ ? Order(instr.tags) : "memory_order_seq_cst", failure, old, status));
      return;
    }
    std::string order = c_ ? Order(instr.tags) : "memory_order_seq_cst";
    const Expr& value = thread_.exprs[static_cast<size_t>(instr.value)];
    const Expr* sum = &value;
    while (sum->op == Op::kZext32) sum = &thread_.exprs[static_cast<size_t>(sum->a)];
    bool uses_old = Show(instr.value, "\x01").find('\x01') != std::string::npos;
    if (!uses_old) {
      Line(fmt::format("{{ int t = atomic_exchange_explicit((_Atomic int*){}, (int){}, {}); (void)t; {}}}", pointer,
                       Show(instr.value, "0"), order, old));
      return;
    }
    const char* name = sum->op == Op::kAdd   ? "add"
                       : sum->op == Op::kSub ? "sub"
                       : sum->op == Op::kAnd ? "and"
                       : sum->op == Op::kOr  ? "or"
                       : sum->op == Op::kXor ? "xor"
                                             : nullptr;
    if (name == nullptr || thread_.exprs[static_cast<size_t>(sum->a)].op != Op::kOld) {
      failure_ = "one of the atomic operations of this test";
      return;
    }
    Line(fmt::format("{{ int t = atomic_fetch_{}_explicit((_Atomic int*){}, (int){}, {}); (void)t; {}}}", name, pointer,
                     Show(sum->b, "0"), order, old));
  }

  void Fence(const Instr& instr) {
    if (instr.barrier >= 0) failure_ = "barriers";
    if (c_) {
      Line(fmt::format("atomic_thread_fence({});", Order(instr.tags)));
      return;
    }
    const char* name = instr.tags.test(TagOf("MFENCE"))   ? "mfence"
                       : instr.tags.test(TagOf("SFENCE")) ? "sfence"
                                                          : "lfence";
    Line(fmt::format("__asm__ volatile(\"{}\" ::: \"memory\");", name));
  }

  const Test& test_;
  const Thread& thread_;
  bool c_;
  BodyText text_;
  std::string failure_;
};

}  // namespace

Result<BodyText> WriteBody(const Test& test, const Thread& thread) { return Writer(test, thread).Run(); }

}  // namespace heddle::litmus
