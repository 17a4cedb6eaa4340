// Where an operation is, by the calls that led to it: for the strategy `steer`, which places of the cycle it leads to.
#pragma once

#include "runtime/control/turn/control_thread.h"
#include "wire/steer_format.h"

namespace heddle::rt::control {

// The return addresses of the calling thread's calls, innermost first: `pc`, then what the mode noted at function
// entries (nothing when it does not). Returns how many, at most `limit`.
uint32_t OwnCalls(uint64_t pc, uint64_t* calls, uint32_t limit);

// Maps the plan at `path`; null, with a message, when it is none.
const wire::SteerHeader* LoadPlaces(const char* path);

extern const wire::SteerRange* g_places;
inline bool HavePlaces() { return __builtin_expect(static_cast<long>(g_places != nullptr), 0) != 0; }

// The places of the plan that the operation is at; none for an operation of another thread.
uint64_t PlacesHere(const ControlThread* thread, const Point& point);

}  // namespace heddle::rt::control
