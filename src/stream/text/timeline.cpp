#include "stream/text/timeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/markup.h"
#include "stream/text/format.h"

namespace heddle::stream {
namespace {

constexpr double kWidth = 1000;
constexpr double kHeight = 46;

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>
body { font: 14px system-ui, sans-serif; margin: 1.5em; color: #222; background: #fff; }
.row { display: flex; border-top: 1px solid #ddd; align-items: center; }
.name { flex: 0 0 16em; overflow-wrap: anywhere; padding-right: 1em; font-family: ui-monospace, monospace; }
.scroll { flex: 1; overflow: hidden; } svg { display: block; width: 100%; height: 46px; }
.finding .name { color: #a30000; font-weight: 600; } .finding circle { fill: #a30000; }
circle { fill: #1f5fa8; } polyline { fill: none; stroke: #1f5fa8; stroke-width: 1.5; vector-effect: non-scaling-stroke; }
rect.on { fill: #7fb37f; } text { font-size: 11px; fill: #555; } small { color: #666; }
@media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #ddd; } .row { border-color: #444; } text { fill: #aaa; } }
</style>
)";

// Zoom with the wheel, move with the pointer; all drawings share one window of time.
constexpr const char* kScript = R"(<script>
const all = [...document.querySelectorAll('svg')]; let a = 0, w = 1000;
const show = () => all.forEach(s => s.setAttribute('viewBox', `${a} 0 ${w} 46`));
document.addEventListener('wheel', e => { const s = e.target.closest('svg'); if (!s) return; e.preventDefault();
  const r = s.getBoundingClientRect(), f = (e.clientX - r.left) / r.width, n = Math.min(1000, Math.max(0.01, w * (e.deltaY < 0 ? 0.8 : 1.25)));
  a += (w - n) * f; w = n; a = Math.max(0, Math.min(1000 - w, a)); show(); }, { passive: false });
document.addEventListener('pointermove', e => { if (!(e.buttons & 1)) return; const s = e.target.closest('svg'); if (!s) return;
  a = Math.max(0, Math.min(1000 - w, a - e.movementX * w / s.getBoundingClientRect().width)); show(); });
</script></body></html>
)";

}  // namespace

Timeline::Timeline(const Program& program) {
  for (const Output& output : program.graph.outputs) {
    Row row;
    row.name = output.name;
    row.finding = !output.finding.empty();
    TypeKind kind = Resolve(program.graph.nodes[output.node].type)->kind;
    if (kind == TypeKind::kBool || output.style == "Bool") row.style = Style::kBool;
    if (kind == TypeKind::kInt || kind == TypeKind::kFloat) row.style = Style::kGraph;
    if (output.style == "Dots" || output.style == "Events") row.style = Style::kDots;
    rows_.push_back(std::move(row));
  }
}

void Timeline::Event(int64_t time, const OutputEvent& event) {
  Row& row = rows_[event.output];
  if (!any_) first_ = time;
  any_ = true;
  last_ = time;
  if (row.points.size() >= kMaxEvents) {
    ++row.left_out;
    return;
  }
  double number = 0;
  if (event.value.tag() == Tag::kInt || event.value.tag() == Tag::kBool)
    number = static_cast<double>(event.value.integer());
  if (event.value.tag() == Tag::kFloat) number = event.value.real();
  row.points.push_back({time, number, LiteralText(event.value)});
}

double Timeline::X(int64_t time) const {
  if (last_ == first_) return kWidth / 2;
  double whole = static_cast<double>(last_) - static_cast<double>(first_);
  return 8 + (kWidth - 16) * (static_cast<double>(time) - static_cast<double>(first_)) / whole;
}

void Timeline::DrawRow(const Row& row, std::string& out) const {
  out += fmt::format(
      "<div class=\"row{}\"><div class=\"name\">{}<br><small>{} event{}{}</small></div><div class=\"scroll\">",
      row.finding ? " finding" : "", EscapeMarkup(row.name), row.points.size() + row.left_out,
      row.points.size() + row.left_out == 1 ? "" : "s",
      row.left_out > 0 ? fmt::format(", {} not drawn", row.left_out) : "");
  out += "<svg viewBox=\"0 0 1000 46\" preserveAspectRatio=\"none\">";
  double low = 0;
  double high = 1;
  if (!row.points.empty()) {
    auto less = [](const Point& a, const Point& b) { return a.number < b.number; };
    auto [least, most] = std::minmax_element(row.points.begin(), row.points.end(), less);
    low = least->number;
    high = most->number > low ? most->number : low + 1;
  }
  auto y = [&](const Point& p) {
    return row.style == Style::kDots ? kHeight / 2 : kHeight - 6 - (kHeight - 12) * (p.number - low) / (high - low);
  };
  std::string line;
  for (size_t i = 0; i < row.points.size(); ++i) {
    const Point& p = row.points[i];
    double end = i + 1 < row.points.size() ? X(row.points[i + 1].time) : X(last_);
    if (row.style == Style::kBool && p.number != 0) {
      out += fmt::format("<rect class=\"on\" x=\"{:.3f}\" y=\"8\" width=\"{:.3f}\" height=\"30\"/>", X(p.time),
                         end - X(p.time));
    }
    if (row.style == Style::kGraph) line += fmt::format("{:.3f},{:.2f} {:.3f},{:.2f} ", X(p.time), y(p), end, y(p));
  }
  if (!line.empty()) out += fmt::format("<polyline points=\"{}\"/>", line);
  for (const Point& p : row.points) {
    out += fmt::format("<circle cx=\"{:.3f}\" cy=\"{:.2f}\" r=\"3\"><title>{}: {}</title></circle>", X(p.time),
                       row.style == Style::kBool ? kHeight / 2 : y(p), p.time, EscapeMarkup(p.text));
  }
  out += "</svg></div></div>\n";
}

void Timeline::DrawAxis(std::string& out) const {
  out +=
      "<div class=\"row\"><div class=\"name\"><small>time</small></div><div class=\"scroll\">"
      "<svg viewBox=\"0 0 1000 46\" preserveAspectRatio=\"none\">";
  for (int i = 0; i <= 4; ++i) {
    auto time = static_cast<int64_t>(static_cast<double>(first_) +
                                     (static_cast<double>(last_) - static_cast<double>(first_)) * i / 4);
    const char* anchor = i == 0 ? "start" : (i == 4 ? "end" : "middle");
    out += fmt::format("<text x=\"{:.1f}\" y=\"20\" text-anchor=\"{}\">{}</text>", X(time), anchor, time);
    if (first_ == last_) break;
  }
  out += "</svg></div></div>\n";
}

std::string Timeline::Html(const std::string& title) const {
  std::string out = kHead;
  out += fmt::format("<title>{0}</title></head><body>\n<h1>{0}</h1>\n", EscapeMarkup(title));
  out += "<p>Point at an event for its time and value. The wheel zooms, dragging moves.</p>\n";
  if (!any_) out += "<p>No output stream has an event.</p>\n";
  for (const Row& row : rows_) DrawRow(row, out);
  if (any_) DrawAxis(out);
  return out + kScript;
}

}  // namespace heddle::stream
