// The hardware back end: a program without dynamic data as one Verilog module, and a test bench that replays a trace.
//
// Ports: clk, rst (synchronous), in_valid, in_ready, in_time; in_NAME_v and in_NAME_d for each input; out_valid,
// out_time, fault; out_NAME_v, out_NAME_d, out_NAME_e for each output. All events of one timestamp are given in one
// clock. The module holds in_ready low for a clock in which it makes a step of its own (time 0, a delay that is due),
// and the inputs must be kept. Outputs are registered: they show a step one clock later. out_NAME_e says the event is a
// run-time error (overflow); it is there only when that can happen.
//
// In the fragment: streams of Int, Bool, Unit and String (as a 32-bit symbol that can only be passed on and compared);
// all core operators; functions of arithmetic, comparison, logic and `if`, with division, modulo and shifts by
// constants. With a bound, also Set[Int] as a mask and Map[Int, Int] and Map[Int, Bool] as one register a key; adding
// an element beyond the bound is an error of the event, as an overflow is. Outside: other sets and maps, lists,
// records, floats, Options that are stored, string building, recursive functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/source.h"
#include "stream/core/program.h"
#include "stream/text/event_source.h"

namespace heddle::stream {

struct VerilogOptions {
  std::string module = "monitor";
  int int_width = 64;  // bits of an Int, 8 to 64; results that do not fit are errors
  int bound = 0;       // elements of sets and keys of maps are 0 .. bound-1; 0: no sets and maps
};

// What String values are as symbols; grows as constants and trace values are met.
class Symbols {
 public:
  uint32_t Number(const std::string& text) {
    return numbers_.try_emplace(text, static_cast<uint32_t>(numbers_.size() + 1)).first->second;
  }
  const std::map<std::string, uint32_t>& all() const { return numbers_; }

 private:
  std::map<std::string, uint32_t> numbers_;
};

struct VerilogModule {
  std::string text;
  std::vector<bool> output_may_fail;  // whether out_NAME_e exists
};

// Nothing when the program is outside the fragment; the diagnostics name every node that is, and why.
std::optional<VerilogModule> EmitVerilog(const Program& program, const VerilogOptions& options, Symbols& symbols,
                                         std::vector<Diagnostic>& diagnostics);

// A module `tb_MODULE` that feeds the trace to the monitor and prints what `heddle monitor` would print, each line
// after `prefix`. A run-time error prints `error` and ends it.
Result<std::string> EmitTestBench(const Program& program, const VerilogModule& module, const VerilogOptions& options,
                                  Symbols& symbols, EventSource& source, const std::string& prefix);

// A name that Verilog accepts, unique for the index.
std::string VerilogName(const std::string& name, size_t index);

}  // namespace heddle::stream
