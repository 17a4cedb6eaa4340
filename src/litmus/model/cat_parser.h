// Parses a model in the cat language, herd's dialect and the plainer one of the SMT-based checkers. Included files are
// read where they are named and their statements stand in that place.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "litmus/model/cat_ast.h"

namespace heddle::litmus {

struct CatSearch {
  std::vector<std::string> paths;     // folders for included files, after the folder of the including file
  std::vector<std::string> variants;  // words for which `if "word"` is true
};

// Files are added to `sources`, which must outlive every use of the model's spans.
Result<CatModel> ParseCatFile(SourceMap& sources, const std::string& path, const CatSearch& search);
Result<CatModel> ParseCatText(SourceMap& sources, const std::string& name, const std::string& text,
                              const CatSearch& search);

}  // namespace heddle::litmus
