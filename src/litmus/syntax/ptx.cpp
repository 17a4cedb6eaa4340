#include <algorithm>

#include "litmus/syntax/gpu_words.h"
#include "litmus/syntax/parse_impl.h"

// PTX with orders and scopes: ld.acquire.gpu r0, x. The name of a location stands for its address.
namespace heddle::litmus {
namespace {

struct Modifiers {
  bool weak = false;
  bool acquire = false;
  bool release = false;
  bool sc = false;
  bool order = false;  // some order was written
  bool relaxed = false;
  Tag scope = TagOf("GPU");
  bool scoped = false;
  bool cas = false;
  bool has_operation = false;
  Op operation = Op::kAdd;
};

class PtxParser : public InstructionParser {
 public:
  std::string RegisterName(std::string_view word) const override { return std::string(word); }

  Status Parse(Cursor& cursor, ThreadBuilder& thread) override {
    begin_ = cursor.at();
    std::vector<std::string> op = DottedPieces(cursor.DottedWord());
    if (op[0].empty()) return cursor.Wrong("expected an instruction, found " + cursor.Shown());
    if (op[0] == "fence") return Fence(cursor, thread, op);
    if (op[0] == "membar") return Membar(cursor, thread, op);
    if (op[0] == "bar" || op[0] == "barrier") return Barrier(cursor, thread, op);
    Result<Modifiers> modifiers = Modify(cursor, op);
    if (op[0] == "ld" || op[0] == "tld" || op[0] == "suld" || op[0] == "cold") {
      return modifiers ? Load(cursor, thread, op[0], *modifiers) : modifiers.error();
    }
    if (op[0] == "st" || op[0] == "sust")
      return modifiers ? Store(cursor, thread, op[0], *modifiers) : modifiers.error();
    if (op[0] == "atom" || op[0] == "suatom" || op[0] == "red" || op[0] == "sured") {
      return modifiers ? Atomic(cursor, thread, op[0], *modifiers) : modifiers.error();
    }
    Result<bool> local = GpuLocal(cursor, thread, op[0]);
    if (!local) return local.error();
    if (*local) return {};
    return cursor.WrongAt(begin_, cursor.at(), "unknown instruction `" + op[0] + "`");
  }

 private:
  Result<Modifiers> Modify(Cursor& cursor, const std::vector<std::string>& op) {
    Modifiers m;
    for (size_t i = 1; i < op.size(); ++i) {
      const std::string& word = op[i];
      if (word == "weak") {
        m.weak = m.order = true;
      } else if (word == "relaxed" || word == "rlx" || word == "volatile") {
        m.relaxed = m.order = true;
        if (word == "volatile") {
          m.scope = TagOf("SYS");
          m.scoped = true;
        }
      } else if (word == "acquire" || word == "acq") {
        m.acquire = m.order = true;
      } else if (word == "release" || word == "rel") {
        m.release = m.order = true;
      } else if (word == "acq_rel") {
        m.acquire = m.release = m.order = true;
      } else if (word == "sc") {
        m.sc = m.acquire = m.release = m.order = true;
      } else if (word == "cta") {
        m.scope = TagOf("CTA");
        m.scoped = true;
      } else if (word == "cluster") {
        m.scope = TagOf("CLUSTER");
        m.scoped = true;
      } else if (word == "gpu" || word == "gl") {
        m.scope = TagOf("GPU");
        m.scoped = true;
      } else if (word == "sys") {
        m.scope = TagOf("SYS");
        m.scoped = true;
      } else if (word == "cas") {
        m.cas = true;
      } else if (GpuOperation(word, m.operation)) {
        m.has_operation = true;
      } else if (word.ends_with("8") || word.ends_with("16")) {
        return cursor.WrongAt(begin_, cursor.at(), "accesses of less than 32 bits are not supported");
      } else if (!IsType(word) && word != "global" && word != "shared" && word != "generic") {
        return cursor.WrongAt(begin_, cursor.at(), "unknown modifier `." + word + "`");
      }
    }
    if (m.weak && (m.relaxed || m.acquire || m.release || m.scoped)) {
      return cursor.WrongAt(begin_, cursor.at(), "a weak access has no other order and no scope");
    }
    if (m.relaxed && (m.acquire || m.release)) return cursor.WrongAt(begin_, cursor.at(), "two orders");
    if (!m.order) m.weak = true;
    return m;
  }

  // PTX has no default: only an atomic instruction without an order and a scope is relaxed on its GPU.
  Status NeedScope(Cursor& cursor, const Modifiers& m) const {
    if (m.weak || m.scoped) return {};
    return cursor.WrongAt(begin_, cursor.at(), "this needs a scope: .cta, .cluster, .gpu or .sys");
  }

  static bool IsType(std::string_view word) {
    static constexpr std::string_view kTypes[] = {"b32", "b64", "u32", "u64", "s32", "s64"};
    return std::find(std::begin(kTypes), std::end(kTypes), word) != std::end(kTypes);
  }

  static Tag ProxyOf(const std::string& op, const ThreadBuilder& thread, const GpuOperand& location) {
    if (op.starts_with("su")) return TagOf("SUR");
    if (op == "tld") return TagOf("TEX");
    if (op == "cold") return TagOf("CON");
    const Test& test = const_cast<ThreadBuilder&>(thread).test();
    int cell = test.FindCell(location.name);
    if (cell >= 0) {
      for (Tag tag : {TagOf("SUR"), TagOf("TEX"), TagOf("CON")}) {
        if (test.cells[static_cast<size_t>(cell)].tags.test(tag)) return tag;
      }
    }
    return TagOf("GEN");
  }

  static TagSet Order(const Modifiers& m, bool read) {
    TagSet tags;
    if (m.weak) return Tags({TagOf("WEAK"), TagOf("SYS")});
    bool strong = read ? m.acquire : m.release;
    tags.set(strong ? (read ? TagOf("ACQ") : TagOf("REL")) : TagOf("RLX"));
    tags.set(m.scope);
    return tags;
  }

  Status Load(Cursor& cursor, ThreadBuilder& thread, const std::string& op, const Modifiers& m) {
    Result<std::vector<GpuOperand>> o = GpuOperands(cursor, thread);
    if (!o) return o.error();
    if (o->size() != 2 || (*o)[0].kind != GpuOperand::Kind::kRegister) {
      return cursor.WrongAt(begin_, cursor.at(), "a load needs a register and a location");
    }
    if (m.release && !m.sc) return cursor.WrongAt(begin_, cursor.at(), "a load cannot release");
    if (Status status = NeedScope(cursor, m); !status) return status;
    if ((*o)[1].kind == GpuOperand::Kind::kNumber) {
      thread.Assign((*o)[0].name, (*o)[1].value);
      return {};
    }
    int dst = thread.Register((*o)[0].name);
    Instr& load = thread.Emit(Instr::Kind::kLoad);
    load.dst = dst;
    load.addr = (*o)[1].address;
    load.tags = Order(m, true);
    load.tags.set(ProxyOf(op, thread, (*o)[1]));
    return {};
  }

  Status Store(Cursor& cursor, ThreadBuilder& thread, const std::string& op, const Modifiers& m) {
    Result<std::vector<GpuOperand>> o = GpuOperands(cursor, thread);
    if (!o) return o.error();
    if (o->size() != 2 || (*o)[0].kind == GpuOperand::Kind::kNumber) {
      return cursor.WrongAt(begin_, cursor.at(), "a store needs a location and a value");
    }
    if (m.acquire && !m.sc) return cursor.WrongAt(begin_, cursor.at(), "a store cannot acquire");
    if (Status status = NeedScope(cursor, m); !status) return status;
    Instr& store = thread.Emit(Instr::Kind::kStore);
    store.addr = (*o)[0].address;
    store.value = (*o)[1].value;
    store.tags = Order(m, false);
    store.tags.set(ProxyOf(op, thread, (*o)[0]));
    return {};
  }

  Status Atomic(Cursor& cursor, ThreadBuilder& thread, const std::string& op, Modifiers m) {
    if (!m.order) m.weak = false;
    bool returns = op == "atom" || op == "suatom";
    Result<std::vector<GpuOperand>> o = GpuOperands(cursor, thread);
    if (!o) return o.error();
    size_t first = returns ? 1 : 0;
    size_t wanted = first + (m.cas ? 3 : 2);
    if (o->size() != wanted || (returns && (*o)[0].kind != GpuOperand::Kind::kRegister)) {
      return cursor.WrongAt(begin_, cursor.at(), "`" + op + "` has " + std::to_string(wanted) + " operands");
    }
    if (!m.cas && !m.has_operation)
      return cursor.WrongAt(begin_, cursor.at(), "`" + op + "` needs an operation such as .add");
    int given = (*o)[first + 1].value;
    int value = m.cas                     ? (*o)[first + 2].value
                : m.operation == Op::kOld ? given
                                          : thread.Binary(m.operation, thread.Old(), given);
    int dst = returns ? thread.Register((*o)[0].name) : -1;
    Instr& rmw = thread.Emit(Instr::Kind::kRmw);
    rmw.dst = dst;
    rmw.addr = (*o)[first].address;
    rmw.value = value;
    rmw.expect = m.cas ? given : -1;
    rmw.amo = true;
    rmw.tags = Order(m, true);
    rmw.write_tags = Order(m, false);
    Tag proxy = ProxyOf(op, thread, (*o)[first]);
    rmw.tags.set(proxy);
    rmw.write_tags.set(proxy);
    rmw.tags.set(TagOf("RMW"));
    rmw.write_tags.set(TagOf("RMW"));
    rmw.fail_tags = rmw.tags;
    return {};
  }

  Status Fence(Cursor& cursor, ThreadBuilder& thread, const std::vector<std::string>& op) {
    if (op.size() >= 3 && op[1] == "proxy") {
      static const std::map<std::string, Tag> kProxies = {{"alias", TagOf("ALIAS")},
                                                          {"generic", TagOf("GEN")},
                                                          {"texture", TagOf("TEX")},
                                                          {"surface", TagOf("SUR")},
                                                          {"constant", TagOf("CON")}};
      auto found = kProxies.find(op[2]);
      if (found == kProxies.end()) return cursor.WrongAt(begin_, cursor.at(), "unknown proxy `" + op[2] + "`");
      thread.Emit(Instr::Kind::kFence).tags.set(found->second);
      return {};
    }
    Result<Modifiers> m = Modify(cursor, op);
    if (!m) return m.error();
    if (m->weak) return cursor.WrongAt(begin_, cursor.at(), "a fence is .sc, .acq_rel, .acquire or .release");
    if (Status status = NeedScope(cursor, *m); !status) return status;
    EmitFence(thread, m->sc, m->acquire, m->release, m->scope);
    return {};
  }

  static void EmitFence(ThreadBuilder& thread, bool sc, bool acquire, bool release, Tag scope) {
    Instr& fence = thread.Emit(Instr::Kind::kFence);
    fence.tags.set(scope);
    fence.tags.set(TagOf("GEN"));
    if (sc) fence.tags.set(TagOf("SC"));
    if (acquire && release) fence.tags.set(TagOf("ACQ_REL"));
    if (acquire && !release) fence.tags.set(TagOf("ACQ"));
    if (release && !acquire) fence.tags.set(TagOf("REL"));
  }

  // The older spelling of fence.sc.
  Status Membar(Cursor& cursor, ThreadBuilder& thread, const std::vector<std::string>& op) {
    Result<Modifiers> m = Modify(cursor, op);
    if (!m) return m.error();
    EmitFence(thread, true, true, true, m->scope);
    return {};
  }

  // bar.cta.sync INSTANCE, NUMBER, THREADS as tests write it, where one operand is the number; bar.sync NUMBER, THREADS
  // as PTX has it.
  Status Barrier(Cursor& cursor, ThreadBuilder& thread, const std::vector<std::string>& op) {
    bool arrive = op.back() == "arrive";
    bool cta = op.size() > 1 && op[1] == "cta";
    if (op.size() != (cta ? 3U : 2U) || (!arrive && op.back() != "sync")) {
      return cursor.WrongAt(begin_, cursor.at(), "a barrier is .sync or .arrive, and perhaps .cta before that");
    }
    cursor.Skip();
    size_t first = cursor.at();
    std::optional<int64_t> instance = cursor.Number();
    cursor.Seek(first);
    Result<std::vector<GpuOperand>> o = GpuOperands(cursor, thread);
    if (!o) return o.error();
    if (o->empty() || o->size() > (cta ? 3U : 2U)) {
      return cursor.WrongAt(begin_, cursor.at(), "a barrier has a number and perhaps a number of threads");
    }
    bool instanced = cta && o->size() > 1;
    if (instanced && !instance) return cursor.WrongAt(first, cursor.at(), "the instance of a barrier is a constant");
    size_t number = instanced ? 1 : 0;
    Instr& barrier = thread.Emit(Instr::Kind::kFence);
    barrier.barrier = (*o)[number].value;
    barrier.barrier_instance = instanced ? *instance : 0;
    if (o->size() > number + 1) barrier.barrier_threads = (*o)[number + 1].value;
    barrier.tags = Tags({TagOf("CBAR"), TagOf("CTA"), TagOf("GEN")});
    if (arrive) barrier.tags.set(TagOf("ARRIVE"));
    return {};
  }

  size_t begin_ = 0;
};

}  // namespace

std::unique_ptr<InstructionParser> MakePtxParser() { return std::make_unique<PtxParser>(); }

}  // namespace heddle::litmus
