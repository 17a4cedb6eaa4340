// Reads a TeSSLa specification in either dialect.
#pragma once

#include <memory>
#include <vector>

#include "base/source.h"
#include "stream/syntax/syntax.h"

namespace heddle::stream {

// Parses one file. Mistakes go to `diagnostics`; what could be read is returned all the same, so that one run can
// report many. Nesting is limited, so that no input can exhaust the stack.
std::unique_ptr<syntax::Specification> ParseSpecification(const SourceMap& sources, uint32_t file,
                                                          std::vector<Diagnostic>& diagnostics);

}  // namespace heddle::stream
