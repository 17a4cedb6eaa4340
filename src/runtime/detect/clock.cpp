#include "runtime/detect/clock.h"

#include "runtime/detect/arena.h"

namespace heddle::rt::detect {

bool Clock::Enlarge(uint32_t size) {
  uint32_t capacity = 8;
  while (capacity < size) capacity *= 2;
  auto* more = static_cast<uint64_t*>(ArenaTake(capacity * sizeof(uint64_t)));
  if (more == nullptr) return false;
  for (uint32_t i = 0; i < size_; ++i) more[i] = at_[i];
  if (at_ != nullptr) ArenaGive(at_, capacity_ * sizeof(uint64_t));
  at_ = more;
  capacity_ = capacity;
  return true;
}

void Clock::Clear() {
  if (at_ != nullptr) ArenaGive(at_, capacity_ * sizeof(uint64_t));
  *this = Clock{};
}

}  // namespace heddle::rt::detect
