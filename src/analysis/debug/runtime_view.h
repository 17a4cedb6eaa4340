// The runtime in a stopped program, read through wire/debug_view.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/debug/inferior.h"
#include "wire/debug_view.h"

namespace heddle::analysis {

struct LogicalThread {
  uint64_t address = 0;
  uint32_t number = 0;
  std::string name;      // T0, T2.1
  bool running = false;  // its registers are those of the OS thread
};

class RuntimeView {
 public:
  // Nothing when the program is not one of heddle's.
  static std::optional<RuntimeView> Find(const Inferior& program);

  uint64_t Steps(const Inferior& program) const;
  // A trap (Stop::Kind::kMarker) when so many steps have been performed. 0: none.
  void StopAt(Inferior& program, uint64_t steps) const;
  std::vector<LogicalThread> Threads(const Inferior& program) const;
  // Of a thread that may not run: as it left the OS thread.
  Registers RegistersOf(const Inferior& program, const LogicalThread& thread) const;

  // Where the thread that shows a finding comes to; 0 when the runtime has no such function.
  uint64_t at_finding() const { return at_finding_; }

 private:
  uint64_t address_ = 0;
  uint64_t at_finding_ = 0;
  wire::DebugView view_{};
};

// The address of a function or variable that the file exports, from its beginning; 0 when it has none.
uint64_t ExportedSymbol(const std::string& file, std::string_view name);

}  // namespace heddle::analysis
