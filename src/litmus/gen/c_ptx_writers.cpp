#include <fmt/format.h>

#include "litmus/gen/writers.h"

// C, OpenCL and PTX: compiled by optimisers, so a false dependency is the value read, and-ed with a bit that no value
// of a test has; the compiler cannot know that.
namespace heddle::litmus {
namespace {

constexpr int kBit = 0x40000000;

std::string OrderWord(const std::string& order) {
  if (order == "Acq") return "memory_order_acquire";
  if (order == "Rel") return "memory_order_release";
  if (order == "AcqRel") return "memory_order_acq_rel";
  if (order == "Sc") return "memory_order_seq_cst";
  return "memory_order_relaxed";
}

class CWriter : public ThreadWriter {
 public:
  explicit CWriter(bool opencl) : opencl_(opencl) {}

  bool Access(const CycleEvent& event, const std::string& location) override {
    std::string place =
        dependency_ == EdgeKind::kAddr ? fmt::format("{} + ({} & {})", location, last_, kBit) : location;
    std::string order = OrderWord(event.order) + (opencl_ ? ", memory_scope_device" : "");
    std::string statement;
    if (event.kind == 'R') {
      std::string reg = fmt::format("r{}", next_++);
      std::string load = fmt::format("atomic_load_explicit({}, {});", place, order);
      if (dependency_ == EdgeKind::kCtrl) {
        Line(fmt::format("int {} = 0;", reg));
        Line(fmt::format("if (({} & {}) == 0) {{ {} = {} }}", last_, kBit, reg, load));
      } else {
        Line(fmt::format("int {} = {}", reg, load));
      }
      last_ = reg;
      Observe(reg, event);
    } else {
      std::string value = std::to_string(event.value);
      if (dependency_ == EdgeKind::kData) value += fmt::format(" + ({} & {})", last_, kBit);
      std::string store = fmt::format("atomic_store_explicit({}, {}, {});", place, value, order);
      Line(dependency_ == EdgeKind::kCtrl ? fmt::format("if (({} & {}) == 0) {{ {} }}", last_, kBit, store) : store);
    }
    dependency_ = EdgeKind::kPo;
    return true;
  }

  bool Atomic(const CycleEvent& read, const CycleEvent& write, const std::string& location, bool pair) override {
    if (pair) return false;
    std::string order = "memory_order_relaxed";
    if (read.order == "Acq" && write.order == "Rel")
      order = "memory_order_acq_rel";
    else if (!read.order.empty())
      order = OrderWord(read.order);
    else if (!write.order.empty())
      order = OrderWord(write.order);
    std::string reg = fmt::format("r{}", next_++);
    Line(fmt::format("int {} = atomic_exchange_explicit({}, {}, {}{});", reg, location, write.value, order,
                     opencl_ ? ", memory_scope_device" : ""));
    last_ = reg;
    dependency_ = EdgeKind::kPo;
    Observe(reg, read);
    return true;
  }

  bool Between(const Edge& edge) override {
    dependency_ = EdgeKind::kPo;
    if (edge.kind == EdgeKind::kCtrlFence) return false;
    if (edge.kind == EdgeKind::kAddr || edge.kind == EdgeKind::kData || edge.kind == EdgeKind::kCtrl)
      dependency_ = edge.kind;
    if (edge.kind == EdgeKind::kFence) {
      Line(opencl_ ? fmt::format("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, {}, memory_scope_device);", edge.fence)
                   : fmt::format("atomic_thread_fence({});", edge.fence));
    }
    return true;
  }

 private:
  bool opencl_;
  int next_ = 0;
  std::string last_;
  EdgeKind dependency_ = EdgeKind::kPo;
};

// The newer PTX names locations; that of the thesis has addresses in registers and cache operators.
class PtxWriter : public ThreadWriter {
 public:
  explicit PtxWriter(bool thesis) : thesis_(thesis) {}

  bool Access(const CycleEvent& event, const std::string& location) override {
    std::string place = thesis_ ? "[" + AddressFor(location) + "]" : location;
    if (dependency_ == EdgeKind::kAddr && !thesis_) return false;
    if (event.kind == 'R') {
      std::string reg = New();
      Line(thesis_ ? fmt::format("ld.{}.s32 {},{}", event.cache == '1' ? "ca" : "cg", reg, place)
                   : fmt::format("ld.{} {}, {}", Order(event.order), reg, place));
      last_ = reg;
      Observe(reg, event);
    } else {
      std::string value = std::to_string(event.value);
      if (dependency_ == EdgeKind::kData) {
        std::string reg = New();
        Line(thesis_ ? fmt::format("and.b32 {},{},{}", reg, last_, kBit)
                     : fmt::format("and {}, {}, {}", reg, last_, kBit));
        Line(thesis_ ? fmt::format("add.s32 {},{},{}", reg, reg, value)
                     : fmt::format("add {}, {}, {}", reg, reg, value));
        value = reg;
      } else if (thesis_) {
        std::string reg = New();
        Line(fmt::format("mov.s32 {},{}", reg, value));
        value = reg;
      }
      Line(thesis_ ? fmt::format("st.{}.s32 {},{}", event.cache == '1' ? "wb" : "cg", place, value)
                   : fmt::format("st.{} {}, {}", Order(event.order), place, value));
    }
    dependency_ = EdgeKind::kPo;
    return true;
  }

  bool Atomic(const CycleEvent& read, const CycleEvent& write, const std::string& location, bool pair) override {
    if (pair) return false;
    std::string reg = New();
    if (thesis_) {
      Line(fmt::format("atom.exch.b32 {},[{}],{}", reg, AddressFor(location), write.value));
    } else {
      bool acquire = read.order == "Acq";
      bool release = write.order == "Rel";
      Line(fmt::format("atom.{}.gpu.exch {}, {}, {}",
                       acquire && release ? "acq_rel"
                       : acquire          ? "acquire"
                       : release          ? "release"
                                          : "relaxed",
                       reg, location, write.value));
    }
    last_ = reg;
    dependency_ = EdgeKind::kPo;
    Observe(reg, read);
    return true;
  }

  bool Between(const Edge& edge) override {
    dependency_ = EdgeKind::kPo;
    if (edge.kind == EdgeKind::kFence) Line(edge.fence);
    if (edge.kind == EdgeKind::kAddr || edge.kind == EdgeKind::kData) dependency_ = edge.kind;
    if (edge.kind == EdgeKind::kCtrlFence) return false;
    if (edge.kind == EdgeKind::kCtrl) {
      std::string label = fmt::format("LC{:02}", labels_++);
      if (thesis_) {
        std::string predicate = New();
        Line(fmt::format("setp.ne.s32 {},{},0", predicate, last_));
        Line(fmt::format("@{} bra {}", predicate, label));
      } else {
        Line(fmt::format("bne {}, 0, {}", last_, label));
      }
      Line(label + ":");
    }
    return true;
  }

 private:
  static std::string Order(const std::string& order) {
    if (order == "Acq") return "acquire.gpu";
    if (order == "Rel") return "release.gpu";
    return order.empty() ? "weak" : "relaxed.gpu";
  }
  std::string New() {
    std::string reg = fmt::format("r{}", next_++);
    text_.declared.push_back(reg);
    return reg;
  }
  std::string AddressFor(const std::string& location) {
    std::string base;
    for (const auto& [reg, place] : text_.init) {
      if (place == location) base = reg;
    }
    if (base.empty()) {
      base = fmt::format("r{}", next_++);
      text_.init.emplace_back(base, location);
    }
    if (dependency_ != EdgeKind::kAddr) return base;
    std::string zero = New();
    std::string wide = New();
    std::string sum = New();
    Line(fmt::format("and.b32 {},{},{}", zero, last_, kBit));
    Line(fmt::format("cvt.u64.u32 {},{}", wide, zero));
    Line(fmt::format("add.u64 {},{},{}", sum, base, wide));
    return sum;
  }

  bool thesis_;
  int next_ = 0;
  int labels_ = 0;
  std::string last_;
  EdgeKind dependency_ = EdgeKind::kPo;
};

}  // namespace

std::unique_ptr<ThreadWriter> MakeCWriter(bool opencl) { return std::make_unique<CWriter>(opencl); }
std::unique_ptr<ThreadWriter> MakePtxWriter(bool thesis) { return std::make_unique<PtxWriter>(thesis); }

}  // namespace heddle::litmus
