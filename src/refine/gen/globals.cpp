#include "refine/gen/globals.h"

#include <fmt/format.h>

#include <array>

namespace heddle::refine {
namespace {

struct IntType {
  const char* name;
  int bits;
};
constexpr std::array<IntType, 8> kTypes = {{{"signed char", 8},
                                            {"unsigned char", 8},
                                            {"short", 16},
                                            {"unsigned short", 16},
                                            {"int", 32},
                                            {"unsigned", 32},
                                            {"long", 64},
                                            {"unsigned long", 64}}};

class Maker {
 public:
  Maker(Random& random, std::string prefix, uint32_t locks)
      : random_(random), prefix_(std::move(prefix)), locks_(locks) {}

  Globals Run() {
    uint32_t scalars = 4 + random_.Below(5);
    for (uint32_t i = 0; i < scalars; ++i) Scalar();
    for (uint32_t i = random_.Below(3); i > 0; --i) Array();
    for (uint32_t i = random_.Below(3); i > 0; --i) Struct();
    for (uint32_t i = random_.Below(2); i > 0; --i) Pointer();
    return std::move(out_);
  }

 private:
  int SomeLock() { return random_.Chance(80) && locks_ > 0 ? static_cast<int>(random_.Below(locks_)) : -1; }
  std::string Name(const char* kind) { return fmt::format("{}{}{}", prefix_, kind, next_++); }
  std::string Initial(int bits) {
    uint64_t value = random_.Chance(50) ? random_.Below(4) : random_.Next() >> (65 - bits);
    return fmt::format("{}{}", value, bits == 64 ? "L" : "");
  }

  void Scalar() {
    const IntType& type = kTypes[random_.Below(kTypes.size())];
    bool is_volatile = random_.Chance(6);
    int lock = SomeLock();
    std::string name = Name("g");
    out_.lines.push_back(
        fmt::format("{}{} {} = {};", is_volatile ? "volatile " : "", type.name, name, Initial(type.bits)));
    out_.lvalues.push_back({name, 0, lock, is_volatile, type.bits});
    if (!is_volatile) scalars_.push_back({type.name, name, lock, type.bits});
  }

  void Array() {
    const IntType& type = kTypes[random_.Below(kTypes.size())];
    uint32_t count = 4U << random_.Below(3);
    int lock = SomeLock();
    std::string name = Name("a");
    out_.lines.push_back(fmt::format("{} {}[{}];", type.name, name, count));
    out_.lvalues.push_back({name + "[%I]", count - 1, lock, false, type.bits});
    out_.lvalues.push_back({fmt::format("{}[{}]", name, random_.Below(count)), 0, lock, false, type.bits});
    out_.buffers.push_back({name, count * static_cast<uint32_t>(type.bits) / 8, lock});
  }

  // Members of every kind beside each other, so that a store that is too wide hits a neighbour.
  void Struct() {
    std::string tag = Name("s");
    std::string body;
    std::vector<std::pair<std::string, int>> fields;
    uint32_t members = 2 + random_.Below(5);
    for (uint32_t i = 0; i < members; ++i) {
      std::string field = fmt::format("f{}", i);
      if (random_.Chance(40)) {
        bool is_signed = random_.Chance(50);
        uint32_t width = 1 + random_.Below(20);
        body += fmt::format(" {} {} : {};", is_signed ? "signed" : "unsigned", field, width);
        fields.emplace_back(field, static_cast<int>(width));
      } else {
        const IntType& type = kTypes[random_.Below(kTypes.size())];
        body += fmt::format(" {} {};", type.name, field);
        fields.emplace_back(field, type.bits);
      }
    }
    out_.lines.push_back(fmt::format("struct {} {{{} }};", tag, body));
    int lock = SomeLock();
    std::vector<std::string> objects;
    for (uint32_t i = 1 + random_.Below(2); i > 0; --i) {
      std::string name = Name("o");
      out_.lines.push_back(fmt::format("struct {} {};", tag, name));
      for (const auto& [field, bits] : fields) out_.lvalues.push_back({name + "." + field, 0, lock, false, bits});
      objects.push_back(name);
    }
    out_.structs_by_type.push_back(objects);
    out_.struct_locks.push_back(lock);
  }

  void Pointer() {
    if (scalars_.empty()) return;
    const Plain& first = scalars_[random_.Below(static_cast<uint32_t>(scalars_.size()))];
    Globals::Pointer pointer{Name("p"), {}, first.lock};
    for (const Plain& plain : scalars_) {
      if (plain.type == first.type && plain.lock == first.lock) pointer.targets.push_back("&" + plain.name);
    }
    out_.lines.push_back(fmt::format("{} *{} = {};", first.type, pointer.name, pointer.targets[0]));
    out_.lvalues.push_back({"*" + pointer.name, 0, first.lock, false, first.bits});
    out_.pointers.push_back(pointer);
  }

  struct Plain {
    std::string type;
    std::string name;
    int lock;
    int bits;
  };

  Random& random_;
  std::string prefix_;
  uint32_t locks_;
  uint32_t next_ = 0;
  std::vector<Plain> scalars_;
  Globals out_;
};

}  // namespace

Globals MakeGlobals(Random& random, const std::string& prefix, uint32_t locks) {
  return Maker(random, prefix, locks).Run();
}

}  // namespace heddle::refine
