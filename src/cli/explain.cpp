// heddle explain: what a kind of finding means.
#include "findings/explain.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/near.h"
#include "cli/verb.h"

namespace heddle::cli {
namespace {

int RunExplain(const Arguments& arguments) {
  CLI::App app("Says what a kind of finding is, why it is a bug, how to fix it, and what heddle proves",
               "heddle explain");
  std::string name;
  app.add_option("KIND", name, "data-race, deadlock, ... (default: lists them)");
  app.footer("Example:\n  heddle explain lost-signal");
  if (int code = Parse(app, arguments); code >= 0) return code;
  if (name.empty()) {
    for (std::string_view known : findings::KindNames()) {
      fmt::print("{:<12} {}\n", known, findings::Explain(*findings::KindFromName(known)).title);
    }
    return kExitClean;
  }
  std::optional<findings::Kind> kind = findings::KindFromName(name);
  if (!kind) {
    std::string hint = DidYouMean(name, findings::KindNames());
    if (hint.empty()) hint = fmt::format("the kinds are {}", fmt::join(findings::KindNames(), ", "));
    return Fail("explain", MakeError(ErrorCode::kUsage, fmt::format("unknown kind `{}`: {}", name, hint)));
  }
  fmt::print("{}", findings::ExplanationText(findings::Explain(*kind)));
  return kExitClean;
}

}  // namespace

extern const Verb kExplainVerb;
const Verb kExplainVerb{"explain", "say what a kind of finding is and how to fix it", RunExplain};

}  // namespace heddle::cli
