// A trace as prediction sees it (docs/predict.md): each thread is its sequence of visible operations, and what may
// happen when is said by what each operation does to one object and by what it needs of other threads.
//
// A position counts the operations of a thread that were performed; the accesses between two operations have the
// position as their segment. Section 4.4 of "Predicting Errors in Concurrent Systems".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/event_kind.h"

namespace heddle::predict {

inline constexpr uint32_t kNone = UINT32_MAX;

enum class Act : uint8_t {
  kFree,  // nothing but its needs
  kLock,
  kUnlock,
  kReadLock,
  kReadUnlock,
  kWait,  // lets go of the mutex and waits
  kWake,  // takes the mutex again; its signal is a need
  kSemWait,
  kSemPost,
  kBarrierEnter,
  kBarrierExit,
};

// At least `count` operations of `thread` have been performed.
struct Need {
  uint32_t thread = 0;
  uint32_t count = 0;
  bool operator==(const Need&) const = default;
};

// Why an operation needs another thread's progress.
enum class NeedKind : uint8_t {
  kMust,  // no reordering is without it
  kData,  // what the thread has read before was written there
};

struct SyncEvent {
  Act act = Act::kFree;
  trace::Kind kind = trace::Kind::None;
  uint32_t object = 0;    // lock, semaphore or barrier by number, by act
  uint32_t order = 0;     // place in the trace, among these events
  uint32_t mate = kNone;  // takes a lock: the position of the operation that lets go, kNone: the trace has none;
                          // barrier operations: the round in the trace
  uint32_t needs = 0;     // first of its needs; then by kind
  uint16_t must = 0;      // how many
  uint16_t data = 0;
};

struct Place {
  uint32_t thread = 0;
  uint32_t position = 0;
  auto operator<=>(const Place&) const = default;
};

// Where an operation comes from, for reports.
struct Origin {
  uint64_t address = 0;
  uint64_t pc = 0;
  uint32_t stack = 0;
};

// An event of the program's own, with what it captured (docs/properties.md).
struct CustomEvent {
  uint32_t order = 0;
  uint64_t name = 0;  // of the trace's strings
  std::vector<int64_t> values;
};

using Cut = std::vector<uint32_t>;      // by thread: operations performed
using Target = std::vector<Place>;      // each thread has performed exactly so many operations
using Witness = std::vector<uint32_t>;  // threads: whose next operation is performed

struct Semaphore {
  int64_t initial = 0;
  std::vector<uint32_t> posts;  // orders
};

struct Barrier {
  uint32_t count = 0;
  bool fixed = false;            // exactly `count` threads use it: rounds are needs, and nothing else is to be watched
  std::vector<uint32_t> enters;  // orders
};

struct TraceModel {
  std::vector<std::vector<SyncEvent>> threads;
  std::vector<Need> needs;
  std::vector<Place> places;    // by order
  std::vector<Origin> origins;  // by order
  uint32_t locks = 0;
  std::vector<uint64_t> lock_address;
  std::vector<Semaphore> semaphores;
  std::vector<Barrier> barriers;
  std::vector<CustomEvent> custom;  // by order

  const SyncEvent& At(Place place) const { return threads[place.thread][place.position]; }
  std::span<const Need> Must(const SyncEvent& event) const { return {needs.data() + event.needs, event.must}; }
  std::span<const Need> Data(const SyncEvent& event) const {
    return {needs.data() + event.needs + event.must, event.data};
  }
};

inline bool Takes(Act act) { return act == Act::kLock || act == Act::kReadLock || act == Act::kWake; }

}  // namespace heddle::predict
