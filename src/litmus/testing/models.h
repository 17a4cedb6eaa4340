// For tests: models by name from the source folder, and simulations in one line.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>

#include "litmus/model/model.h"
#include "litmus/sim/report.h"
#include "litmus/sim/simulate.h"
#include "litmus/syntax/parse.h"

namespace heddle::litmus {

inline CatSearch TestSearch() {
  CatSearch search;
  search.paths = {std::string(HEDDLE_SOURCE_DIR) + "/share/litmus"};
  return search;
}

inline const Model& ModelNamed(const std::string& name) {
  static std::map<std::string, std::unique_ptr<Model>> models;
  auto found = models.find(name);
  if (found == models.end()) {
    Result<std::unique_ptr<Model>> model = LoadModel(name, TestSearch());
    if (!model) {
      ADD_FAILURE() << model.error().message;
      std::abort();
    }
    found = models.emplace(name, std::move(*model)).first;
  }
  return *found->second;
}

inline SimResult SimulateText(const std::string& text, const std::string& model, const SimOptions& options = {}) {
  Result<Test> test = ParseLitmus("test.litmus", text);
  if (!test) {
    ADD_FAILURE() << test.error().message << text;
    return {};
  }
  const Model& m = ModelNamed(model);
  Result<SimResult> result = Simulate(*test, m.sources, m.program, options);
  if (!result) {
    ADD_FAILURE() << result.error().message << text;
    return {};
  }
  return std::move(*result);
}

// The states as a set of value lists.
inline std::set<std::vector<int64_t>> StatesOf(const SimResult& result) {
  std::set<std::vector<int64_t>> states;
  for (const SimState& state : result.states) states.insert(state.values);
  return states;
}

}  // namespace heddle::litmus
