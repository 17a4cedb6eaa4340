#include "cli/interrupt.h"

namespace heddle::cli {
namespace {

volatile sig_atomic_t g_came = 0;
void OnSignal(int) { g_came = 1; }

}  // namespace

Interrupt::Interrupt() {
  g_came = 0;
  struct sigaction action{};
  action.sa_handler = OnSignal;
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
}

bool Interrupt::Came() { return g_came != 0; }

}  // namespace heddle::cli
