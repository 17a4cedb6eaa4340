#include <algorithm>

#include "litmus/syntax/gpu_words.h"
#include "litmus/syntax/parse_impl.h"

// The Vulkan dialect: st.atom.rel.dv.sc0.semsc0 x, 1. The words after the first may come in any order.
namespace heddle::litmus {
namespace {

struct Words {
  TagSet tags;  // scope, storage class and semantics
  bool atom = false;
  bool acquire = false;
  bool release = false;
  bool av = false;
  bool vis = false;
  bool nonprivate = false;
  bool semav = false;
  bool semvis = false;
  bool has_operation = false;
  Op operation = Op::kAdd;
};

class VulkanParser : public InstructionParser {
 public:
  std::string RegisterName(std::string_view word) const override { return std::string(word); }

  Status Parse(Cursor& cursor, ThreadBuilder& thread) override {
    begin_ = cursor.at();
    std::vector<std::string> op = DottedPieces(cursor.DottedWord());
    if (op[0].empty()) return cursor.Wrong("expected an instruction, found " + cursor.Shown());
    if (op[0] == "avdevice" || op[0] == "visdevice") {
      thread.Emit(Instr::Kind::kFence).tags.set(op[0] == "avdevice" ? TagOf("AVDEVICE") : TagOf("VISDEVICE"));
      return {};
    }
    Result<bool> local = GpuLocal(cursor, thread, op[0]);
    if (!local) return local.error();
    if (*local) return {};
    Result<Words> words = Read(cursor, op);
    if (!words) return words.error();
    if (op[0] == "ld") return Load(cursor, thread, *words);
    if (op[0] == "st") return Store(cursor, thread, *words);
    if (op[0] == "rmw") return Rmw(cursor, thread, *words);
    if (op[0] == "membar") return Barrier(cursor, thread, *words, false);
    if (op[0] == "cbar") return Barrier(cursor, thread, *words, true);
    return cursor.WrongAt(begin_, cursor.at(), "unknown instruction `" + op[0] + "`");
  }

 private:
  Result<Words> Read(Cursor& cursor, const std::vector<std::string>& op) {
    static const std::map<std::string, std::vector<Tag>> kTags = {{"sg", {TagOf("SG")}},
                                                                  {"wg", {TagOf("WG")}},
                                                                  {"qf", {TagOf("QF")}},
                                                                  {"dv", {TagOf("DV")}},
                                                                  {"sc0", {TagOf("SC0")}},
                                                                  {"sc1", {TagOf("SC1")}},
                                                                  {"sc2", {TagOf("SC2")}},
                                                                  {"sc3", {TagOf("SC3")}},
                                                                  {"semsc0", {TagOf("SEMSC0")}},
                                                                  {"semsc1", {TagOf("SEMSC1")}},
                                                                  {"semsc2", {TagOf("SEMSC2")}},
                                                                  {"semsc3", {TagOf("SEMSC3")}},
                                                                  {"semsc01", {TagOf("SEMSC0"), TagOf("SEMSC1")}}};
    Words words;
    for (size_t i = 1; i < op.size(); ++i) {
      const std::string& word = op[i];
      auto found = kTags.find(word);
      if (found != kTags.end()) {
        for (Tag tag : found->second) words.tags.set(tag);
      } else if (word == "atom") {
        words.atom = true;
      } else if (word == "acq") {
        words.acquire = true;
      } else if (word == "rel") {
        words.release = true;
      } else if (word == "acq_rel") {
        words.acquire = words.release = true;
      } else if (word == "av") {
        words.av = true;
      } else if (word == "vis") {
        words.vis = true;
      } else if (word == "nonpriv") {
        words.nonprivate = true;
      } else if (word == "semav") {
        words.semav = true;
      } else if (word == "semvis") {
        words.semvis = true;
      } else if (GpuOperation(word, words.operation)) {
        words.has_operation = true;
      } else if (word != "priv") {
        return cursor.WrongAt(begin_, cursor.at(), "unknown modifier `." + word + "`");
      }
    }
    return words;
  }

  // Atomics are not private, and make their own access available and visible in their scope.
  static TagSet AccessTags(const Words& words, bool read) {
    TagSet tags = words.tags;
    bool av = !read && (words.av || words.atom);
    bool vis = read && (words.vis || words.atom);
    if (words.nonprivate || words.atom || av || vis) tags.set(TagOf("NONPRIV"));
    if (av) tags.set(TagOf("AV"));
    if (vis) tags.set(TagOf("VIS"));
    if (words.atom) tags.set(TagOf("ATOM"));
    if (read && words.acquire) tags.set(TagOf("ACQ"));
    if (!read && words.release) tags.set(TagOf("REL"));
    if (words.semav && !read) tags.set(TagOf("SEMAV"));
    if (words.semvis && read) tags.set(TagOf("SEMVIS"));
    return tags;
  }

  Status Load(Cursor& cursor, ThreadBuilder& thread, const Words& words) {
    Result<std::vector<GpuOperand>> o = GpuOperands(cursor, thread);
    if (!o) return o.error();
    if (o->size() != 2 || (*o)[0].kind != GpuOperand::Kind::kRegister) {
      return cursor.WrongAt(begin_, cursor.at(), "a load needs a register and a location");
    }
    if ((*o)[1].kind == GpuOperand::Kind::kNumber) {
      thread.Assign((*o)[0].name, (*o)[1].value);
      return {};
    }
    int dst = thread.Register((*o)[0].name);
    Instr& load = thread.Emit(Instr::Kind::kLoad);
    load.dst = dst;
    load.addr = (*o)[1].address;
    load.tags = AccessTags(words, true);
    return {};
  }

  Status Store(Cursor& cursor, ThreadBuilder& thread, const Words& words) {
    Result<std::vector<GpuOperand>> o = GpuOperands(cursor, thread);
    if (!o) return o.error();
    if (o->size() != 2 || (*o)[0].kind == GpuOperand::Kind::kNumber) {
      return cursor.WrongAt(begin_, cursor.at(), "a store needs a location and a value");
    }
    Instr& store = thread.Emit(Instr::Kind::kStore);
    store.addr = (*o)[0].address;
    store.value = (*o)[1].value;
    store.tags = AccessTags(words, false);
    return {};
  }

  Status Rmw(Cursor& cursor, ThreadBuilder& thread, Words words) {
    words.atom = true;
    cursor.Take(",");
    Result<std::vector<GpuOperand>> o = GpuOperands(cursor, thread);
    if (!o) return o.error();
    // The register comes first, or after the location.
    if (o->size() == 3 && (*o)[0].kind == GpuOperand::Kind::kLocation) std::swap((*o)[0], (*o)[1]);
    if (o->size() != 3 || (*o)[0].kind != GpuOperand::Kind::kRegister || (*o)[1].kind == GpuOperand::Kind::kNumber) {
      return cursor.WrongAt(begin_, cursor.at(), "rmw needs a register, a location and a value");
    }
    int given = (*o)[2].value;
    bool exchange = !words.has_operation || words.operation == Op::kOld;
    int value = exchange ? given : thread.Binary(words.operation, thread.Old(), given);
    int dst = thread.Register((*o)[0].name);
    Instr& rmw = thread.Emit(Instr::Kind::kRmw);
    rmw.dst = dst;
    rmw.addr = (*o)[1].address;
    rmw.value = value;
    rmw.amo = true;
    rmw.tags = AccessTags(words, true);
    rmw.write_tags = AccessTags(words, false);
    rmw.tags.set(TagOf("RMW"));
    rmw.write_tags.set(TagOf("RMW"));
    return {};
  }

  Status Barrier(Cursor& cursor, ThreadBuilder& thread, const Words& words, bool control) {
    int number = -1;
    if (control) {
      Result<std::vector<GpuOperand>> o = GpuOperands(cursor, thread);
      if (!o) return o.error();
      number = o->empty() ? thread.Const(0) : (*o)[0].value;
    }
    Instr& fence = thread.Emit(Instr::Kind::kFence);
    fence.tags = words.tags;
    fence.barrier = number;
    if (control) fence.tags.set(TagOf("CBAR"));
    if (words.acquire) fence.tags.set(TagOf("ACQ"));
    if (words.release) fence.tags.set(TagOf("REL"));
    if (words.semav) fence.tags.set(TagOf("SEMAV"));
    if (words.semvis) fence.tags.set(TagOf("SEMVIS"));
    return {};
  }

  size_t begin_ = 0;
};

}  // namespace

std::unique_ptr<InstructionParser> MakeVulkanParser() { return std::make_unique<VulkanParser>(); }

}  // namespace heddle::litmus
