// Streams of stdio whose descriptors are recorded: standard input, devices, /proc, sockets and pipes behind fopen and
// fdopen. libc reads these by itself, where nobody can stand in front of it; so while there is a recording such a
// stream is one of ours (fopencookie), which reads and writes with the intercepted calls.
#pragma once

#include <cstdio>

namespace heddle::rt::control {

// Once, at the start: `stdin`.
void ReplaceStandardInput();

// Whether a stream with this mode ("r", "w+", ...) on `fd` must be one of ours.
bool NeedsStream(int fd, const char* mode);
// A stream of ours that owns `fd`; null, with errno, when there is no memory or too many are open.
FILE* MakeStream(int fd, const char* mode);

// A stream of ours in the place of one that popen made; the same one when there is no recording or no room. And its way
// back: the stream that libc must close, after ours is closed; the same one when it is not ours.
FILE* ReplaceChildStream(FILE* file, const char* mode);
FILE* CloseChildStream(FILE* file);

// Around fork: the table is whole.
void LockStreams();
void UnlockStreams();

// The descriptor behind a stream of ours, for which libc has none; -1 when it is not ours.
int StreamDescriptor(const FILE* file);

}  // namespace heddle::rt::control
