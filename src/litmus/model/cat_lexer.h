// Words of the cat language. Names may contain dots and dashes (po-loc, dmb.sy); comments are (* *), nested, // and #.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"

namespace heddle::litmus {

enum class CatTokenKind { kName, kString, kTag, kSymbol, kEnd };

struct CatToken {
  CatTokenKind kind = CatTokenKind::kEnd;
  std::string text;
  Span span;
};

Result<std::vector<CatToken>> LexCat(const SourceMap& sources, uint32_t file);

}  // namespace heddle::litmus
