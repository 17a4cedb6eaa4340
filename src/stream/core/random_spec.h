// Random specifications and traces for comparing the engines with each other. Only tests use it.
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

namespace heddle::stream {

class RandomSpec {
 public:
  // `hardware`: stay in the fragment that becomes Verilog.
  RandomSpec(uint32_t seed, bool hardware) : random_(seed), hardware_(hardware) {}

  std::string Specification() {
    text_ = "in i0: Events[Int]\nin i1: Events[Int]\nin b0: Events[Bool]\nin u0: Events[Unit]\n";
    ints_ = {"i0", "i1"};
    bools_ = {"b0"};
    units_ = {"u0"};
    sets_.clear();
    size_t count = 4 + Below(10);
    for (size_t i = 0; i < count; ++i) Define("d" + std::to_string(i));
    return text_;
  }

  std::string Trace(size_t steps) {
    std::string text;
    int64_t time = Below(3) == 0 ? 0 : static_cast<int64_t>(Below(4));
    for (size_t i = 0; i < steps; ++i) {
      if (Below(2) == 0) text += fmt::format("{}: i0 = {}\n", time, Number());
      if (Below(2) == 0) text += fmt::format("{}: i1 = {}\n", time, Number());
      if (Below(3) == 0) text += fmt::format("{}: b0 = {}\n", time, Below(2) == 0);
      if (Below(3) == 0) text += fmt::format("{}: u0\n", time);
      time += 1 + static_cast<int64_t>(Below(6));
    }
    return text;
  }

 private:
  size_t Below(size_t n) { return random_() % n; }
  int64_t Number() { return static_cast<int64_t>(Below(9)) - 4; }
  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return from[Below(from.size())];
  }
  std::string Int() { return Pick(ints_); }
  std::string Bool() { return Pick(bools_); }
  std::string Any() {
    switch (Below(3)) {
      case 0:
        return Int();
      case 1:
        return Bool();
      default:
        return Pick(units_);
    }
  }

  void Add(const std::string& name, const char* type, const std::string& expr, std::vector<std::string>& kind) {
    text_ += fmt::format("def {}: Events[{}] = {}\nout {}\n", name, type, expr, name);
    kind.push_back(name);
  }

  void Define(const std::string& name) {
    size_t kind = Below(hardware_ ? 9 : 11);
    if (kind < 5) return Add(name, "Int", IntExpr(name), ints_);
    if (kind < 7) return Add(name, "Bool", BoolExpr(name), bools_);
    if (kind < 9) return Add(name, "Unit", UnitExpr(), units_);
    Add(name, "Set[Int]", SetExpr(name), sets_);
  }

  std::string IntExpr(const std::string& self) {
    switch (Below(hardware_ ? 22 : 24)) {
      case 0:
        return fmt::format("{} + {}", Int(), Int());
      case 1:
        return fmt::format("{} - {}", Int(), Number());
      case 2:
        return fmt::format("{} * {}", Int(), Number());
      case 3:
        return fmt::format("max({}, {})", Int(), Int());
      case 4:
        return fmt::format("if {} then {} else {}", Bool(), Int(), Int());
      case 5:
        return fmt::format("default({}, {})", Int(), Number());
      case 6:
        return fmt::format("last({}, {})", Int(), Any());
      case 7:
        return fmt::format("time({})", Any());
      case 8:
        return fmt::format("merge({}, {})", Int(), Int());
      case 9:
        return fmt::format("const({}, {})", Number(), Any());
      case 10:
        return fmt::format("filter({}, {})", Int(), Bool());
      case 11:
        return fmt::format("count({})", Any());
      case 12:
        return fmt::format("sum({})", Int());
      case 13:
        return fmt::format("default(last({}, {}) + {}, {})", self, Any(), Int(), Number());
      case 14:
        return fmt::format("first({}, {})", Int(), Any());
      case 15:
        return fmt::format("defaultFrom({}, {})", Int(), Int());
      case 16:
        return fmt::format(
            "lift2({}, {}, (a: Option[Int], b: Option[Int]) => if isSome(a) && isSome(b) then Some(getSome(a) - "
            "getSome(b)) else if isSome(b) then b else None)",
            Int(), Int());
      case 17:
        return fmt::format("{} / {}", Int(), 1 + Below(5));
      case 18:
        return fmt::format("{} % {}", Int(), 1 + Below(5));
      case 19:
        return fmt::format("({} & {}) ^ ({} | {})", Int(), Int(), Int(), Number());
      case 20:
        return fmt::format("resetCount({}, {})", Any(), Any());
      case 21:
        return fmt::format("on({}, {})", Any(), Int());
      case 22:
        return fmt::format("const(1, {} / {})", Int(), Int());
      default:
        return sets_.empty() ? Int() + " + 1" : fmt::format("Set.size({})", Pick(sets_));
    }
  }

  std::string BoolExpr(const std::string& self) {
    switch (Below(9)) {
      case 0:
        return fmt::format("{} < {}", Int(), Int());
      case 1:
        return fmt::format("{} == {}", Int(), Number());
      case 2:
        return fmt::format("{} && {}", Bool(), Bool());
      case 3:
        return fmt::format("{} || {} >= {}", Bool(), Int(), Int());
      case 4:
        return fmt::format("!{}", Bool());
      case 5:
        return fmt::format("isFirst({})", Any());
      case 6:
        return fmt::format("pure({})", Bool());
      case 7:
        return fmt::format("default(last({}, {}) != {}, true)", self, Any(), Bool());
      default:
        return fmt::format("defined({})", Any());
    }
  }

  std::string UnitExpr() {
    switch (Below(5)) {
      case 0:
        return fmt::format("const((), {})", Any());
      case 1:
        return fmt::format("mergeUnit2({}, {})", Any(), Any());
      case 2:
        return fmt::format("delay(const({}, {}), {})", 1 + Below(9), Any(), Any());
      case 3:
        return fmt::format("rising({})", Bool());
      default:
        return fmt::format("unitIf({})", Bool());
    }
  }

  std::string SetExpr(const std::string& self) {
    switch (Below(5)) {
      case 0:
        return fmt::format("Set.collect({})", Int());
      case 1:
        return fmt::format("Set.collectWithRemove({}, {})", Int(), Int());
      case 2:
        return fmt::format("default(Set.add(last({0}, {1}), {1}), Set.empty[Int])", self, Int());
      case 3:
        return sets_.empty() ? fmt::format("Set.collect({})", Int())
                             : fmt::format("Set.minus({}, {})", Pick(sets_), Pick(sets_));
      default:
        return sets_.empty() ? fmt::format("Set.collect({})", Int()) : fmt::format("last({}, {})", Pick(sets_), Any());
    }
  }

  std::mt19937 random_;
  bool hardware_;
  std::string text_;
  std::vector<std::string> ints_;
  std::vector<std::string> bools_;
  std::vector<std::string> units_;
  std::vector<std::string> sets_;
};

}  // namespace heddle::stream
