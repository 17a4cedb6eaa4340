// What an epoll instance watches: the user's word of each registration, to know which descriptors a wait reported.
// That a descriptor was reported as readable tells of what was written to it, as reading it would.
#pragma once

#include <sys/epoll.h>

#include <cstdint>

namespace heddle::rt::detect {

// A registration was made, changed or removed. Descriptors of kDescriptors and above are not followed.
void Watched(int epoll, int operation, int fd, uint64_t word);
// The descriptor, or the epoll instance, is closed.
void NoLongerWatched(int fd);
// Calls `report(fd)` for each descriptor that the instance watches under that word.
void ForWatched(int epoll, uint64_t word, void (*report)(void* context, int fd), void* context);

}  // namespace heddle::rt::detect
