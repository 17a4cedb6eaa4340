// Chrome's trace JSON, for Perfetto and chrome://tracing: a track for each thread; slices while a lock is held or a
// thread waits; a short slice for every other ordered event; arrows from fork to begin, from end to join, and from a
// signal to the wake that it caused. Time is the sequence number, a microsecond each. Plain accesses are left out.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/output_file.h"
#include "trace/convert/location.h"
#include "trace/source.h"

namespace heddle::trace {

class ChromeSink final : public EventSink {
 public:
  ChromeSink(OutputFile* out, const EventSource* source, Locator locate)
      : out_(out), source_(source), locate_(std::move(locate)) {}
  Status Add(const Event& event) override;
  Status Finish() override;

 private:
  // Slices of one track must nest, locks need not: a slice that ends below others ends them and begins them again.
  struct Slice {
    std::string name;
    uint64_t object;
    bool wait;
  };
  struct Track {
    std::vector<Slice> open;
    uint64_t last_end = 0;  // sequence of ThreadEnd
  };

  void Put(std::string_view json);
  void Begin(const Event& event, const char* verb, uint64_t object, bool wait);
  void End(const Event& event, uint64_t object, bool wait);
  void Point(const Event& event);
  void Arrow(const char* name, const char* phase, uint64_t id, uint32_t thread, uint64_t time);
  void Arrows(const Event& event);
  std::string ObjectName(uint64_t address) const;
  std::string Arguments(const Event& event);

  OutputFile* out_;
  const EventSource* source_;
  Locator locate_;
  bool first_ = true;
  uint64_t last_ = 0;
  std::unordered_map<uint32_t, Track> tracks_;
  std::unordered_map<uint32_t, uint64_t> fork_of_;  // child to the sequence of its fork
};

}  // namespace heddle::trace
