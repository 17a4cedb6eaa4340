// Internal: writes the instructions of one thread of a generated test.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "litmus/gen/cycle.h"

namespace heddle::litmus {

struct ThreadText {
  std::vector<std::string> lines;
  std::vector<std::pair<std::string, std::string>> init;      // registers and values
  std::vector<std::pair<std::string, std::string>> observed;  // registers and expected values
  std::vector<std::string> declared;                          // registers without a value, for GPU_PTX
};

// Accesses come in program order; Between is called for the edge to the next one. Each returns false when the language
// cannot say it. A dependency is from the last read.
class ThreadWriter {
 public:
  virtual ~ThreadWriter() = default;
  virtual bool Access(const CycleEvent& event, const std::string& location) = 0;
  virtual bool Atomic(const CycleEvent& read, const CycleEvent& write, const std::string& location, bool pair) = 0;
  virtual bool Between(const Edge& edge) = 0;
  ThreadText Take() { return std::move(text_); }

 protected:
  void Line(std::string line) { text_.lines.push_back(std::move(line)); }
  void Observe(const std::string& reg, const CycleEvent& event) {
    if (event.observed) text_.observed.emplace_back(reg, std::to_string(event.value));
  }
  ThreadText text_;
};

std::unique_ptr<ThreadWriter> MakeWriter(Arch arch);
std::unique_ptr<ThreadWriter> MakeCWriter(bool opencl);
std::unique_ptr<ThreadWriter> MakePtxWriter(bool thesis);

}  // namespace heddle::litmus
