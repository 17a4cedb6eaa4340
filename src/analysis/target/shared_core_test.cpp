#include "analysis/target/shared_core.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::analysis {
namespace {

cpu_set_t MaskOf(pid_t process) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(process, sizeof set, &set), 0);
  return set;
}

// A process that waits until it is killed.
class Waiting {
 public:
  Waiting() : pid_(fork()) {
    while (pid_ == 0) pause();
  }
  ~Waiting() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(SharedCore, HoldsBothOnOneProcessorAndLetsGo) {
  cpu_set_t given = MaskOf(0);
  Waiting other;
  {
    SharedCore core;
    SharedCore::Clock::time_point now{};
    core.Hold(0, now);
    cpu_set_t own = MaskOf(0);
    EXPECT_TRUE(CPU_EQUAL(&own, &given));
    core.Hold(other.pid(), now);
    own = MaskOf(0);
    cpu_set_t others = MaskOf(other.pid());
    EXPECT_EQ(CPU_COUNT(&own), 1);
    EXPECT_TRUE(CPU_EQUAL(&own, &others));
    core.Hold(other.pid(), now + std::chrono::milliseconds(51));  // let go, to be placed anew
    own = MaskOf(0);
    EXPECT_TRUE(CPU_EQUAL(&own, &given));
    core.Hold(other.pid(), now + std::chrono::milliseconds(52));
    own = MaskOf(0);
    EXPECT_EQ(CPU_COUNT(&own), 1);
  }
  cpu_set_t own = MaskOf(0);
  EXPECT_TRUE(CPU_EQUAL(&own, &given));
}

TEST(SharedCore, NewProcessesGetTheMaskBack) {
  cpu_set_t given = MaskOf(0);
  Waiting other;
  SharedCore core;
  core.Hold(other.pid(), {});
  pid_t child = fork();
  if (child == 0) {
    GiveBackProcessors();
    cpu_set_t own = MaskOf(0);
    _exit(CPU_EQUAL(&own, &given) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace heddle::analysis
