// Statements and expressions of random threads. A body is a list of lines; blocks are written with one statement a
// line, so that the reducer can remove lines and keep braces balanced.
#include "refine/gen/gen.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "refine/gen/csmith.h"
#include "refine/gen/globals.h"
#include "refine/gen/random.h"

namespace heddle::refine {
namespace {

class ThreadMaker {
 public:
  ThreadMaker(uint64_t seed, uint32_t index, const GenOptions& options)
      : random_(seed * 0x2545f4914f6cdd1dULL + 12345), index_(index), options_(options) {
    out_.seed = seed;
    out_.function = fmt::format("thread_{}", index);
    out_.prefix = fmt::format("t{}_", index);
  }

  GeneratedThread Run() {
    globals_ = MakeGlobals(random_, out_.prefix, options_.locks);
    out_.lines = globals_.lines;
    for (uint32_t i = 0; i < options_.locks; ++i) {
      out_.lines.push_back(fmt::format("pthread_mutex_t {};", LockName(static_cast<int>(i))));
    }
    for (uint32_t i = random_.Below(3); i > 0; --i) Helper();
    Line(fmt::format("void {}(void) {{", out_.function));
    Locals();
    for (uint32_t i = 0; i < options_.size; ++i) Statement(3);
    while (!held_.empty()) Unlock();
    Line("}");
    return std::move(out_);
  }

 private:
  std::string LockName(int lock) const { return fmt::format("lock{}_{}", index_, lock); }
  void Line(const std::string& text) { out_.lines.push_back(std::string(static_cast<size_t>(2 * depth_), ' ') + text); }

  void Locals() {
    ++depth_;
    locals_ = 2 + random_.Below(4);
    for (uint32_t i = 0; i < locals_; ++i) Line(fmt::format("unsigned long v{} = {};", i, random_.Below(100)));
    --depth_;
  }

  std::string Local() { return fmt::format("v{}", random_.Below(locals_)); }

  std::string Constant() {
    static constexpr uint64_t kValues[] = {0, 1, 2, 3, 7, 8, 31, 100, 255, 256, 65535, 0x7fffffff, 0xdeadbeef};
    return fmt::format("{}UL", random_.Chance(50) ? random_.Below(50) : kValues[random_.Below(13)]);
  }

  // A global that may be used here: one of a lock that is held, now and then any.
  const Lvalue* Pick(bool may_be_volatile) {
    std::vector<const Lvalue*> fit;
    bool any = random_.Chance(8);
    for (const Lvalue& lvalue : globals_.lvalues) {
      bool open = any || (lvalue.lock < 0 ? held_.empty() || random_.Chance(50) : held_.contains(lvalue.lock));
      if (open && (may_be_volatile || !lvalue.is_volatile)) fit.push_back(&lvalue);
    }
    return fit.empty() ? nullptr : fit[random_.Below(static_cast<uint32_t>(fit.size()))];
  }

  std::string Access(const Lvalue& lvalue) {
    std::string text = lvalue.text;
    size_t hole = text.find("%I");
    if (hole == std::string::npos) return text;
    std::string index = random_.Chance(50) && loop_ >= 0 ? fmt::format("i{} & {}", loop_, lvalue.index_mask)
                                                         : fmt::format("{} & {}", Local(), lvalue.index_mask);
    return text.replace(hole, 2, index);
  }

  // All arithmetic is on unsigned long, where nothing is undefined.
  std::string Expression(int depth) {
    if (depth == 0 || random_.Chance(25)) return Leaf();
    std::string a = Expression(depth - 1);
    std::string b = Expression(depth - 1);
    switch (random_.Below(14)) {
      case 0:
        return fmt::format("({} - {})", a, b);
      case 1:
        return fmt::format("({} * {})", a, b);
      case 2:
        return fmt::format("({} & {})", a, b);
      case 3:
        return fmt::format("({} | {})", a, b);
      case 4:
        return fmt::format("({} ^ {})", a, b);
      case 5:
        return fmt::format("({} << ({} & 31))", a, b);
      case 6:
        return fmt::format("({} >> ({} & 31))", a, b);
      case 7:
        return fmt::format("({} / (({} & 255) | 1))", a, b);
      case 8:
        return fmt::format("({} % (({} & 255) | 1))", a, b);
      case 9:
        return fmt::format("({} < {} ? {} : {})", a, b, Leaf(), Leaf());
      case 10:
        return fmt::format("(unsigned long)((long){} < (long){})", a, b);
      case 11:
        return fmt::format("(unsigned long)((int)({} & 4095) * 3 - (int)({} & 1023))", a, b);
      case 12:
        return fmt::format("(unsigned long)({} && {})", a, b);
      default:
        return fmt::format("({} + {})", a, b);
    }
  }

  std::string Leaf() {
    const Lvalue* lvalue = random_.Chance(55) ? Pick(false) : nullptr;
    if (lvalue != nullptr) return fmt::format("(unsigned long){}", Access(*lvalue));
    return random_.Chance(60) ? Local() : Constant();
  }

  void Assign() {
    const Lvalue* lvalue = random_.Chance(75) ? Pick(false) : nullptr;
    if (lvalue == nullptr) return Line(fmt::format("{} = {};", Local(), Expression(2)));
    std::string target = Access(*lvalue);
    if (random_.Chance(25)) {
      static constexpr const char* kOps[] = {"^=", "|=", "&="};
      return Line(fmt::format("{} {} {};", target, kOps[random_.Below(3)], Expression(1)));
    }
    if (random_.Chance(15)) return Line(fmt::format("{} = {};", target, Constant()));
    Line(fmt::format("{} = {};", target, Expression(2)));
  }

  // One access to a volatile object in a statement: the order of two would be unspecified.
  void Volatile() {
    const Lvalue* lvalue = Pick(true);
    if (lvalue == nullptr || !lvalue->is_volatile) return Assign();
    if (random_.Chance(50)) return Line(fmt::format("{} = (unsigned long){};", Local(), lvalue->text));
    Line(fmt::format("{} = {};", lvalue->text, Local()));
  }

  void Block(int levels) {
    ++depth_;
    for (uint32_t i = 1 + random_.Below(3); i > 0; --i) Statement(levels - 1);
    --depth_;
  }

  void If(int levels) {
    Line(fmt::format("if ({}) {{", Expression(2)));
    ++no_sync_;
    Block(levels);
    if (random_.Chance(50)) {
      Line("} else {");
      Block(levels);
    }
    --no_sync_;
    Line("}");
  }

  // Lock operations in a loop or branch are whole sections.
  void For(int levels) {
    int outer = loop_;
    loop_ = loops_++;
    std::string bound = random_.Chance(60) ? fmt::format("{}", 1 + random_.Below(9)) : fmt::format("({} & 7)", Leaf());
    Line(fmt::format("for (unsigned i{0} = 0; i{0} < {1}; i{0}++) {{", loop_, bound));
    ++no_sync_;
    Block(levels);
    --no_sync_;
    Line("}");
    loop_ = outer;
  }

  // The store that loop optimisers like to move: conditional, to something that does not change.
  void ConditionalStores() {
    const Lvalue* from = Pick(false);
    const Lvalue* to = Pick(false);
    if (from == nullptr || to == nullptr) return Assign();
    int outer = loop_;
    loop_ = loops_++;
    Line(fmt::format("for (unsigned i{0} = 0; i{0} < {1}; i{0}++) {{", loop_, 2 + random_.Below(12)));
    Line(fmt::format("  if ((unsigned long){} & {}) {} = {};", Access(*from), Constant(), Access(*to), Expression(1)));
    Line("}");
    loop_ = outer;
  }

  void Switch(int levels) {
    Line(fmt::format("switch ({} & 3) {{", Expression(1)));
    ++no_sync_;
    for (uint32_t i = 0; i < 2 + random_.Below(2); ++i) {
      Line(fmt::format("case {}: {{", i));
      Block(levels);
      Line("} break;");
    }
    Line("default: {");
    Block(levels);
    Line("}");
    --no_sync_;
    Line("}");
  }

  void LockOne(int lock) {
    Line(fmt::format("pthread_mutex_lock(&{});", LockName(lock)));
    held_.insert(lock);
  }
  void UnlockOne(int lock) {
    Line(fmt::format("pthread_mutex_unlock(&{});", LockName(lock)));
    held_.erase(lock);
  }
  void Unlock() {
    auto which = held_.begin();
    std::advance(which, random_.Below(static_cast<uint32_t>(held_.size())));
    UnlockOne(*which);
  }

  int FreeLock() {
    std::vector<int> free;
    for (int i = 0; i < static_cast<int>(options_.locks); ++i) {
      if (!held_.contains(i)) free.push_back(i);
    }
    return free.empty() ? -1 : free[random_.Below(static_cast<uint32_t>(free.size()))];
  }

  void Sync(int levels) {
    if (in_helper_) return Assign();  // its caller may hold any lock
    int lock = FreeLock();
    if (no_sync_ > 0) {
      if (lock < 0 || levels == 0) return Assign();
      LockOne(lock);
      for (uint32_t i = 1 + random_.Below(3); i > 0; --i) Statement(0);
      return UnlockOne(lock);
    }
    if (!held_.empty() && (lock < 0 || random_.Chance(60))) return Unlock();
    if (lock >= 0) LockOne(lock);
  }

  void CopyStruct() {
    if (globals_.structs_by_type.empty()) return Assign();
    uint32_t type = random_.Below(static_cast<uint32_t>(globals_.structs_by_type.size()));
    const std::vector<std::string>& objects = globals_.structs_by_type[type];
    int lock = globals_.struct_locks[type];
    if (objects.size() < 2 || (lock >= 0 && !held_.contains(lock))) return Assign();
    bool swap = random_.Chance(50);
    Line(fmt::format("{} = {};", objects[swap ? 1 : 0], objects[swap ? 0 : 1]));
  }

  void MovePointer() {
    if (globals_.pointers.empty()) return Assign();
    const Globals::Pointer& pointer = globals_.pointers[random_.Below(static_cast<uint32_t>(globals_.pointers.size()))];
    if (pointer.lock >= 0 && !held_.contains(pointer.lock)) return Assign();
    Line(fmt::format("{} = {};", pointer.name,
                     pointer.targets[random_.Below(static_cast<uint32_t>(pointer.targets.size()))]));
  }

  void Memory() {
    std::vector<const Globals::Buffer*> open;
    for (const Globals::Buffer& buffer : globals_.buffers) {
      if (buffer.lock < 0 || held_.contains(buffer.lock)) open.push_back(&buffer);
    }
    if (open.empty()) return Assign();
    const Globals::Buffer& to = *open[random_.Below(static_cast<uint32_t>(open.size()))];
    const Globals::Buffer& from = *open[random_.Below(static_cast<uint32_t>(open.size()))];
    if (to.name != from.name && random_.Chance(50)) {
      return Line(fmt::format("__builtin_memcpy({}, {}, {});", to.name, from.name,
                              1 + random_.Below(std::min(to.bytes, from.bytes))));
    }
    Line(fmt::format("__builtin_memset({}, {}, {});", to.name, random_.Below(256), 1 + random_.Below(to.bytes)));
  }

  void Call() {
    if (helpers_.empty() || in_helper_) return Assign();
    uint32_t helper = random_.Below(static_cast<uint32_t>(helpers_.size()));
    if (helpers_[helper] >= 0 && !held_.contains(helpers_[helper])) return Assign();
    Line(fmt::format("{} = help{}_{}({}, {});", Local(), index_, helper, Leaf(), Leaf()));
  }

  void Statement(int levels) {
    uint32_t what = random_.Below(100);
    if (what < 22) return Sync(levels);
    if (levels > 0 && what < 34) return If(levels);
    if (levels > 0 && what < 44) return For(levels);
    if (levels > 0 && what < 47) return Switch(levels);
    if (what < 53) return ConditionalStores();
    if (what < 58) return CopyStruct();
    if (what < 61) return MovePointer();
    if (what < 65) return Memory();
    if (what < 70) return Call();
    if (what < 74) return Volatile();
    Assign();
  }

  // A function with two parameters that uses the globals of one lock, which its caller holds, or of none.
  void Helper() {
    auto number = static_cast<uint32_t>(helpers_.size());
    int lock = options_.locks > 0 && random_.Chance(70) ? static_cast<int>(random_.Below(options_.locks)) : -1;
    const char* how = random_.Chance(50) ? "static __attribute__((noinline))" : "static";
    Line(fmt::format("{} unsigned long help{}_{}(unsigned long v0, unsigned long v1) {{", how, index_, number));
    ++depth_;
    locals_ = 2;
    in_helper_ = true;
    ++no_sync_;
    if (lock >= 0) held_.insert(lock);
    for (uint32_t i = 2 + random_.Below(3); i > 0; --i) Statement(1);
    held_.clear();
    --no_sync_;
    in_helper_ = false;
    Line(fmt::format("return {};", Expression(1)));
    --depth_;
    Line("}");
    helpers_.push_back(lock);
  }

  Random random_;
  uint32_t index_;
  GenOptions options_;
  Globals globals_;
  GeneratedThread out_;
  int depth_ = 0;
  uint32_t locals_ = 0;
  int loop_ = -1;
  int loops_ = 0;
  int no_sync_ = 0;  // inside of a branch or loop: lock operations come in pairs
  bool in_helper_ = false;
  std::set<int> held_;
  std::vector<int> helpers_;  // the lock of each, -1 for none
};

}  // namespace

GeneratedThread GenerateThread(uint64_t seed, uint32_t index, const GenOptions& options) {
  return ThreadMaker(seed, index, options).Run();
}

Result<GeneratedThread> MakeThread(uint64_t seed, uint32_t index, const GenOptions& options) {
  if (options.csmith) return CsmithThread(seed, index, options);
  return GenerateThread(seed, index, options);
}

std::string ProgramHead() {
  // No header, so that cross compilers without a C library will do. To a compiler the functions are opaque either way.
  return "typedef union { char size[40]; long align; } pthread_mutex_t;\n"
         "int pthread_mutex_lock(pthread_mutex_t *);\n"
         "int pthread_mutex_unlock(pthread_mutex_t *);\n";
}

std::string ProgramText(const std::vector<GeneratedThread>& threads) {
  std::string text = ProgramHead();
  bool csmith = std::any_of(threads.begin(), threads.end(), [](const GeneratedThread& t) { return t.csmith; });
  if (csmith) text += CsmithHead();
  for (const GeneratedThread& thread : threads) {
    text += fmt::format("\n// seed {}\n", thread.seed);
    for (const std::string& line : thread.lines) text += line + "\n";
  }
  return text;
}

}  // namespace heddle::refine
