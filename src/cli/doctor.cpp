// heddle doctor: what this machine offers, and how to get what is missing.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/file.h"
#include "base/json.h"
#include "cli/doctor_checks.h"
#include "cli/verb.h"

namespace heddle::cli {
namespace {

std::string_view ResultWord(CheckResult result) {
  switch (result) {
    case CheckResult::kOk:
      return "ok";
    case CheckResult::kMissing:
      return "missing";
    case CheckResult::kHint:
      return "hint";
  }
  return "ok";
}

std::string ChecksJson(const std::vector<Check>& checks, bool usable) {
  JsonWriter json;
  json.BeginObject().Key("schema").String("heddle/doctor/1").Key("usable").Bool(usable).Key("checks").BeginArray();
  for (const Check& check : checks) {
    json.BeginObject().Key("name").String(check.name).Key("result").String(ResultWord(check.result));
    json.Key("detail").String(check.detail).Key("fix").String(check.fix).EndObject();
  }
  json.EndArray().EndObject();
  return json.Take();
}

void PrintChecks(const std::vector<Check>& checks) {
  for (const Check& check : checks) {
    fmt::print("{:<8} {:<14} {}\n", ResultWord(check.result), check.name, check.detail);
    if (!check.fix.empty()) fmt::print("{:<23} -> {}\n", "", check.fix);
  }
}

int RunDoctor(const Arguments& arguments) {
  CLI::App app("Checks what this machine offers to heddle and says how to fix what is missing", "heddle doctor");
  std::string json_file;
  app.add_option("--json", json_file, "write the checks as JSON (schema heddle/doctor/1) to FILE, - for stdout")
      ->type_name("FILE");
  app.footer("Exit code 0 when heddle can work here, 5 when something that it needs is missing.");
  if (int code = Parse(app, arguments); code >= 0) return code;
  std::vector<Check> checks = RunChecks(LibFolder());
  auto missing = std::count_if(checks.begin(), checks.end(),
                               [](const Check& check) { return check.result == CheckResult::kMissing; });
  if (json_file == "-") {
    fmt::print("{}", ChecksJson(checks, missing == 0));
  } else {
    if (!json_file.empty()) {
      Status status = WriteFileAtomic(json_file, ChecksJson(checks, missing == 0));
      if (!status) return Fail("doctor", status.error());
    }
    PrintChecks(checks);
    fmt::print("{}\n",
               missing == 0 ? "heddle can work here" : fmt::format("{} missing: heddle cannot work here", missing));
  }
  return missing == 0 ? kExitClean : kExitEnvironment;
}

}  // namespace

extern const Verb kDoctorVerb;
const Verb kDoctorVerb{"doctor", "check what this machine offers and how to fix what is missing", RunDoctor};

}  // namespace heddle::cli
