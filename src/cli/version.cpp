#include <cstdio>

#include "cli/verb.h"

namespace heddle::cli {
namespace {

int Run(const Arguments&) {
  std::printf("heddle %s\n", HEDDLE_VERSION);
  return kExitClean;
}

}  // namespace

extern const Verb kVersionVerb;
const Verb kVersionVerb{"version", "print the version", Run};

}  // namespace heddle::cli
