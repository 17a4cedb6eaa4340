#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/verb.h"

namespace heddle::cli {
namespace {

int RunVersion(const Arguments& arguments) {
  CLI::App app("Prints the version", "heddle version");
  if (int code = Parse(app, arguments); code >= 0) return code;
  std::printf("heddle %s\n", HEDDLE_VERSION);
  return kExitClean;
}

}  // namespace

extern const Verb kVersionVerb;
const Verb kVersionVerb{"version", "print the version", RunVersion};

}  // namespace heddle::cli
