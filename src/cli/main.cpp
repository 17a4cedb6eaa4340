// heddle VERB ...: finds the verb and runs it. Called as heddle-cc or heddle-c++ it is that compiler.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/near.h"
#include "cli/verb.h"

namespace heddle::cli {
namespace {

void PrintHelp(std::FILE* out) {
  fmt::print(out,
             "heddle finds, predicts, provokes, replays and explains concurrency bugs.\n\nusage: heddle VERB ...\n\n");
  for (const Verb& verb : Verbs()) fmt::print(out, "  {:<10} {}\n", verb.name, verb.summary);
  fmt::print(out, "\n`heddle VERB --help` says more.\n");
}

const Verb* FindVerb(std::string_view name) {
  for (const Verb& verb : Verbs()) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

int Main(const std::vector<std::string>& arguments) {
  std::string program = arguments.empty() ? "heddle" : arguments[0].substr(arguments[0].rfind('/') + 1);
  std::string name;
  size_t first = 1;
  if (program == "heddle-cc" || program == "heddle-c++") {
    name = program.substr(7);
  } else if (arguments.size() > 1) {
    name = arguments[1];
    first = 2;
  }
  if (name.empty() || name == "--help" || name == "-h" || name == "help") {
    PrintHelp(name.empty() ? stderr : stdout);
    return name.empty() ? kExitUsage : kExitClean;
  }
  if (name == "--version") name = "version";
  const Verb* verb = FindVerb(name);
  if (verb == nullptr) {
    std::vector<std::string_view> names;
    for (const Verb& known : Verbs()) names.push_back(known.name);
    std::string hint = DidYouMean(name, names);
    fmt::print(stderr, "heddle: unknown verb `{}`{}{}\n", name, hint.empty() ? "" : ": ", hint);
    return kExitUsage;
  }
  return verb->run(std::vector<std::string>(arguments.begin() + static_cast<std::ptrdiff_t>(first), arguments.end()));
}

}  // namespace
}  // namespace heddle::cli

int main(int argc, char** argv) { return heddle::cli::Main(std::vector<std::string>(argv, argv + argc)); }
