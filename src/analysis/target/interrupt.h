// SIGINT, SIGTERM and SIGHUP for commands that stop by themselves and report what they have (base/deadline.h hears of
// them). A second SIGINT ends heddle at once; the kernel ends its programs then. Objects may nest.
#pragma once

#include <csignal>

namespace heddle::analysis {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Sets what was before. For a process between fork and exec: the program inherits which signals are ignored.
  void GiveBack() const;

  // Since the outermost Interrupt began.
  static bool Came();
  // The signal that came first; 0: none. `from_terminal`: the kernel sent it to the program as well.
  static int Signal(bool* from_terminal);

 private:
  struct sigaction old_int_{};
  struct sigaction old_term_{};
  struct sigaction old_hup_{};
};

}  // namespace heddle::analysis
