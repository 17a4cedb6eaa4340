// What the program prints, against the recording: a running hash of all of it is kept with every piece, and a replay
// says where the first difference is (and goes on).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace heddle::rt::control {

// Whether there is a recording at all.
bool OutputChecked(int fd);
bool OutputChecked(const FILE* file);

// The calling thread has printed. With the turn.
void NoteOutput(const void* data, size_t bytes, uint64_t pc);

}  // namespace heddle::rt::control
