// SIGINT and SIGTERM for commands that stop by themselves and report what they have.
#pragma once

#include <csignal>

namespace heddle::cli {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Since the last Interrupt began.
  static bool Came();

 private:
  struct sigaction old_int_{};
  struct sigaction old_term_{};
};

}  // namespace heddle::cli
