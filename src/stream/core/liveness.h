// Which locals an expression reads, so that code generators know a local's last use and can move it there instead of
// copying: a moved tree is unshared and is updated in place.
#pragma once

#include <set>
#include <unordered_map>

#include "stream/core/core.h"

namespace heddle::stream {

using LocalSet = std::set<uint32_t>;

class Liveness {
 public:
  // `option_parameters`: parameters below this number are Options of a lift; asking whether one is present does not
  // read its value.
  explicit Liveness(uint32_t option_parameters) : option_parameters_(option_parameters) {}

  // The locals that `expr` reads and does not bind itself.
  const LocalSet& Uses(const ExprRef& expr) {
    auto found = uses_.find(expr.get());
    if (found != uses_.end()) return found->second;
    LocalSet uses;
    if (expr->op == Op::kLocal) {
      uses.insert(expr->local);
    } else if (!AsksPresence(expr)) {
      for (const ExprRef& arg : expr->args) {
        const LocalSet& inner = Uses(arg);
        uses.insert(inner.begin(), inner.end());
      }
      if (expr->op == Op::kLet) uses.erase(expr->local);
      for (uint32_t local : expr->locals) uses.erase(local);
    }
    return uses_.emplace(expr.get(), std::move(uses)).first->second;
  }

  // isSome(p) or isNone(p) of an Option parameter.
  bool AsksPresence(const ExprRef& expr) const {
    return expr->op == Op::kPrimitive &&
           (expr->primitive == Primitive::kIsSome || expr->primitive == Primitive::kIsNone) &&
           IsParameter(expr->args[0]);
  }
  bool IsParameter(const ExprRef& expr) const { return expr->op == Op::kLocal && expr->local < option_parameters_; }

  static LocalSet Join(LocalSet a, const LocalSet& b) {
    a.insert(b.begin(), b.end());
    return a;
  }

 private:
  uint32_t option_parameters_;
  std::unordered_map<const Expr*, LocalSet> uses_;
};

}  // namespace heddle::stream
