#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "base/near.h"
#include "cli/monitor.h"
#include "stream/elaborate/templates.h"
#include "symbolize/symbolizer.h"

namespace heddle::cli {
namespace {

// A variable that the program does not have would never be accessed: better said before the run than after it.
Status CheckProgram(const std::string& program, const std::vector<std::string>& variables) {
  if (program.empty()) return {};
  Result<std::vector<std::string>> known = symbolize::VariablesOfFile(program);
  if (!known) return known.error();
  for (const std::string& variable : variables) {
    if (std::find(known->begin(), known->end(), variable) != known->end()) continue;
    std::string hint = DidYouMean(variable, std::vector<std::string_view>(known->begin(), known->end()));
    return MakeError(ErrorCode::kUsage, fmt::format("--vars: {} has no global variable `{}`{}{}", program, variable,
                                                    hint.empty() ? "" : ": ", hint));
  }
  return {};
}

}  // namespace

int RunMonitorTemplate(const Arguments& arguments) {
  CLI::App app("Writes a specification to standard output.", "heddle monitor template");
  std::string footer = "templates:\n";
  for (const stream::TemplateInfo& info : stream::Templates())
    footer += fmt::format("  {:<11} {}\n", info.name, info.summary);
  footer +=
      "\nexample:\n  heddle monitor template lockset --vars x,y --threads 3 > lockset.tessla\n"
      "  heddle monitor lockset.tessla trace.log\n";
  app.footer(footer);
  std::string name;
  stream::TemplateOptions options;
  app.add_option("NAME", name, "which template")->required();
  app.add_option("--vars", options.variables, "variables to check, separated by commas")->delimiter(',');
  std::string program;
  app.add_option("--program", program, "the program: --vars must be global variables of it")->type_name("FILE");
  app.add_option("--threads", options.threads, "number of threads, main included");
  app.add_option("--locks", options.locks, "number of locks, for --no-sets");
  app.add_flag("--no-sets", options.no_sets, "lockset without sets: also becomes hardware with --verilog");
  app.add_option("--init", options.init, "typestate: the call that makes an object usable");
  app.add_option("--use", options.uses, "typestate: calls that use it, separated by commas")->delimiter(',');
  app.add_option("--end", options.end, "typestate: the call after which it must not be used");
  app.add_option("--request", options.request, "response: the call that must be answered");
  app.add_option("--response", options.response, "response: the call that answers it");
  app.add_option("--within", options.within, "response: in how many time units");
  if (int code = Parse(app, arguments); code >= 0) return code;
  if (Status status = CheckProgram(program, options.variables); !status)
    return Fail("monitor template", status.error());
  Result<std::string> text = stream::WriteTemplate(name, options);
  if (!text) return Fail("monitor template", text.error());
  std::fputs(text->c_str(), stdout);
  return kExitClean;
}

}  // namespace heddle::cli
