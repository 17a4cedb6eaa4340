#include "csp/eval/builtins.h"

#include <string>
#include <unordered_map>

namespace heddle::csp {

const std::vector<BuiltinInfo>& Builtins() {
  static const std::vector<BuiltinInfo> table = {
#define X(enumerator, name, type, group) {name, type, group},
      HEDDLE_CSP_BUILTINS(X)
#undef X
  };
  return table;
}

int FindBuiltin(std::string_view name) {
  static const std::unordered_map<std::string_view, int> index = [] {
    std::unordered_map<std::string_view, int> result;
    for (size_t i = 0; i < Builtins().size(); ++i) result.emplace(Builtins()[i].name, static_cast<int>(i));
    return result;
  }();
  auto it = index.find(name);
  return it == index.end() ? -1 : it->second;
}

}  // namespace heddle::csp
