#include "sched/operation.h"

namespace heddle::sched {
namespace {

// A code is cast to trace::Kind and back: the two must not meet.
static_assert(trace::kKinds <= kFirstOwn && kAny == kFirstOwn && kOwnEnd > kFirstOwn);

constexpr const char* kKindNames[trace::kKinds] = {nullptr,
#define HEDDLE_EVENT(name, text, words) text,
                                                   HEDDLE_PLAIN_EVENTS(HEDDLE_EVENT) HEDDLE_ORDERED_EVENTS(HEDDLE_EVENT)
#undef HEDDLE_EVENT
};

constexpr const char* kOwnNames[] = {
#define HEDDLE_OPERATION(name, text) text,
    HEDDLE_OWN_OPERATIONS(HEDDLE_OPERATION)
#undef HEDDLE_OPERATION
};

bool Equal(const char* name, uint32_t length, const char* known) {
  for (uint32_t i = 0; i < length; ++i) {
    if (known[i] == '\0' || known[i] != name[i]) return false;
  }
  return known[length] == '\0';
}

}  // namespace

const char* OperationName(uint8_t code) {
  if (code >= kFirstOwn) return code < kOwnEnd ? kOwnNames[code - kFirstOwn] : nullptr;
  return code < trace::kKinds && trace::IsOrdered(static_cast<trace::Kind>(code)) ? kKindNames[code] : nullptr;
}

uint8_t OperationFromName(const char* name, uint32_t length) {
  for (uint32_t code = 1; code < kOwnEnd; ++code) {
    const char* known = OperationName(static_cast<uint8_t>(code));
    if (known != nullptr && Equal(name, length, known)) return static_cast<uint8_t>(code);
  }
  return 0;
}

}  // namespace heddle::sched
