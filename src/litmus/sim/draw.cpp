#include "litmus/sim/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/markup.h"
#include "litmus/sim/report.h"

namespace heddle::litmus {
namespace {

struct Arrow {
  int from;
  int to;
  std::string_view name;
  std::string_view colour;
  bool bold;
};

// Whether the arrow is a step of the cycle, or a part of a step within a thread.
bool OnCycle(const Witness& witness, const std::vector<int>& cycle, int a, int b, std::string_view name) {
  auto thread = [&](int e) { return witness.events[static_cast<size_t>(e)].thread; };
  for (size_t i = 0; i < cycle.size(); ++i) {
    int from = cycle[i];
    int to = cycle[(i + 1) % cycle.size()];
    if (from == a && to == b) return true;
    if (name == "po" && thread(from) == thread(a) && thread(to) == thread(a) && from <= a && b <= to) return true;
  }
  return false;
}

// Program order from each event to the next, reads-from, immediate coherence, from-reads to the next write,
// dependencies.
std::vector<Arrow> ArrowsOf(const Drawing& drawing) {
  const Witness& w = *drawing.witness;
  std::vector<Arrow> arrows;
  auto add = [&](int from, int to, std::string_view name, std::string_view colour) {
    for (const Arrow& arrow : arrows) {
      if (arrow.from == from && arrow.to == to && arrow.name == name) return;
    }
    arrows.push_back({from, to, name, colour, OnCycle(w, drawing.cycle, from, to, name)});
  };
  for (size_t e = 1; e < w.events.size(); ++e) {
    if (w.events[e].thread >= 0 && w.events[e].thread == w.events[e - 1].thread) {
      add(static_cast<int>(e) - 1, static_cast<int>(e), "po", "#555555");
    }
  }
  for (const auto& [from, to] : w.rf) add(from, to, "rf", "#c0392b");
  for (const auto& [from, to] : w.co) add(from, to, "co", "#1f5fbf");
  for (const auto& [write, read] : w.rf) {
    for (const auto& [before, after] : w.co) {
      if (before == write && after != read) add(read, after, "fr", "#c77700");
    }
  }
  for (const auto& [from, to] : w.addr) add(from, to, "addr", "#7d3c98");
  for (const auto& [from, to] : w.data) add(from, to, "data", "#7d3c98");
  for (const auto& [from, to] : w.ctrl) add(from, to, "ctrl", "#7d3c98");
  return arrows;
}

// A check of irreflexivity names one event only: the steps that lead from it to itself, as few as there are.
std::vector<int> Steps(const Witness& witness, const std::vector<int>& cycle) {
  if (cycle.size() != 1) return cycle;
  std::vector<Arrow> arrows = ArrowsOf({"", "", &witness, {}});
  std::vector<int> from(witness.events.size(), -1);
  std::vector<int> queue = {cycle[0]};
  for (size_t i = 0; i < queue.size(); ++i) {
    for (const Arrow& arrow : arrows) {
      if (arrow.from != queue[i] || from[static_cast<size_t>(arrow.to)] >= 0) continue;
      from[static_cast<size_t>(arrow.to)] = queue[i];
      queue.push_back(arrow.to);
    }
  }
  std::vector<int> steps;
  int at = from[static_cast<size_t>(cycle[0])];
  if (at < 0) return cycle;
  for (; at != cycle[0]; at = from[static_cast<size_t>(at)]) steps.push_back(at);
  steps.push_back(cycle[0]);
  std::reverse(steps.begin(), steps.end());
  return steps;
}

std::string LabelOf(const Test& test, const Event& event) {
  std::string place = event.cell >= 0 ? test.cells[static_cast<size_t>(event.cell)].name : "";
  if (event.cell < 0) {
    if (event.instr >= 0)
      return test.threads[static_cast<size_t>(event.thread)].code[static_cast<size_t>(event.instr)].text;
    return "fence";
  }
  if (event.reads && event.writes) {
    return fmt::format("RW {}: {} to {}", place, ShowValue(test, event.read_value),
                       ShowValue(test, event.written_value));
  }
  return fmt::format("{} {}={}", event.reads ? "R" : "W", place,
                     ShowValue(test, event.reads ? event.read_value : event.written_value));
}

// The instruction as the test has it, cut when it is long.
std::string Written(const Test& test, const Event& event) {
  if (event.thread < 0 || event.instr < 0) return "";
  std::string text = test.threads[static_cast<size_t>(event.thread)].code[static_cast<size_t>(event.instr)].text;
  constexpr size_t kLongest = 28;
  return text.size() <= kLongest ? text : text.substr(0, kLongest - 3) + "...";
}

// The name of a thread, with its place on a GPU.
std::string ThreadTitle(const Test& test, const Thread& thread) {
  if (!test.has_scope_tree) return thread.name;
  const Scope& scope = thread.scope;
  if (test.arch == Arch::kVulkan) {
    return fmt::format("{} (sg {}, wg {}, qf {})", thread.name, scope.warp, scope.group, scope.queue);
  }
  if (test.arch == Arch::kOpenCl) return fmt::format("{} (wg {}, dev {})", thread.name, scope.group, scope.device);
  return fmt::format("{} (cta {}, gpu {})", thread.name, scope.group, scope.device);
}

std::string Quoted(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

constexpr int kColumn = 260;
constexpr int kRow = 96;
constexpr int kWidth = 170;
constexpr int kHeight = 40;
constexpr double kLeft = 110;  // middle of the first column
constexpr double kTop = 52;

struct Point {
  double x;
  double y;
};

// Where on its curve the name of an arrow stands: arrows between the same two threads cross in the middle.
double LabelPlace(std::string_view name) {
  return name == "rf" ? 0.28 : name == "fr" ? 0.3 : name == "co" ? 0.62 : 0.5;
}

// Initial writes in a row at the top, each thread in a column below it.
std::vector<Point> Layout(const Witness& witness) {
  std::vector<Point> points;
  std::map<int, int> rows;
  int inits = 0;
  for (const Event& event : witness.events) {
    if (event.thread < 0) {
      points.push_back({kLeft + kColumn * inits++, kTop});
    } else {
      points.push_back({kLeft + kColumn * event.thread, kTop + kRow * (1 + rows[event.thread]++)});
    }
  }
  return points;
}

// A white edge keeps text readable over lines.
constexpr std::string_view kHalo = "paint-order=\"stroke\" stroke=\"#fff\" stroke-width=\"4\"";

// A curve from one box to another that keeps away from the boxes between, and its name.
std::pair<std::string, std::string> Path(const Arrow& arrow, const std::vector<Point>& at) {
  Point a = at[static_cast<size_t>(arrow.from)];
  Point b = at[static_cast<size_t>(arrow.to)];
  double dx = b.x - a.x;
  double dy = b.y - a.y;
  double length = std::max(1.0, std::hypot(dx, dy));
  bool straight = arrow.name == "po" && dy > 0;
  // Leaves and enters at the edge of the boxes.
  auto edge = [](Point from, double vx, double vy) {
    double scale = 1 / std::max(std::abs(vx) / (kWidth / 2.0), std::abs(vy) / (kHeight / 2.0));
    return Point{from.x + vx * scale, from.y + vy * scale};
  };
  double bend = straight ? 0 : arrow.name == "fr" ? 34 : arrow.name == "co" ? -40 : -24;
  Point middle{(a.x + b.x) / 2 - dy / length * bend, (a.y + b.y) / 2 + dx / length * bend};
  Point start = edge(a, middle.x - a.x + 0.01, middle.y - a.y + 0.01);
  Point stop = edge(b, middle.x - b.x + 0.01, middle.y - b.y + 0.01);
  double t = LabelPlace(arrow.name);
  auto on_curve = [&](double s, double m, double e) { return (1 - t) * (1 - t) * s + 2 * t * (1 - t) * m + t * t * e; };
  double label_x = on_curve(start.x, middle.x, stop.x) + (straight ? 14 : 0);
  double label_y = on_curve(start.y, middle.y, stop.y) + 4;
  std::string path = fmt::format(
      "<path d=\"M{:.0f},{:.0f} Q{:.0f},{:.0f} {:.0f},{:.0f}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
      "marker-end=\"url(#arrow-{})\"/>\n",
      start.x, start.y, middle.x, middle.y, stop.x, stop.y, arrow.colour, arrow.bold ? 4 : 1.4, arrow.colour.substr(1));
  std::string label = fmt::format(
      "<text x=\"{:.0f}\" y=\"{:.0f}\" fill=\"{}\" font-size=\"12\" font-weight=\"{}\" {} "
      "text-anchor=\"middle\">{}</text>\n",
      label_x, label_y, arrow.colour, arrow.bold ? "bold" : "normal", kHalo, arrow.name);
  return {std::move(path), std::move(label)};
}

std::string Markers() {
  std::string out = "<defs>\n";
  for (std::string_view colour : {"555555", "c0392b", "1f5fbf", "c77700", "7d3c98"}) {
    out += fmt::format(
        "<marker id=\"arrow-{}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"9\" markerHeight=\"9\" "
        "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#{}\"/></marker>\n",
        colour, colour);
  }
  return out + "</defs>\n";
}

std::string Svg(const Test& test, const Drawing& drawing) {
  const Witness& w = *drawing.witness;
  std::vector<Point> points = Layout(w);
  double width = 0;
  double height = 0;
  for (const Point& point : points) {
    width = std::max(width, point.x + kWidth / 2.0 + 60);
    height = std::max(height, point.y + 60);
  }
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" font-family=\"sans-serif\">\n{}",
      width, height, Markers());
  std::string texts = fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"13\" fill=\"#333\">initial values</text>\n",
                                  kLeft - kWidth / 2.0, kTop - kHeight / 2.0 - 8);
  for (size_t t = 0; t < test.threads.size(); ++t) {
    texts += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"13\" font-weight=\"bold\" fill=\"#333\" {}>{}</text>\n",
                         kLeft + kColumn * static_cast<int>(t) - kWidth / 2.0, kTop + kRow - kHeight / 2.0 - 8, kHalo,
                         EscapeMarkup(ThreadTitle(test, test.threads[t])));
  }
  for (const Arrow& arrow : ArrowsOf(drawing)) {
    auto [path, label] = Path(arrow, points);
    out += path;
    texts += label;
  }
  for (size_t e = 0; e < w.events.size(); ++e) {
    bool cycle = std::find(drawing.cycle.begin(), drawing.cycle.end(), static_cast<int>(e)) != drawing.cycle.end();
    out += fmt::format(
        "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"{}\" stroke=\"{}\" "
        "stroke-width=\"{}\"/>\n"
        "<text x=\"{:.0f}\" y=\"{:.0f}\" font-size=\"13\" text-anchor=\"middle\">{}</text>\n"
        "<text x=\"{:.0f}\" y=\"{:.0f}\" font-size=\"11\" fill=\"#666\" text-anchor=\"middle\">{}</text>\n",
        points[e].x - kWidth / 2.0, points[e].y - kHeight / 2.0, kWidth, kHeight, cycle ? "#fdecea" : "#ffffff",
        cycle ? "#c0392b" : "#888888", cycle ? 2.5 : 1, points[e].x,
        points[e].y + (w.events[e].cell >= 0 && w.events[e].thread >= 0 ? -3 : 5),
        EscapeMarkup(LabelOf(test, w.events[e])), points[e].x, points[e].y + 13,
        EscapeMarkup(w.events[e].cell >= 0 ? Written(test, w.events[e]) : ""));
  }
  return out + texts + "</svg>\n";
}

}  // namespace

// What the test asks for comes first: the executions in which its condition holds, or the one that it would need.
std::vector<Drawing> DrawingsOf(const Test& test, const std::string& model, const SimResult& result) {
  std::vector<Drawing> drawings;
  if (result.forbidden && result.positive == 0) {
    std::string check = result.forbidden->check.empty() ? "a check" : "`" + result.forbidden->check + "`";
    drawings.push_back({test.name + ": the condition would need this",
                        fmt::format("forbidden by {} of {}", check, model), &result.forbidden->witness,
                        Steps(result.forbidden->witness, result.forbidden->cycle)});
  }
  for (bool holds : {true, false}) {
    for (const SimState& state : result.states) {
      if (!state.witness || state.holds != holds) continue;
      drawings.push_back(
          {fmt::format("{}: {}{}", test.name, ShowState(test, state), holds ? " (the condition holds)" : ""),
           "",
           state.witness.get(),
           {}});
    }
  }
  return drawings;
}

findings::Finding ViewOf(const Test& test, const Drawing& drawing) {
  findings::Finding view;
  view.message = drawing.title;
  view.why = drawing.note;
  const Witness& w = *drawing.witness;
  view.threads.push_back({"init", "initial values", "", {}});
  for (size_t t = 0; t < test.threads.size(); ++t) {
    std::string title = ThreadTitle(test, test.threads[t]);
    std::string id = fmt::format("P{}", t);
    view.threads.push_back({id, title == id ? "" : title, "", {}});
  }
  auto inits = static_cast<uint32_t>(
      std::count_if(w.events.begin(), w.events.end(), [](const Event& event) { return event.thread < 0; }));
  std::map<int, uint32_t> rows;  // events of a thread so far
  for (size_t e = 0; e < w.events.size(); ++e) {
    const Event& event = w.events[e];
    findings::Step step;
    step.thread = event.thread < 0 ? "init" : fmt::format("P{}", event.thread);
    step.what = event.reads ? "read" : event.writes ? "write" : "fence";
    step.code = LabelOf(test, event);
    if (event.cell >= 0) step.operand = Written(test, event);
    step.row = ++rows[event.thread] + (event.thread < 0 ? 0 : inits);
    bool cycle = std::find(drawing.cycle.begin(), drawing.cycle.end(), static_cast<int>(e)) != drawing.cycle.end();
    step.site = cycle ? 1 : 0;
    view.steps.push_back(std::move(step));
  }
  for (const Arrow& arrow : ArrowsOf(drawing)) {
    if (arrow.name == "po") continue;
    view.order.push_back({static_cast<uint32_t>(arrow.from), static_cast<uint32_t>(arrow.to), std::string(arrow.name)});
  }
  return view;
}

std::string DotText(const Test& test, const std::vector<Drawing>& drawings) {
  std::string out;
  int number = 0;
  for (const Drawing& drawing : drawings) {
    out += fmt::format("digraph g{} {{\n  label=\"{} {}\";\n  node [shape=box];\n", number++, Quoted(drawing.title),
                       Quoted(drawing.note));
    const Witness& w = *drawing.witness;
    for (size_t t = 0; t <= test.threads.size(); ++t) {
      int thread = static_cast<int>(t) - 1;
      out += fmt::format("  subgraph cluster{} {{ label=\"{}\";", t, thread < 0 ? "init" : test.threads[t - 1].name);
      for (size_t e = 0; e < w.events.size(); ++e) {
        if (w.events[e].thread == thread)
          out += fmt::format(" e{} [label=\"{}\"];", e, Quoted(LabelOf(test, w.events[e])));
      }
      out += " }\n";
    }
    for (const Arrow& arrow : ArrowsOf(drawing)) {
      out += fmt::format("  e{} -> e{} [label=\"{}\", color=\"{}\", fontcolor=\"{}\"{}];\n", arrow.from, arrow.to,
                         arrow.name, arrow.colour, arrow.colour, arrow.bold ? ", penwidth=4" : "");
    }
    out += "}\n";
  }
  return out;
}

std::string HtmlBody(const Test& test, const std::vector<Drawing>& drawings) {
  std::string out;
  for (const Drawing& drawing : drawings) {
    out += fmt::format("<h3>{}</h3>\n", EscapeMarkup(drawing.title));
    if (!drawing.note.empty()) out += fmt::format("<p>{}</p>\n", EscapeMarkup(drawing.note));
    out += Svg(test, drawing);
  }
  return out;
}

std::string HtmlPage(const std::string& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Executions</title>\n"
         "<style>body{font-family:sans-serif;background:#fff;color:#111;margin:2em}svg{border:1px solid "
         "#ddd}</style>\n" +
         body + "</html>\n";
}

}  // namespace heddle::litmus
