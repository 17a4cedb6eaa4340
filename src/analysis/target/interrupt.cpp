#include "analysis/target/interrupt.h"

#include <unistd.h>

#include "base/deadline.h"

namespace heddle::analysis {
namespace {

volatile sig_atomic_t g_signal = 0;
volatile sig_atomic_t g_from_terminal = 0;
int g_depth = 0;

void OnSignal(int number, siginfo_t* info, void*) {
  if (g_signal != 0 && number == SIGINT) _exit(128 + SIGINT);
  if (g_signal == 0) {
    g_signal = number;
    g_from_terminal = info->si_code == SI_KERNEL ? 1 : 0;
  }
  AskToStop();
}

}  // namespace

Interrupt::Interrupt() {
  if (g_depth++ == 0) {
    g_signal = 0;
    ForgetToStop();
  }
  struct sigaction action{};
  action.sa_sigaction = OnSignal;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
  sigaction(SIGHUP, &action, &old_hup_);
}

Interrupt::~Interrupt() {
  --g_depth;
  GiveBack();
}

void Interrupt::GiveBack() const {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
  sigaction(SIGHUP, &old_hup_, nullptr);
}

bool Interrupt::Came() { return g_signal != 0; }

int Interrupt::Signal(bool* from_terminal) {
  *from_terminal = g_from_terminal != 0;
  return g_signal;
}

}  // namespace heddle::analysis
