// Which TeSSLa a specification is written in.
//
// The language changed several times. What a file uses says which one it is: the parser notes the features that not all
// versions have (syntax::Feature), this adds the names of the libraries. Features that are only in 0.4 to 0.7 make it
// the older language, unless something else in the file is only in 1.1 or 1.2: then the file mixes, which is an error.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"
#include "stream/elaborate/elaborate.h"
#include "stream/syntax/syntax.h"

namespace heddle::stream {

struct DialectChoice {
  bool older = false;   // the older language: its library on top of the standard one
  bool quoted = false;  // strings are printed as literals, as before 1.2
  std::string reason;   // a line for each feature that decided, with its place
};

// Chooses by `wanted`, or by what the file uses when that is kAuto. Reports a file that mixes.
DialectChoice ChooseDialect(const SourceMap& sources, const syntax::Specification& specification, Dialect wanted,
                            std::vector<Diagnostic>& diagnostics);

}  // namespace heddle::stream
