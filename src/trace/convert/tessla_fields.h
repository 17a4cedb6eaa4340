// What an event says on each TeSSLa stream, as typed values: the text exporter and the monitor share it, so that a
// trace and its text mean the same.
//
// Memory is bounded: of the signals that wakes refer to, the newest kSignals are remembered.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/convert/tessla_table.h"
#include "trace/source.h"

namespace heddle::trace {

enum class FieldType : uint8_t { kNone, kInt, kBool, kUnit, kString };

struct FieldValue {
  FieldType type = FieldType::kNone;  // kNone: this event says nothing there
  int64_t number = 0;                 // kInt, kBool
  std::string_view text;              // kString; holds until the source's next event
};

FieldType TypeOf(TesslaValue value);

class TesslaFields {
 public:
  // `source` must outlive it; its description is asked for names.
  explicit TesslaFields(const EventSource* source);

  // Begins the next event: its rule, or null when no stream tells of it (then it has no timestamp either).
  const TesslaRule* Begin(const Event& event);

  // The timestamp of the event begun last: they number the events from 1.
  uint64_t time() const { return time_; }

  // What the event begun last says in a field of its rule.
  FieldValue Of(const Event& event, TesslaValue value) const;

  // Threads of an imported text keep their numbers.
  int64_t ThreadNumber(uint64_t thread) const;
  std::string_view ThreadName(uint32_t thread, std::string* storage) const;

 private:
  static constexpr size_t kSignals = 1U << 16U;
  struct Signal {
    uint64_t sequence = 0;
    uint64_t time = 0;
  };

  const EventSource* source_;
  const TesslaRule* rules_[kKinds][2] = {};  // by kind and shared
  std::vector<Signal> signals_;              // by sequence modulo its size; empty before the first
  uint64_t time_ = 0;
};

}  // namespace heddle::trace
