#include "findings/witness_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "findings/width.h"

namespace heddle::findings {
namespace {

constexpr size_t kTextGap = 4;    // between what a step does and where
constexpr size_t kColumnGap = 5;  // between two threads; holds the mark of unordered steps
constexpr size_t kMargin = 6;     // row number and two spaces
constexpr size_t kMaxStepText = 40;

struct Cell {
  std::string text;
  std::string place;
};

struct Table {
  std::vector<std::string> threads;                 // column order
  std::map<uint32_t, std::map<size_t, Cell>> rows;  // row number -> column -> cell
  size_t text_width = 0;
  size_t cell_width = 0;
};

std::string PlaceOf(const Step& step) {
  const Frame* frame = UserFrame(step.stack);
  return frame == nullptr ? std::string() : Printable(ShortPlace(*frame));
}

Table MakeTable(const Finding& finding) {
  Table table;
  table.threads = ThreadsWithSteps(finding, true);
  size_t place_width = 0;
  for (const Step& step : finding.steps) {
    if (step.row == 0) continue;
    auto column =
        static_cast<size_t>(std::find(table.threads.begin(), table.threads.end(), step.thread) - table.threads.begin());
    Cell cell{CutTo(Printable(StepText(step)), kMaxStepText), PlaceOf(step)};
    table.text_width = std::max(table.text_width, DisplayWidth(cell.text));
    place_width = std::max(place_width, DisplayWidth(cell.place));
    table.rows[step.row][column] = std::move(cell);
  }
  table.cell_width = table.text_width + kTextGap + place_width;
  for (const std::string& id : table.threads) table.cell_width = std::max(table.cell_width, DisplayWidth(id));
  return table;
}

std::string CellText(const Table& table, const Cell& cell) {
  return PadTo(cell.text, table.text_width + kTextGap) + cell.place;
}

void TrimRight(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

std::string RowText(const Table& table, uint32_t number, const std::map<size_t, Cell>& cells) {
  std::string line = fmt::format("{:>4}  ", number);
  size_t last = cells.rbegin()->first;
  for (size_t column = 0; column <= last; ++column) {
    auto cell = cells.find(column);
    line += PadTo(cell == cells.end() ? "" : CellText(table, cell->second), table.cell_width);
    bool unordered = column < last && column >= cells.begin()->first;
    if (column < last) line += unordered ? "  ‖  " : std::string(kColumnGap, ' ');
  }
  TrimRight(line);
  return line + "\n";
}

std::string HeaderText(const Table& table) {
  std::string line(kMargin, ' ');
  for (const std::string& id : table.threads) line += PadTo(Printable(id), table.cell_width + kColumnGap);
  TrimRight(line);
  return line + "\n";
}

// For a narrow screen or many threads: "   4  T1  x = 0    hb.c:4".
std::string ListRow(const Table& table, uint32_t number, const std::map<size_t, Cell>& cells, size_t id_width) {
  std::string out;
  bool first = true;
  for (const auto& [column, cell] : cells) {
    std::string line = first ? fmt::format("{:>4}  ", number) : "   ‖  ";
    line += PadTo(Printable(table.threads[column]), id_width + 2) + CellText(table, cell);
    TrimRight(line);
    out += line + "\n";
    first = false;
  }
  return out;
}

}  // namespace

std::string WitnessText(const Finding& finding, const TextOptions& options) {
  Table table = MakeTable(finding);
  if (table.rows.empty()) return {};
  size_t total = kMargin + table.threads.size() * (table.cell_width + kColumnGap) - kColumnGap;
  bool columns = total <= options.width;
  size_t id_width = 0;
  for (const std::string& id : table.threads) id_width = std::max(id_width, DisplayWidth(id));
  std::string out = columns ? HeaderText(table) : "";
  auto row = table.rows.begin();
  if (!options.verbose && table.rows.size() > options.max_rows) {
    size_t skipped = table.rows.size() - options.max_rows;
    std::advance(row, static_cast<std::ptrdiff_t>(skipped));
    out += fmt::format("   …  {} earlier step{}\n", skipped, skipped == 1 ? "" : "s");
  }
  for (; row != table.rows.end(); ++row) {
    out += columns ? RowText(table, row->first, row->second) : ListRow(table, row->first, row->second, id_width);
  }
  return out;
}

}  // namespace heddle::findings
