#include "runtime/control/replay/debug_view.h"

#include <cstddef>

#include "runtime/control/turn/scheduler.h"

namespace {

using heddle::rt::control::ControlThread;

static_assert(sizeof(ControlThread::id) == heddle::wire::kThreadNameBytes);
static_assert(sizeof(ControlThread::ended) == 1);

}  // namespace

// Offsets of members in a class that is not of standard layout: the compilers that build the runtime define them.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
constinit heddle::wire::DebugView heddle_debug_view{
    .magic = heddle::wire::kDebugViewMagic,
    .stop_step = 0,
    .steps = &heddle::rt::control::g_steps,
    .slots = &heddle::rt::control::g_slots,
    .slot_limit = &heddle::rt::control::g_slot_limit,
    .number = offsetof(ControlThread, number),
    .name = offsetof(ControlThread, id),
    .ended = offsetof(ControlThread, ended),
    .stack = offsetof(ControlThread, fiber) + offsetof(heddle::rt::control::FiberContext, stack),
    .fs = offsetof(ControlThread, fiber) + offsetof(heddle::rt::control::FiberContext, fs),
};
