// Resolves the names of a parsed model, sorts its checks by level and finds out what may be kept between evaluations.
#pragma once

#include "base/result.h"
#include "base/source.h"
#include "litmus/model/cat_program.h"

namespace heddle::litmus {

Result<CatProgram> CompileCat(const SourceMap& sources, const CatModel& model);

}  // namespace heddle::litmus
