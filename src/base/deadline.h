// When work has to end: at a point in time, or when the user asks for it (Ctrl-C, SIGTERM). One deadline goes through
// all phases of a command; each phase looks at it in its inner loop and leaves with what it has.
#pragma once

#include <chrono>

namespace heddle {

class Deadline {
 public:
  Deadline() = default;  // never, but for AskToStop
  static Deadline After(double seconds);

  bool Passed() const;
  // Seconds until then, at least 0; `most` when there is no end or it is later than that.
  double Left(double most) const;
  // The earlier of this one and `seconds` from now.
  Deadline Within(double seconds) const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point at_ = Clock::time_point::max();
};

// From a signal handler: every deadline of the process has passed, until ForgetToStop.
void AskToStop();
void ForgetToStop();
bool StopAsked();

}  // namespace heddle
