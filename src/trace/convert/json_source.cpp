#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/near.h"
#include "trace/convert/json_lines.h"

namespace heddle::trace {
namespace {

using nlohmann::json;

bool ParseHex(const std::string& text, uint64_t* value) {
  if (text.size() < 3 || text[0] != '0' || text[1] != 'x') return false;
  const char* end = text.data() + text.size();
  auto [stop, failure] = std::from_chars(text.data() + 2, end, *value, 16);
  return failure == std::errc() && stop == end;
}

std::string KindHint(const std::string& name) {
  std::vector<std::string_view> names;
  for (int kind = 1; kind < kKinds; ++kind) names.push_back(KindName(static_cast<Kind>(kind)));
  return DidYouMean(name, names);
}

}  // namespace

// Fields are taken one by one; what nobody took at the end is a misspelling.
struct JsonLinesSource::Fields {
  json object;
  std::string wrong;  // what is wrong with the line; empty: nothing
  std::string help;

  bool Has(const char* name) const { return object.contains(name); }
  uint64_t Number(const char* name, uint64_t limit = UINT64_MAX) {
    auto found = object.find(name);
    if (found == object.end()) return 0;
    uint64_t value = 0;
    bool good = found->is_number_unsigned() || (found->is_string() && ParseHex(found->get_ref<std::string&>(), &value));
    if (found->is_number_unsigned()) value = found->get<uint64_t>();
    if (!good || value > limit) wrong = fmt::format("`{}` must be a number from 0 to {:#x}", name, limit);
    object.erase(found);
    return value;
  }
  std::string Text(const char* name) {
    auto found = object.find(name);
    if (found == object.end()) return "";
    std::string text;
    if (found->is_string()) {
      text = found->get<std::string>();
    } else {
      wrong = fmt::format("`{}` must be a string", name);
    }
    object.erase(found);
    return text;
  }
  void CheckRest() {
    if (wrong.empty() && !object.empty()) wrong = fmt::format("unknown field `{}`", object.begin().key());
  }
};

void JsonLinesSource::Wrong(std::string_view line, size_t begin, size_t end, const std::string& message,
                            const std::string& help) {
  status_ = input_->ErrorAt(line, begin, end, message, help);
}

bool JsonLinesSource::Next(Event* event) {
  std::string_view line;
  while (status_ && input_->Next(&line)) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (ParseLine(line, event)) return true;
  }
  if (status_) status_ = input_->status();
  if (status_ && !header_seen_) {
    status_ = MakeError(ErrorCode::kBadInput, input_->name() + ": empty: no line with \"heddle\":\"trace/1\"");
  }
  return false;
}

// True when the line was an event.
bool JsonLinesSource::ParseLine(std::string_view line, Event* event) {
  Fields fields;
  try {
    fields.object = json::parse(line);
  } catch (const json::parse_error& error) {
    size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, line.size());
    Wrong(line, at, at + 1, "this is not JSON");
    return false;
  } catch (const json::exception& error) {
    Wrong(line, 0, line.size(), error.what());
    return false;
  }
  bool is_event = false;
  if (!fields.object.is_object()) {
    fields.wrong = "expected a JSON object";
    fields.object = json::object();
  } else if (!header_seen_ && !fields.Has("heddle")) {
    fields.wrong = "the first line must have \"heddle\":\"trace/1\"";
  } else if (fields.Has("event")) {
    is_event = ParseEvent(fields, event);
  } else if (fields.Has("heddle")) {
    ParseHeader(fields);
  } else if (fields.Has("module")) {
    ParseModule(fields);
  } else if (fields.Has("thread")) {
    ParseThread(fields);
  } else if (fields.Has("string")) {
    uint64_t id = fields.Number("string");
    info_.strings[id] = fields.Text("text");
  } else if (fields.Has("symbol")) {
    uint64_t address = fields.Number("symbol");
    info_.symbols[address] = fields.Text("name");
  } else if (fields.Has("frame")) {
    ParseFrame(fields);
  }
  fields.CheckRest();
  if (fields.wrong.empty()) return is_event;
  Wrong(line, 0, line.size(), fields.wrong, fields.help);
  return false;
}

void JsonLinesSource::ParseHeader(Fields& fields) {
  std::string version = fields.Text("heddle");
  if (version != "trace/1") fields.wrong = fmt::format("`{}` is not a format that this heddle reads: trace/1", version);
  header_seen_ = true;
  info_.flags = fields.Number("flags");
  info_.pid = static_cast<uint32_t>(fields.Number("pid", UINT32_MAX));
  info_.start_realtime_ns = fields.Number("start_ns");
  info_.command = fields.Text("command");
}

void JsonLinesSource::ParseModule(Fields& fields) {
  Module module;
  module.path = fields.Text("module");
  module.base = fields.Number("base");
  module.begin = fields.Number("begin");
  module.end = fields.Number("end");
  module.build_id = fields.Text("build_id");
  info_.modules.push_back(std::move(module));
}

void JsonLinesSource::ParseThread(Fields& fields) {
  auto number = static_cast<uint32_t>(fields.Number("thread", UINT32_MAX));
  ThreadInfo& thread = info_.threads[number];
  thread.id = fields.Text("id");
  thread.name = fields.Text("name");
  thread.start_pc = fields.Number("start_pc");
}

void JsonLinesSource::ParseFrame(Fields& fields) {
  uint64_t frame = fields.Number("frame");
  uint64_t parent = fields.Number("parent");
  uint64_t pc = fields.Number("pc");
  auto known = frames_.find(parent);
  if (parent != 0 && known == frames_.end()) {
    fields.wrong = fmt::format("frame {} has not been described before", parent);
    return;
  }
  frames_[frame] = stacks_.Add(parent == 0 ? 0 : known->second, pc);
}

bool JsonLinesSource::ParseEvent(Fields& fields, Event* event) {
  *event = Event{};
  std::string name = fields.Text("event");
  event->kind = KindFromName(name);
  if (event->kind == Kind::None) {
    fields.wrong = fmt::format("unknown event `{}`", name);
    fields.help = KindHint(name);
    return false;
  }
  event->thread = static_cast<uint32_t>(fields.Number("thread", UINT32_MAX));
  event->sequence = fields.Number("seq");
  event->address = fields.Number("address");
  event->pc = fields.Number("pc");
  event->detail = static_cast<uint8_t>(fields.Number("detail", UINT8_MAX));
  event->result = static_cast<uint8_t>(fields.Number("result", UINT8_MAX));
  event->order = static_cast<uint8_t>(fields.Number("order", UINT8_MAX));
  event->arg = fields.Number("arg");
  event->arg2 = fields.Number("arg2");
  event->arg3 = fields.Number("arg3");
  uint64_t stack = fields.Number("stack");
  auto known = frames_.find(stack);
  if (stack != 0 && known == frames_.end()) fields.wrong = fmt::format("frame {} has not been described before", stack);
  event->stack = stack == 0 || known == frames_.end() ? 0 : known->second;
  return true;
}

}  // namespace heddle::trace
