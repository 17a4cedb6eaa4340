// What one line of machine code does to memory, and which registers point to which cells while lines are read.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "litmus/run/target.h"

namespace heddle::litmus {

enum class AccessKind { kLoad, kStore, kRmw, kFence };

struct Access {
  AccessKind kind = AccessKind::kLoad;
  int cell = -1;  // -1: a fence, or not known
  bool operator==(const Access& other) const = default;
};

// The number of a mark (target.h) when the line is one.
std::optional<int> MarkOf(Machine machine, std::string_view line);

class LineReader {
 public:
  explicit LineReader(Machine machine) : machine_(machine) {}
  // Takes in a line; what it does, when it is an access or a fence.
  std::optional<Access> Line(const std::string& line);

 private:
  std::optional<Access> X86(const std::string& mnemonic, const std::vector<std::string>& operands);
  std::optional<Access> Risc(const std::string& mnemonic, const std::vector<std::string>& operands);
  bool CellMark(const std::string& mnemonic, const std::vector<std::string>& operands);
  void Written(const std::string& mnemonic, const std::vector<std::string>& operands);
  int CellAt(const std::string& operand) const;

  Machine machine_;
  bool locked_ = false;
  std::map<std::string, int> pointers_;  // registers that hold the address of a cell
};

}  // namespace heddle::litmus
