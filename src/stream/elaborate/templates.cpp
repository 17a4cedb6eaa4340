#include "stream/elaborate/templates.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/near.h"

namespace heddle::stream {
namespace {

bool IsName(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (char c : text) {
    bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!good) return false;
  }
  return true;
}

Error Usage(std::string message) { return MakeError(ErrorCode::kUsage, std::move(message)); }

// A name, or names joined by `::`.
bool IsVariable(std::string_view text) {
  for (size_t colons = text.find("::"); colons != std::string_view::npos; colons = text.find("::")) {
    if (!IsName(text.substr(0, colons))) return false;
    text.remove_prefix(colons + 2);
  }
  return IsName(text);
}

Status CheckVariables(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!IsVariable(name)) return Usage(fmt::format("--vars: `{}` is not the name of a variable", name));
  }
  return {};
}

Status CheckNames(const std::vector<std::string>& names, std::string_view option) {
  for (const std::string& name : names) {
    if (!IsName(name)) return Usage(fmt::format("{}: `{}` is not a name", option, name));
  }
  return {};
}

Status CheckNumbers(const TemplateOptions& options) {
  if (options.threads < 1 || options.threads > 64) return Usage("--threads must be from 1 to 64");
  if (options.locks < 1 || options.locks > 64) return Usage("--locks must be from 1 to 64");
  return {};
}

Result<std::string> Lockset(const TemplateOptions& options) {
  if (options.variables.empty()) {
    if (options.no_sets) return Usage("--no-sets needs --vars: without sets every variable is unfolded");
    return LocksetOfAddresses();
  }
  return options.no_sets ? LocksetWithoutSets(options) : LocksetTemplate(options);
}

}  // namespace

std::string StreamName(std::string_view variable) {
  std::string name(variable);
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

const std::vector<TemplateInfo>& Templates() {
  static const std::vector<TemplateInfo> kTemplates = {
      {"lockset", "variables that no lock protects in all accesses (--vars --threads --no-sets --locks)"},
      {"lock-order", "two locks taken in both orders"},
      {"one-writer", "a variable written by more than one thread (--vars)"},
      {"handover", "a variable that reaches another thread without a lock in between (--vars)"},
      {"typestate", "calls on an object in the wrong order (--init --use --end)"},
      {"response", "a call that is not answered in time (--request --response --within)"},
  };
  return kTemplates;
}

Result<std::string> WriteTemplate(const std::string& name, const TemplateOptions& options) {
  if (Status status = CheckVariables(options.variables); !status) return status.error();
  if (Status status = CheckNumbers(options); !status) return status.error();
  std::vector<std::string> calls = options.uses;
  for (const std::string& call : {options.init, options.end, options.request, options.response}) {
    if (!call.empty()) calls.push_back(call);
  }
  if (Status status = CheckNames(calls, "the name of a call"); !status) return status.error();
  if (name == "lockset") return Lockset(options);
  if (name == "lock-order") return LockOrderTemplate();
  bool per_variable = name == "one-writer" || name == "handover";
  if (per_variable && options.variables.empty()) return Usage(fmt::format("template {} needs --vars", name));
  if (name == "one-writer") return OneWriterTemplate(options);
  if (name == "handover") return HandoverTemplate(options);
  if (name == "typestate") {
    if (options.init.empty() || options.end.empty()) return Usage("template typestate needs --init and --end");
    return TypestateTemplate(options);
  }
  if (name == "response") {
    if (options.request.empty() || options.response.empty() || options.within <= 0) {
      return Usage("template response needs --request, --response and --within");
    }
    return ResponseTemplate(options);
  }
  std::vector<std::string_view> names;
  names.reserve(Templates().size());
  for (const TemplateInfo& info : Templates()) names.push_back(info.name);
  std::string hint = DidYouMean(name, names);
  return Usage(fmt::format("there is no template `{}`{}{}", name, hint.empty() ? "" : ": ", hint));
}

}  // namespace heddle::stream
