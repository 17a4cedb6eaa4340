// Specifications that heddle writes: from names and numbers to TeSSLa text, ready to run, read and change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace heddle::stream {

struct TemplateOptions {
  std::vector<std::string> variables;
  int threads = 2;  // all threads, main included
  int locks = 1;    // only without sets
  bool no_sets = false;
  std::string init;  // typestate: the call that makes an object usable
  std::vector<std::string> uses;
  std::string end;      // typestate: the call after which it is not
  std::string request;  // response
  std::string response;
  int64_t within = 0;  // response: time units
};

struct TemplateInfo {
  std::string_view name;
  std::string_view summary;
};
const std::vector<TemplateInfo>& Templates();

// The text of a template. Errors say which option is missing or wrong.
Result<std::string> WriteTemplate(const std::string& name, const TemplateOptions& options);

// A variable as part of the name of a stream: `ns::x` is `ns__x`.
std::string StreamName(std::string_view variable);

// The parts, one for each family (templates_lockset.cpp, templates_protocol.cpp).
std::string LocksetTemplate(const TemplateOptions& options);
std::string LocksetWithoutSets(const TemplateOptions& options);
std::string LocksetOfAddresses();
std::string LockOrderTemplate();
std::string OneWriterTemplate(const TemplateOptions& options);
std::string HandoverTemplate(const TemplateOptions& options);
std::string TypestateTemplate(const TemplateOptions& options);
std::string ResponseTemplate(const TemplateOptions& options);

}  // namespace heddle::stream
