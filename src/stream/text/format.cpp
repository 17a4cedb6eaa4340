#include "stream/text/format.h"

namespace heddle::stream {
namespace {

class TextFormatter : public OutputFormatter {
 public:
  explicit TextFormatter(const Program& program) : program_(program) {}

  void Event(int64_t time, const OutputEvent& event, std::string& out) override {
    const Output& output = program_.graph.outputs[event.output];
    if (!output.raw) {
      AppendInt(out, time);
      out += ": ";
      out += output.name;
      out += " = ";
    }
    AppendValue(out, event.value, program_.paper && !output.raw ? AppendLiteral : nullptr);
    out += '\n';
  }

 private:
  const Program& program_;
};

// Quoted only where commas, quotes or newlines need it.
void AppendField(std::string& out, const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) {
    out += text;
    return;
  }
  out += '"';
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

class CsvFormatter : public OutputFormatter {
 public:
  explicit CsvFormatter(const Program& program) : fields_(program.graph.outputs.size()), program_(program) {}

  void Event(int64_t time, const OutputEvent& event, std::string& out) override {
    Header(out);
    if (pending_ && time != time_) Row(out);
    time_ = time;
    pending_ = true;
    fields_[event.output].clear();
    AppendField(fields_[event.output], ToText(event.value));
  }

  void Finish(std::string& out) override {
    Header(out);
    if (pending_) Row(out);
  }

 private:
  void Header(std::string& out) {
    if (header_) return;
    header_ = true;
    out += "time";
    for (const Output& output : program_.graph.outputs) {
      out += ',';
      AppendField(out, output.name);
    }
    out += '\n';
  }
  void Row(std::string& out) {
    AppendInt(out, time_);
    for (std::string& field : fields_) {
      out += ',';
      out += field;
      field.clear();
    }
    out += '\n';
    pending_ = false;
  }

  std::vector<std::string> fields_;
  const Program& program_;
  int64_t time_ = 0;
  bool pending_ = false;
  bool header_ = false;
};

class JsonFormatter : public OutputFormatter {
 public:
  explicit JsonFormatter(const Program& program) : program_(program) {}

  void Event(int64_t time, const OutputEvent& event, std::string& out) override {
    JsonWriter json(JsonWriter::Style::kCompact);
    json.BeginObject()
        .Key("time")
        .Int(time)
        .Key("stream")
        .String(program_.graph.outputs[event.output].name)
        .Key("value");
    WriteJson(json, event.value);
    json.EndObject();
    out += json.text();
    out += '\n';
  }

 private:
  const Program& program_;
};

void WriteTree(JsonWriter& json, const Value& value) {
  json.BeginArray();
  ForEachNode(value.tree(), [&](TreeNode* node) {
    if (value.tag() != Tag::kMap) return WriteJson(json, node->key);
    json.BeginArray();
    WriteJson(json, node->key);
    WriteJson(json, node->value);
    json.EndArray();
  });
  json.EndArray();
}

void WriteRecord(JsonWriter& json, ArrayCell* cell) {
  bool tuple = cell->shape == nullptr || cell->shape->tuple;
  if (tuple) {
    json.BeginArray();
  } else {
    json.BeginObject();
  }
  for (uint32_t i = 0; i < cell->count; ++i) {
    if (!tuple) json.Key(cell->shape->names[i]);
    WriteJson(json, cell->items()[i]);
  }
  if (tuple) {
    json.EndArray();
  } else {
    json.EndObject();
  }
}

}  // namespace

void AppendLiteral(std::string& out, std::string_view text) { out += JsonQuote(text); }

std::string LiteralText(const Value& value) { return ToText(value, AppendLiteral); }

void WriteJson(JsonWriter& json, const Value& value) {
  switch (value.tag()) {
    case Tag::kInt:
      json.Int(value.integer());
      break;
    case Tag::kBool:
      json.Bool(value.boolean());
      break;
    case Tag::kFloat:
      json.Double(value.real());
      break;
    case Tag::kUnit:
      json.BeginArray().EndArray();
      break;
    case Tag::kNone:
      json.Null();
      break;
    case Tag::kError:
    case Tag::kString:
      json.String(value.text());
      break;
    case Tag::kSome:
      WriteJson(json, value.array()->items()[0]);
      break;
    case Tag::kRecord:
      WriteRecord(json, value.array());
      break;
    case Tag::kSet:
    case Tag::kMap:
    case Tag::kList:
      WriteTree(json, value);
      break;
  }
}

std::unique_ptr<OutputFormatter> MakeFormatter(OutputFormat format, const Program& program) {
  switch (format) {
    case OutputFormat::kCsv:
      return std::make_unique<CsvFormatter>(program);
    case OutputFormat::kJsonLines:
      return std::make_unique<JsonFormatter>(program);
    case OutputFormat::kText:
      break;
  }
  return std::make_unique<TextFormatter>(program);
}

}  // namespace heddle::stream
