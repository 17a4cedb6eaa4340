#include <fmt/format.h>

#include <iterator>

#include "base/json.h"
#include "trace/convert/tessla.h"
#include "trace/convert/tessla_table.h"

namespace heddle::trace {
namespace {

// A string literal of TeSSLa: as in JSON, and a dollar sign, which begins an interpolation, is escaped.
std::string Literal(std::string_view text) {
  std::string quoted = JsonQuote(text);
  for (size_t at = 0; (at = quoted.find('$', at)) != std::string::npos; at += 2) quoted.insert(at, 1, '\\');
  return quoted;
}

}  // namespace

void TesslaSink::Put(std::string_view stream, std::string_view value) {
  fmt::format_to(std::back_inserter(text_), "{}: {} = {}\n", fields_.time(), stream, value);
}
void TesslaSink::Put(std::string_view stream, const FieldValue& value) {
  switch (value.type) {
    case FieldType::kNone:
      return;
    case FieldType::kInt:
      fmt::format_to(std::back_inserter(text_), "{}: {} = {}\n", fields_.time(), stream, value.number);
      return;
    case FieldType::kBool:
      return Put(stream, value.number != 0 ? "true" : "false");
    case FieldType::kUnit:
      return Put(stream, "()");
    case FieldType::kString:
      return Put(stream, Literal(value.text));
  }
}

void TesslaSink::PutPlace(uint64_t pc) {
  if (pc == 0) return;
  auto [found, added] = places_.try_emplace(pc);
  if (added) {
    Location location = locate_(pc);
    std::string& place = found->second;
    // An imported line number has no code address of its own.
    if (!LocationOfPc(source_->info(), pc)) place += fmt::format("pc = {}\n", pc);
    if (location.line != 0) place += fmt::format("line = {}\n", location.line);
    if (!location.function.empty()) place += fmt::format("function = {}\n", Literal(location.function));
    if (!location.file.empty()) place += fmt::format("file = {}\n", Literal(location.file));
  }
  std::string_view rest = found->second;
  while (!rest.empty()) {
    size_t end = rest.find('\n') + 1;
    fmt::format_to(std::back_inserter(text_), "{}: {}", fields_.time(), rest.substr(0, end));
    rest.remove_prefix(end);
  }
}

Status TesslaSink::Add(const Event& event) {
  if (event.kind == Kind::AtomicHigh) return {};  // the upper half of the atomic before it
  const TesslaRule* rule = fields_.Begin(event);
  if (rule == nullptr) {
    ++left_out_;
    return {};
  }
  text_.clear();
  Put("threadid", FieldValue{FieldType::kInt, fields_.ThreadNumber(event.thread), {}});
  for (const TesslaField& field : rule->fields) Put(field.stream, fields_.Of(event, field.value));
  if (event.kind == Kind::ThreadBegin) {
    std::string storage;
    Put("threadname", Literal(fields_.ThreadName(event.thread, &storage)));
  }
  PutPlace(event.pc);
  return out_->Append(text_);
}

}  // namespace heddle::trace
