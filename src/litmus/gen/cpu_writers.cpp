#include <fmt/format.h>

#include "litmus/gen/writers.h"

// x86, AArch64, RISC-V and Power. The last three are alike: an address in a register, values through registers, false
// dependencies by exclusive or, which the assembler keeps.
namespace heddle::litmus {
namespace {

class X86Writer : public ThreadWriter {
 public:
  explicit X86Writer(bool intel) : intel_(intel) {}

  bool Access(const CycleEvent& event, const std::string& location) override {
    if (!event.order.empty()) return false;
    if (event.kind == 'W') {
      Line(intel_ ? fmt::format("MOV [{}],{}", location, event.value)
                  : fmt::format("movl ${},({})", event.value, location));
      return true;
    }
    std::string letter = NextLetter();
    if (letter.empty()) return false;
    Line(intel_ ? fmt::format("MOV E{}X,[{}]", Upper(letter), location)
                : fmt::format("movl ({}),%e{}x", location, letter));
    Observe(Observed(letter), event);
    return true;
  }

  bool Atomic(const CycleEvent& read, const CycleEvent& write, const std::string& location, bool pair) override {
    std::string letter = NextLetter();
    if (pair || letter.empty()) return false;
    Line(intel_ ? fmt::format("MOV E{}X,{}", Upper(letter), write.value)
                : fmt::format("movl ${},%e{}x", write.value, letter));
    Line(intel_ ? fmt::format("XCHG [{}],E{}X", location, Upper(letter))
                : fmt::format("xchgl %e{}x,({})", letter, location));
    Observe(Observed(letter), read);
    return true;
  }

  bool Between(const Edge& edge) override {
    if (edge.kind == EdgeKind::kFence) Line(edge.fence);
    return edge.kind == EdgeKind::kFence || edge.kind == EdgeKind::kPo || edge.same_location;
  }

 private:
  std::string Observed(const std::string& letter) const {
    return intel_ ? "E" + Upper(letter) + "X" : "r" + letter + "x";
  }
  static std::string Upper(const std::string& letter) {
    return std::string(1, static_cast<char>(letter[0] - 'a' + 'A'));
  }
  std::string NextLetter() {
    static constexpr const char* kLetters[] = {"a", "b", "c", "d"};
    return next_ < 4 ? kLetters[next_++] : "";
  }
  bool intel_;
  size_t next_ = 0;
};

// Addresses in registers; subclasses know the mnemonics.
class RegisterWriter : public ThreadWriter {
 public:
  bool Access(const CycleEvent& event, const std::string& location) override {
    std::string address = Address(location);
    if (dependency_ == EdgeKind::kAddr) address = Displaced(address);
    if (event.kind == 'R') {
      last_ = New();
      if (!Load(last_, address, event.order)) return false;
      Observe(ShownRegister(last_), event);
    } else {
      int value = dependency_ == EdgeKind::kData ? FalseSum(event.value) : Number(event.value);
      if (!Store(value, address, event.order)) return false;
    }
    dependency_ = EdgeKind::kPo;
    return true;
  }

  bool Atomic(const CycleEvent& read, const CycleEvent& write, const std::string& location, bool pair) override {
    std::string address = Address(location);
    if (dependency_ == EdgeKind::kAddr) address = Displaced(address);
    int value = dependency_ == EdgeKind::kData ? FalseSum(write.value) : Number(write.value);
    dependency_ = EdgeKind::kPo;
    last_ = New();
    if (!Exchange(last_, value, address, read.order, write.order, pair)) return false;
    Observe(ShownRegister(last_), read);
    return true;
  }

  bool Between(const Edge& edge) override {
    dependency_ = EdgeKind::kPo;
    if (edge.kind == EdgeKind::kFence) Line(edge.fence);
    if (edge.kind == EdgeKind::kAddr || edge.kind == EdgeKind::kData) dependency_ = edge.kind;
    if (edge.kind == EdgeKind::kCtrl || edge.kind == EdgeKind::kCtrlFence) {
      std::string label = fmt::format("LC{:02}", labels_++);
      Branch(last_, label);
      Line(label + ":");
      if (edge.kind == EdgeKind::kCtrlFence) Line(edge.fence);
    }
    return true;
  }

 protected:
  virtual bool Load(int dst, const std::string& address, const std::string& order) = 0;
  virtual bool Store(int src, const std::string& address, const std::string& order) = 0;
  virtual bool Exchange(int dst, int src, const std::string& address, const std::string& read, const std::string& write,
                        bool pair) = 0;
  virtual void Branch(int reg, const std::string& label) = 0;
  virtual int Number(int value) = 0;
  virtual int FalseSum(int value) = 0;                            // the value plus what depends on the last read
  virtual std::string Displaced(const std::string& address) = 0;  // an address that depends on it
  virtual std::string RegisterName(int reg) const = 0;
  virtual std::string ShownRegister(int reg) const { return RegisterName(reg); }
  virtual int New() { return next_++; }

  std::string Address(const std::string& location) {
    for (const auto& [reg, place] : text_.init) {
      if (place == location) return reg;
    }
    std::string reg = RegisterName(New());
    text_.init.emplace_back(reg, location);
    return reg;
  }

  int last_ = 0;
  int next_ = 0;
  int labels_ = 0;
  EdgeKind dependency_ = EdgeKind::kPo;
};

class AArch64Writer : public RegisterWriter {
 protected:
  std::string RegisterName(int reg) const override { return fmt::format("X{}", reg); }
  bool Load(int dst, const std::string& address, const std::string& order) override {
    const char* op = order == "A" ? "LDAR" : order == "Q" ? "LDAPR" : order.empty() ? "LDR" : nullptr;
    if (op == nullptr) return false;
    Line(fmt::format("{} W{},[{}]", op, dst, address));
    return true;
  }
  bool Store(int src, const std::string& address, const std::string& order) override {
    const char* op = order == "L" ? "STLR" : order.empty() ? "STR" : nullptr;
    if (op == nullptr) return false;
    Line(fmt::format("{} W{},[{}]", op, src, address));
    return true;
  }
  bool Exchange(int dst, int src, const std::string& address, const std::string& read, const std::string& write,
                bool pair) override {
    bool acquire = read == "A";
    bool release = write == "L";
    if (!pair) {
      Line(fmt::format("SWP{}{} W{},W{},[{}]", acquire ? "A" : "", release ? "L" : "", src, dst, address));
      return true;
    }
    int status = New();
    Line(fmt::format("{} W{},[{}]", acquire ? "LDAXR" : "LDXR", dst, address));
    Line(fmt::format("{} W{},W{},[{}]", release ? "STLXR" : "STXR", status, src, address));
    text_.observed.emplace_back(RegisterName(status), "0");
    return true;
  }
  void Branch(int reg, const std::string& label) override { Line(fmt::format("CBNZ W{},{}", reg, label)); }
  int Number(int value) override {
    int reg = New();
    Line(fmt::format("MOV W{},#{}", reg, value));
    return reg;
  }
  int FalseSum(int value) override {
    int reg = New();
    Line(fmt::format("EOR W{},W{},W{}", reg, last_, last_));
    Line(fmt::format("ADD W{},W{},#{}", reg, reg, value));
    return reg;
  }
  std::string Displaced(const std::string& address) override {
    int zero = New();
    int sum = New();
    Line(fmt::format("EOR W{},W{},W{}", zero, last_, last_));
    Line(fmt::format("ADD X{},{},W{},SXTW", sum, address, zero));
    return RegisterName(sum);
  }
};

class RiscvWriter : public RegisterWriter {
 public:
  RiscvWriter() { next_ = 5; }

 protected:
  std::string RegisterName(int reg) const override { return fmt::format("x{}", reg); }
  bool Load(int dst, const std::string& address, const std::string& order) override {
    Line(fmt::format("lw x{},0({})", dst, address));
    return order.empty();
  }
  bool Store(int src, const std::string& address, const std::string& order) override {
    Line(fmt::format("sw x{},0({})", src, address));
    return order.empty();
  }
  bool Exchange(int dst, int src, const std::string& address, const std::string&, const std::string&,
                bool pair) override {
    if (!pair) {
      Line(fmt::format("amoswap.w x{},x{},({})", dst, src, address));
      return true;
    }
    int status = New();
    Line(fmt::format("lr.w x{},0({})", dst, address));
    Line(fmt::format("sc.w x{},x{},0({})", status, src, address));
    text_.observed.emplace_back(RegisterName(status), "0");
    return true;
  }
  void Branch(int reg, const std::string& label) override { Line(fmt::format("bne x{},x0,{}", reg, label)); }
  int Number(int value) override {
    int reg = New();
    Line(fmt::format("ori x{},x0,{}", reg, value));
    return reg;
  }
  int FalseSum(int value) override {
    int reg = New();
    Line(fmt::format("xor x{},x{},x{}", reg, last_, last_));
    Line(fmt::format("ori x{},x{},{}", reg, reg, value));
    return reg;
  }
  std::string Displaced(const std::string& address) override {
    int sum = New();
    Line(fmt::format("xor x{},x{},x{}", sum, last_, last_));
    Line(fmt::format("add x{},x{},{}", sum, sum, address));
    return RegisterName(sum);
  }
};

class PpcWriter : public RegisterWriter {
 public:
  PpcWriter() { next_ = 1; }

 protected:
  std::string RegisterName(int reg) const override { return fmt::format("r{}", reg); }
  bool Load(int dst, const std::string& address, const std::string& order) override {
    Line(fmt::format("lwz r{},0({})", dst, address));
    return order.empty();
  }
  bool Store(int src, const std::string& address, const std::string& order) override {
    Line(fmt::format("stw r{},0({})", src, address));
    return order.empty();
  }
  bool Exchange(int dst, int src, const std::string& address, const std::string&, const std::string&,
                bool pair) override {
    if (!pair) return false;
    std::string label = fmt::format("LX{:02}", labels_++);
    int done = New();
    Line(fmt::format("lwarx r{},r0,{}", dst, address));
    Line(fmt::format("stwcx. r{},r0,{}", src, address));
    Line(fmt::format("bne {}", label));
    Line(fmt::format("li r{},1", done));
    Line(label + ":");
    text_.observed.emplace_back(RegisterName(done), "1");
    return true;
  }
  void Branch(int reg, const std::string& label) override {
    Line(fmt::format("cmpw r{},r{}", reg, reg));
    Line(fmt::format("beq {}", label));
  }
  int Number(int value) override {
    int reg = New();
    Line(fmt::format("li r{},{}", reg, value));
    return reg;
  }
  int FalseSum(int value) override {
    int reg = New();
    Line(fmt::format("xor r{},r{},r{}", reg, last_, last_));
    Line(fmt::format("addi r{},r{},{}", reg, reg, value));
    return reg;
  }
  std::string Displaced(const std::string& address) override {
    int sum = New();
    Line(fmt::format("xor r{},r{},r{}", sum, last_, last_));
    Line(fmt::format("add r{},r{},{}", sum, sum, address));
    return RegisterName(sum);
  }
};

}  // namespace

std::unique_ptr<ThreadWriter> MakeWriter(Arch arch) {
  switch (arch) {
    case Arch::kX86:
    case Arch::kX86_64:
      return std::make_unique<X86Writer>(arch == Arch::kX86);
    case Arch::kAArch64:
      return std::make_unique<AArch64Writer>();
    case Arch::kRiscv:
      return std::make_unique<RiscvWriter>();
    case Arch::kPpc:
      return std::make_unique<PpcWriter>();
    case Arch::kC:
    case Arch::kOpenCl:
      return MakeCWriter(arch == Arch::kOpenCl);
    case Arch::kPtx:
    case Arch::kGpuPtx:
      return MakePtxWriter(arch == Arch::kGpuPtx);
    default:
      return nullptr;
  }
}

}  // namespace heddle::litmus
