#include "findings/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "findings/report_json.h"

namespace heddle::findings {
namespace {

constexpr std::string_view kMark = "HEDDLE_DATA";
constexpr uint32_t kBefore = 14;  // lines around a step
constexpr uint32_t kBehind = 10;
constexpr size_t kMostColumns = 400;
constexpr size_t kMostFile = size_t{8} << 20U;
constexpr size_t kMostSource = size_t{8} << 20U;  // of all excerpts together

using LineSets = std::map<std::string, std::set<uint32_t>>;

LineSets LinesOf(const Report& report) {
  LineSets lines;
  for (const Finding& finding : report.findings) {
    for (const Step& step : finding.steps) {
      const Frame* frame = UserFrame(step.stack);
      if (frame != nullptr && !frame->file.empty() && frame->line > 0) lines[frame->file].insert(frame->line);
    }
  }
  return lines;
}

// Where to read a file: its own name, or for a bare name the only file of the report that is called so.
std::string PathOf(const std::string& name, const LineSets& known) {
  if (name.find('/') != std::string::npos) return name;
  std::string found;
  for (const auto& [other, lines] : known) {
    if (other == name || Basename(other) != name) continue;
    if (!found.empty()) return name;
    found = other;
  }
  return found.empty() ? name : found;
}

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<Excerpt> Around(const std::vector<std::string_view>& all, const std::set<uint32_t>& wanted, size_t& used) {
  std::vector<Excerpt> excerpts;
  for (uint32_t line : wanted) {
    if (line > all.size() || used > kMostSource) continue;
    uint32_t first = line > kBefore ? line - kBefore : 1;
    auto last = static_cast<uint32_t>(std::min<size_t>(all.size(), size_t{line} + kBehind));
    bool joins = !excerpts.empty() && first <= excerpts.back().first + excerpts.back().lines.size();
    if (joins) {
      first = excerpts.back().first + static_cast<uint32_t>(excerpts.back().lines.size());
    } else {
      excerpts.push_back({first, {}});
    }
    for (uint32_t number = first; number <= last; ++number) {
      std::string_view text = all[number - 1].substr(0, kMostColumns);
      excerpts.back().lines.emplace_back(text);
      used += text.size();
    }
  }
  return excerpts;
}

// Characters outside ASCII that change how the text around them is shown, by their UTF-8 bytes: the ends of lines
// U+2028 and U+2029, and what marks the direction of text.
bool TurnsText(std::string_view at) {
  constexpr std::array<std::string_view, 3> kPrefixes = {"\xE2\x80", "\xE2\x81", "\xD8\x9C"};
  if (at.starts_with(kPrefixes[2])) return true;
  if (at.size() < 3) return false;
  auto last = static_cast<unsigned char>(at[2]);
  if (at.starts_with(kPrefixes[0])) return last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE);
  return at.starts_with(kPrefixes[1]) && last >= 0xA6 && last <= 0xA9;
}

unsigned CodePoint(std::string_view at) {
  auto byte = [&](size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(at[i])); };
  if (at[0] == '\xD8') return (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU);
  return (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
}

void WriteExcerpts(JsonWriter& json, const Excerpts& sources) {
  json.BeginObject();
  for (const auto& [file, excerpts] : sources) {
    json.Key(file).BeginArray();
    for (const Excerpt& excerpt : excerpts) {
      json.BeginObject().Key("first").Uint(excerpt.first).Key("lines").BeginArray();
      for (const std::string& line : excerpt.lines) json.String(line);
      json.EndArray().EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
}

std::string ViewsJson(const PageExtras& extras) {
  JsonWriter labels(JsonWriter::Style::kCompact);
  labels.BeginArray();
  for (const ViewLabel& label : extras.labels) {
    labels.BeginObject().Key("kind").String(label.kind).Key("status").String(label.status).EndObject();
  }
  labels.EndArray();
  // The findings of the views' report, under the names that its schema gives them.
  std::string report = ReportJson(extras.views, JsonWriter::Style::kCompact);
  return fmt::format(R"({{"labels":{},{})", labels.text(), std::string_view(report).substr(report.find('{') + 1));
}

std::string StreamsJson(const std::vector<StreamView>& streams) {
  JsonWriter json(JsonWriter::Style::kCompact);
  json.BeginArray();
  for (const StreamView& stream : streams) {
    json.BeginObject().Key("name").String(stream.name).Key("style").String(stream.style);
    json.Key("finding").Bool(stream.finding).Key("left_out").Uint(stream.left_out).Key("points").BeginArray();
    for (const StreamView::Point& point : stream.points) {
      json.BeginArray().Int(point.time).String(point.text).Double(point.number).EndArray();
    }
    json.EndArray().EndObject();
  }
  json.EndArray();
  return json.Take();
}

}  // namespace

Excerpts SourceExcerpts(const Report& report) {
  Excerpts sources;
  size_t used = 0;
  LineSets wanted = LinesOf(report);
  for (const auto& [file, lines] : wanted) {
    Result<std::string> text = ReadFile(PathOf(file, wanted));
    if (!text || text->size() > kMostFile) continue;
    std::vector<Excerpt> excerpts = Around(SplitLines(*text), lines, used);
    if (!excerpts.empty()) sources[file] = std::move(excerpts);
  }
  return sources;
}

std::string ScriptSafe(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 16);
  for (size_t i = 0; i < json.size(); ++i) {
    char c = json[i];
    bool markup = c == '<' || c == '>' || c == '&' || c == '\x7F';
    bool turns = (c == '\xE2' || c == '\xD8') && TurnsText(json.substr(i));
    if (markup) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else if (turns) {
      out += fmt::format("\\u{:04x}", CodePoint(json.substr(i)));
      i += c == '\xD8' ? 1 : 2;
    } else {
      out += c;
    }
  }
  return out;
}

std::string ReportHtml(std::string_view page, const Report& report, const Excerpts& sources, bool baseline,
                       const PageExtras& extras) {
  size_t mark = page.find(kMark);
  if (mark == std::string_view::npos) return {};
  JsonWriter json(JsonWriter::Style::kCompact);
  WriteExcerpts(json, sources);
  std::string data = fmt::format(R"({{"report":{},"sources":{},"baseline":{},"heading":{},"views":{},"streams":{}}})",
                                 ReportJson(report, JsonWriter::Style::kCompact), json.text(), baseline,
                                 JsonQuote(extras.heading), ViewsJson(extras), StreamsJson(extras.streams));
  std::string out(page.substr(0, mark));
  out += ScriptSafe(data);
  out += page.substr(mark + kMark.size());
  return out;
}

}  // namespace heddle::findings
