#include "litmus/sim/parts.h"

namespace heddle::litmus {
namespace {

int CellAround(const Test& test, int64_t address) {
  for (size_t i = 0; i < test.cells.size(); ++i) {
    const Cell& cell = test.cells[i];
    if (address > cell.address && address < cell.address + cell.size) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

int64_t Masked(int64_t value, int size) {
  if (size >= 8) return value;
  return static_cast<int64_t>(static_cast<uint64_t>(value) & ((uint64_t{1} << (8 * size)) - 1));
}

Place FindParts(const Test& test, int64_t address, int width, int element, Access& access, Boundary& boundary) {
  int cell = test.CellAt(address);
  if (cell < 0) {
    cell = CellAround(test, address);
    if (cell < 0) return Place::kNone;
    boundary = {cell, address};
    return Place::kDivide;
  }
  int64_t end = address + width;
  int64_t at = address;
  size_t before = access.count;
  for (auto next = static_cast<size_t>(cell); at < end && next < test.cells.size(); ++next) {
    const Cell& here = test.cells[next];
    if (here.address != at) break;  // the location ends here
    if (at + here.size > end) {
      boundary = {static_cast<int>(next), end};
      return Place::kDivide;
    }
    if (access.count == Access::kMost) return Place::kMisaligned;
    access.parts[access.count++] = {static_cast<int>(next), element, static_cast<int>(8 * (at - address))};
    at += here.size;
  }
  bool whole = access.count == before + 1 && !test.cells[static_cast<size_t>(cell)].part;
  access.whole = access.whole && whole;
  return whole || address % width == 0 ? Place::kFound : Place::kMisaligned;
}

void Divide(Test& test, const Boundary& boundary) {
  auto index = static_cast<size_t>(boundary.cell);
  auto keep = static_cast<int>(boundary.address - test.cells[index].address);
  Cell upper = test.cells[index];
  Cell& lower = test.cells[index];
  std::string base = lower.name.substr(0, lower.name.find('+'));
  int64_t start = test.cells[static_cast<size_t>(test.FindCell(base))].address;
  upper.name = base + "+" + std::to_string(boundary.address - start);
  upper.address = boundary.address;
  upper.size = lower.size - keep;
  upper.init = Masked(static_cast<int64_t>(static_cast<uint64_t>(lower.init) >> (8 * keep)), upper.size);
  lower.size = keep;
  lower.init = Masked(lower.init, keep);
  upper.part = lower.part = true;
  test.cells.insert(test.cells.begin() + boundary.cell + 1, upper);
  for (size_t i = 0; i < test.cells.size(); ++i) test.cells[i].physical = static_cast<int>(i);
  for (Observed& observed : test.observed) {
    if (observed.thread >= 0) continue;
    if (observed.index > boundary.cell) {
      ++observed.index;
    } else if (observed.index + observed.parts > boundary.cell) {
      ++observed.parts;
    }
  }
}

int64_t PartOf(const Test& test, const Access& access, const Part& part, int64_t value) {
  if (access.whole) return value;
  return Masked(static_cast<int64_t>(static_cast<uint64_t>(value) >> part.shift),
                test.cells[static_cast<size_t>(part.cell)].size);
}

int64_t Combined(const Test& test, const Access& access, int element,
                 const std::array<int64_t, Access::kMost>& values) {
  uint64_t value = 0;
  for (size_t i = 0; i < access.count; ++i) {
    const Part& part = access.parts[i];
    if (part.element != element) continue;
    if (access.whole) return values[i];
    int64_t bits = Masked(values[i], test.cells[static_cast<size_t>(part.cell)].size);
    value |= static_cast<uint64_t>(bits) << part.shift;
  }
  return static_cast<int64_t>(value);
}

}  // namespace heddle::litmus
