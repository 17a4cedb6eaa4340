#include "runtime/control/search/await.h"

#include <cstring>

#include "runtime/control/search/c11.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/turn/control_thread.h"

namespace heddle::rt::control {
namespace {

uint64_t ValueAt(uint64_t address, uint32_t bytes) {
  uint64_t value = 0;
  memcpy(&value, reinterpret_cast<const void*>(address), bytes);  // NOLINT: the program's atomic
  return value;
}

bool Ready(const void* context) {
  const auto* thread = static_cast<const ControlThread*>(context);
  const Await& await = thread->await;
  if (await.await_bits == 0) return true;
  uint64_t present = ValueAt(await.address, await.bytes);
  if (C11() && thread->c11.prepared) return g_c11->Any(thread->c11.access, present, 0);
  return wire::AwaitMet(await, present, await.operand);
}

// Those that write compare with their own operand.
bool Writes(wire::Condition condition) {
  return condition == wire::Condition::kEqual || condition == wire::Condition::kDiffers;
}

}  // namespace

void TellAwait(uint32_t condition, uint32_t bits, uint64_t operand) {
  ControlThread* self = Self();
  if (self == nullptr || !Searching()) return;
  self->await = {static_cast<uint8_t>(bits), static_cast<wire::Condition>(condition), 0, operand, 0};
}

void MakeAwait(Point* point, uint8_t bytes) {
  ControlThread* self = Self();
  if (self == nullptr || self->await.await_bits == 0) return;
  Await& await = self->await;
  bool across = (point->address & 7U) + bytes > 8;
  if (across || !Searching()) {
    await = {};
    return;
  }
  if (Writes(await.condition)) await.operand = point->arg;
  await.address = point->address;
  await.bytes = bytes;
  point->ready = Ready;
  point->context = self;
  if (!C11()) return;
  self->c11.access.await_bits = await.await_bits;
  self->c11.access.condition = await.condition;
  self->c11.access.expected = await.operand;
}

bool Awaits(const ControlThread* thread) { return thread->await.await_bits != 0 && thread->await.bytes != 0; }

void SetAwait(wire::ExploredEvent* event, const ControlThread* thread, bool performed) {
  const Await& await = thread->await;
  if (!Awaits(thread)) return;
  if (!performed && !C11()) event->before = ValueAt(event->object & ~uint64_t{7}, 8);
  uint64_t found = event->before >> 8U * (event->object & 7U);
  if (performed && !C11() && !wire::AwaitMet(await, found, await.operand)) return;
  event->await_bits = await.await_bits;
  event->condition = await.condition;
  event->operand = await.operand;
  if (C11()) return;
  event->role = wire::Role::kAwait;
  event->value = wire::kAnyValue;
  event->flags = static_cast<uint8_t>((Writes(await.condition) ? wire::kWrites : 0) | wire::kWaits);
}

}  // namespace heddle::rt::control
