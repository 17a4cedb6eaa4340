// What a model says of an execution of which only a part is chosen.
#pragma once

#include <optional>

#include "litmus/model/cat_program.h"

namespace heddle::litmus {

// A program whose checks (all at level 1) fail only if some check of `program` fails in every execution that has the
// reads-from and coherence chosen so far, and more. What grows with them is kept; what may shrink is taken for empty.
// Nothing when no check is left.
std::optional<CatProgram> LowerBound(const CatProgram& program);

// Whether the model looks at the values of events, which are known only when all reads-from is chosen.
bool LooksAtValues(const CatProgram& program);

}  // namespace heddle::litmus
