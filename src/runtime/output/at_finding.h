// Where a debugger stops: called by the thread that shows a finding, while it stands at the place. Does nothing.
// `heddle replay F1 --gdb` sets a breakpoint on it.
#pragma once

// `what`: race, misuse, deadlock, or stopped (the step of --until).
extern "C" __attribute__((visibility("default"))) void heddle_at_finding(const char* what);

// A replay of one process: before a fork whose child is followed (1), and in that child (0). A debugger chooses there
// with whom it goes on.
extern "C" __attribute__((visibility("default"))) void heddle_at_fork(int follows);
