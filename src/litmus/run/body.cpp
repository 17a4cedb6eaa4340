#include "litmus/run/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

// Registers are C variables. Expressions over them are C expressions. An access of an x86 test is an asm volatile
// statement of one instruction with the marks of optcheck around the whole thread; the compiler keeps volatile
// statements in order and what the processor sees between them is register moves. Branches are gotos.
namespace heddle::litmus {
namespace {

class Writer {
 public:
  Writer(const Test& test, const Thread& thread)
      : test_(test),
        thread_(thread),
        c_(test.arch == Arch::kC),
        opencl_(test.arch == Arch::kOpenCl),
        cuda_(test.arch == Arch::kPtx || test.arch == Arch::kGpuPtx) {}

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
      if (IsAddress(init) && cuda_) init = 0;  // addresses are used by name
      if (IsAddress(init)) return Unsupported("an address in a register");
      text_.registers += fmt::format("    {} r{} = {};\n", opencl_ ? "long" : "int64_t", i, init);
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
    auto bits = [&](const char* sign) {
      const char* word = opencl_ ? "ulong" : "uint64_t";
      return fmt::format("(({})(({})({}) {} ({})({})))", opencl_ ? "long" : "int64_t", word, a(), sign, word, b());
    };
    switch (e.op) {
      case Op::kConst:
        if (IsAddress(e.imm)) failure_ = "an address as a value";
        return opencl_ ? fmt::format("((long){})", e.imm) : fmt::format("INT64_C({})", e.imm);
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
        return bits("<<");
      case Op::kShr:
        return bits(">>");
      case Op::kSar:
        return op(">>");
      case Op::kLtU:
        return bits("<");
      case Op::kLeU:
        return bits("<=");
      case Op::kGtU:
        return bits(">");
      case Op::kGeU:
        return bits(">=");
      case Op::kSelect:
        return fmt::format("(({}) ? ({}) : ({}))", a(), b(), Show(static_cast<int>(e.imm), old));
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
    if (e.op == Op::kReg && cuda_) {  // a register that holds the address of one location throughout
      bool constant =
          std::none_of(thread_.code.begin(), thread_.code.end(), [&](const Instr& i) { return i.dst == e.a; });
      int cell = constant ? test_.CellAt(thread_.register_init[static_cast<size_t>(e.a)]) : -1;
      if (cell >= 0) return fmt::format("p{}", cell);
    }
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

  // OpenCL: what follows the order in a call.
  std::string Scope(const TagSet& tags) const {
    if (!opencl_) return "";
    if (tags.test(TagOf("WI"))) return ", memory_scope_work_item";
    if (tags.test(TagOf("WG"))) return ", memory_scope_work_group";
    if (tags.test(TagOf("ALL"))) return ", memory_scope_all_svm_devices";
    return ", memory_scope_device";
  }

  // The pointer as one to an atomic or a plain number, in its address space.
  std::string Typed(const std::string& pointer, bool atomic) const {
    if (!opencl_) return (atomic ? "(_Atomic int*)" : "(int*)") + pointer;
    size_t digits = pointer.find_first_of("0123456789");
    size_t cell = digits == std::string::npos ? 0 : std::stoul(pointer.substr(digits));
    bool local = cell < test_.cells.size() && test_.cells[cell].tags.test(TagOf("LOCAL"));
    return fmt::format("(volatile {} {}*){}", local ? "__local" : "__global", atomic ? "atomic_int" : "int", pointer);
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

  // The dotted instruction of a test of GPU_PTX as written, with a type.
  static std::string ThesisWord(const Instr& instr) {
    size_t begin = instr.text[0] == '@' ? instr.text.find_first_of(" \t") + 1 : 0;
    std::string word = instr.text.substr(begin, instr.text.find_first_of(" \t", begin) - begin);
    bool typed = word.size() > 4 && std::isdigit(static_cast<unsigned char>(word.back())) != 0;
    return typed ? word
                 : word + (word.find("cas") != std::string::npos || word.find("exch") != std::string::npos ? ".b32"
                                                                                                           : ".u32");
  }

  static std::string PtxScope(const TagSet& tags) {
    if (tags.test(TagOf("CLUSTER"))) return ".cluster";
    return tags.test(TagOf("CTA")) ? ".cta" : tags.test(TagOf("SYS")) ? ".sys" : ".gpu";
  }

  std::string PtxWord(const Instr& instr, const char* name) {
    if (test_.arch == Arch::kGpuPtx) return ThesisWord(instr);
    const TagSet& tags = instr.tags;
    for (Tag proxy : {TagOf("SUR"), TagOf("TEX"), TagOf("CON")}) {
      if (tags.test(proxy)) failure_ = "other proxies than the generic one";
    }
    std::string type = ".u32";
    if (tags.test(TagOf("WEAK"))) return std::string(name) + ".weak" + type;
    bool acquire = tags.test(TagOf("ACQ"));
    bool release = tags.test(TagOf("REL")) || instr.write_tags.test(TagOf("REL"));
    const char* order = acquire && release ? ".acq_rel" : acquire ? ".acquire" : release ? ".release" : ".relaxed";
    return name + std::string(order) + PtxScope(tags) + (instr.kind == Instr::Kind::kRmw ? "" : type);
  }

  // Notes an access: its kind as optcheck numbers it.
  int Linked(int kind) {
    text_.kinds.push_back(kind);
    text_.fences.push_back(fences_);
    return text_.accesses++;
  }

  void CudaLoad(const Instr& instr) {
    std::string pointer = Pointer(instr.addr);
    int n = Linked(0);
    std::string target = instr.dst >= 0 ? fmt::format(" r{} = s{};", instr.dst, n) : "";
    Line(fmt::format("asm volatile(\"{} %0, [%1];\" : \"=r\"(s{}) : \"l\"({}) : \"memory\");{}", PtxWord(instr, "ld"),
                     n, pointer, target));
  }

  void CudaStore(const Instr& instr) {
    std::string pointer = Pointer(instr.addr);
    std::string value = Show(instr.value, "0");
    int n = Linked(1);
    Line(fmt::format("s{} = (int){} ^ z{}; asm volatile(\"{} [%0], %1;\" :: \"l\"({}), \"r\"(s{}) : \"memory\");", n,
                     value, n, PtxWord(instr, "st"), pointer, n));
  }

  void CudaRmw(const Instr& instr) {
    std::string pointer = Pointer(instr.addr);
    std::string word = PtxWord(instr, "atom");
    const Expr& value = thread_.exprs[static_cast<size_t>(instr.value)];
    bool cas = instr.expect >= 0;
    bool plain = Show(instr.value, "\x01").find('\x01') == std::string::npos;
    const char* name = cas                    ? "cas"
                       : plain                ? "exch"
                       : value.op == Op::kAdd ? "add"
                       : value.op == Op::kAnd ? "and"
                       : value.op == Op::kOr  ? "or"
                       : value.op == Op::kXor ? "xor"
                       : value.op == Op::kMin ? "min"
                       : value.op == Op::kMax ? "max"
                                              : nullptr;
    if (name == nullptr || instr.text.starts_with("red")) {
      failure_ = "one of the atomic operations of this test";
      return;
    }
    if (test_.arch == Arch::kPtx)
      word += fmt::format(".{}.{}", name, cas || plain || name[0] != 'a' || name[1] == 'n' ? "b32" : "u32");
    int n = Linked(2);
    std::string given = Show(cas ? instr.expect : plain ? instr.value : value.b, "0");
    std::string target = instr.dst >= 0 ? fmt::format(" r{} = s{};", instr.dst, n) : "";
    if (cas) {
      Line(
          fmt::format("asm volatile(\"{} %0, [%1], %2, %3;\" : \"=r\"(s{}) : \"l\"({}), \"r\"((int){}), \"r\"((int){}) "
                      ": \"memory\");{}",
                      word, n, pointer, given, Show(instr.value, "0"), target));
    } else {
      Line(fmt::format("asm volatile(\"{} %0, [%1], %2;\" : \"=r\"(s{}) : \"l\"({}), \"r\"((int){}) : \"memory\");{}",
                       word, n, pointer, given, target));
    }
  }

  void CudaFence(const Instr& instr) {
    ++fences_;
    const TagSet& tags = instr.tags;
    std::string word = test_.arch == Arch::kGpuPtx
                           ? (tags.test(TagOf("MEMBAR.CTA"))   ? "membar.cta"
                              : tags.test(TagOf("MEMBAR.SYS")) ? "membar.sys"
                                                               : "membar.gl")
                           : (tags.test(TagOf("SC")) ? "fence.sc" : "fence.acq_rel") + PtxScope(tags);
    if (tags.test(TagOf("ALIAS"))) failure_ = "fences of proxies";
    Line(fmt::format("asm volatile(\"{};\" ::: \"memory\");", word));
  }

  void Load(const Instr& instr) {
    if (cuda_) return CudaLoad(instr);
    std::string target = instr.dst >= 0 ? fmt::format("r{} = ", instr.dst) : "(void)";
    std::string pointer = Pointer(instr.addr);
    if (c_ || opencl_) {
      Line(Plain(instr) ? fmt::format("{}*{};", target, Typed(pointer, false))
                        : fmt::format("{}atomic_load_explicit({}, {}{});", target, Typed(pointer, true),
                                      Order(instr.tags), Scope(instr.tags)));
      return;
    }
    Line(fmt::format("{{ int t; __asm__ volatile(\"movl %1, %0\" : \"=r\"(t) : \"m\"(*{})); {}t; }}", pointer, target));
  }

  void Store(const Instr& instr) {
    if (cuda_) return CudaStore(instr);
    if (instr.conditional) failure_ = "store-conditionals";
    std::string pointer = Pointer(instr.addr);
    std::string value = Show(instr.value, "0");
    if (c_ || opencl_) {
      Line(Plain(instr) ? fmt::format("*{} = (int){};", Typed(pointer, false), value)
                        : fmt::format("atomic_store_explicit({}, (int){}, {}{});", Typed(pointer, true), value,
                                      Order(instr.tags), Scope(instr.tags)));
      return;
    }
    Line(fmt::format("__asm__ volatile(\"movl %1, %0\" : \"=m\"(*{}) : \"r\"((int){}));", pointer, value));
  }

  void Rmw(const Instr& instr) {
    if (cuda_) return CudaRmw(instr);
    std::string pointer = Pointer(instr.addr);
    std::string old = instr.dst >= 0 ? fmt::format("r{} = t; ", instr.dst) : "";
    if (instr.expect >= 0) {
      std::string status = instr.status >= 0
                               ? fmt::format("r{} = done ? {} : {}; ", instr.status, instr.status_ok, instr.status_fail)
                               : "";
      std::string failure = instr.fail_tags.test(TagOf("REL")) ? "memory_order_relaxed" : Order(instr.fail_tags);
      if (!c_ && !opencl_) failure = "memory_order_seq_cst";
      Line(fmt::format(
          "{{ int t = (int){}; int done = atomic_compare_exchange_{}_explicit({}, &t, (int){}, {}, {}{}); "
          "(void)done; {}{}}}",
          Show(instr.expect, "0"), instr.may_fail ? "weak" : "strong", Typed(pointer, true), Show(instr.value, "t"),
          c_ || opencl_ ? Order(instr.tags) : "memory_order_seq_cst", failure, Scope(instr.tags), old, status));
      return;
    }
    std::string order = (c_ || opencl_ ? Order(instr.tags) : "memory_order_seq_cst") + Scope(instr.tags);
    const Expr& value = thread_.exprs[static_cast<size_t>(instr.value)];
    const Expr* sum = &value;
    while (sum->op == Op::kZext32) sum = &thread_.exprs[static_cast<size_t>(sum->a)];
    bool uses_old = Show(instr.value, "\x01").find('\x01') != std::string::npos;
    if (!uses_old) {
      Line(fmt::format("{{ int t = atomic_exchange_explicit({}, (int){}, {}); (void)t; {}}}", Typed(pointer, true),
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
    Line(fmt::format("{{ int t = atomic_fetch_{}_explicit({}, (int){}, {}); (void)t; {}}}", name, Typed(pointer, true),
                     Show(sum->b, "0"), order, old));
  }

  void Fence(const Instr& instr) {
    if (instr.barrier >= 0) failure_ = "barriers";
    if (cuda_) return CudaFence(instr);
    if (opencl_) {
      bool local = instr.tags.test(TagOf("LOCAL"));
      bool global = instr.tags.test(TagOf("GLOBAL")) || !local;
      Line(fmt::format("atomic_work_item_fence({}{}{}, {}{});", global ? "CLK_GLOBAL_MEM_FENCE" : "",
                       global && local ? " | " : "", local ? "CLK_LOCAL_MEM_FENCE" : "", Order(instr.tags),
                       Scope(instr.tags)));
      return;
    }
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
  bool opencl_;
  bool cuda_;
  BodyText text_;
  std::string failure_;
  int fences_ = 0;
};

}  // namespace

Result<BodyText> WriteBody(const Test& test, const Thread& thread) { return Writer(test, thread).Run(); }

}  // namespace heddle::litmus
