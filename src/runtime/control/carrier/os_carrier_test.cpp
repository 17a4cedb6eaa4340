#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <thread>

#include "runtime/control/carrier/carrier.h"

namespace heddle::rt::control {
namespace {

// Under control every lock may wait here, and a lock that is had leaves errno alone.
TEST(OsCarrier, KeepsErrnoWhenTheTimeIsUp) {
  auto self = std::make_unique<ControlThread>();
  self->grant.store(kNone);
  errno = ERANGE;
  OsCarrier()->Park(self.get(), 1);
  EXPECT_EQ(errno, ERANGE);
}

TEST(OsCarrier, ReturnsWhenTheGrantIsThere) {
  auto self = std::make_unique<ControlThread>();
  self->grant.store(kNone);
  std::thread other([&self] {
    self->grant.store(kPerform);
    OsCarrier()->Unpark(self.get());
  });
  errno = ERANGE;
  while (self->grant.load() == kNone) OsCarrier()->Park(self.get(), 0);
  EXPECT_EQ(errno, ERANGE);
  other.join();
}

}  // namespace
}  // namespace heddle::rt::control
