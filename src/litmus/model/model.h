// A model that is ready to judge executions: one of those that come with heddle, by name, or a file of the user's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "litmus/model/cat_parser.h"
#include "litmus/model/cat_program.h"
#include "litmus/syntax/test.h"

namespace heddle::litmus {

struct Model {
  std::string name;
  SourceMap sources;
  CatProgram program;
};

// `name`: x86tso, rc11, ... or a path that ends in .cat. Errors are rendered with line and column.
Result<std::unique_ptr<Model>> LoadModel(const std::string& name, const CatSearch& search);

// The model for tests of this language when none is asked for.
std::string_view DefaultModel(Arch arch);
// The models that come with heddle.
const std::vector<std::string_view>& ModelNames();

}  // namespace heddle::litmus
