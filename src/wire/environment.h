// The environment variables by which heddle, its compiler plugin and its runtime in the target speak to each other and
// to the user: one table, environment.inc. Freestanding.
#pragma once

namespace heddle::wire::variable {

#define HEDDLE_VARIABLE(constant, name, set_by, read_by, meaning) inline constexpr char constant[] = name;
#include "wire/environment.inc"
#undef HEDDLE_VARIABLE

}  // namespace heddle::wire::variable
