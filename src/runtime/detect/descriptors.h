// Descriptors: what orders threads through them, and their lives.
//
// What is written at one end and read at the other is an edge. An end has two keys, one for what it reads and one for
// what it writes; both ends of a channel have the same key for the same direction, and a key stands for one object.
//   pipe, fifo, file    the file's number, both directions
//   socketpair          two keys, crossed
//   stream socket       its two ports, or the path it is bound to
//   datagram socket     one key for all: who will read is not known to the writer
//   eventfd, epoll, ... a key of its own, from the moment it is made
// Two keys may share an object: that is an edge too many, which at worst hides something.
//
// The number itself is a word that users read atomically and that close writes, at an address where no program has
// memory (kNumberWord): so a close that is not ordered with a use is a race.
#pragma once

#include <cstdint>

#include "runtime/op.h"

namespace heddle::rt::detect {

struct DetectThread;

inline constexpr uint32_t kDescriptors = 4096;  // higher numbers share the words of lower ones
constexpr uint64_t NumberWord(uint64_t fd) { return fd % kDescriptors * 8; }

// FdRead, FdWrite, FdOpen, FdClose.
void DescriptorOperation(DetectThread* self, const Op& op);

// Outside the runtime, in detect mode. Before a call that may wait uses the descriptor.
void DescriptorUsed(int fd, const void* pc);
void DescriptorPair(const int pair[2], bool crossed);
void DescriptorCopied(int from, int to);
// A connection is asked for, before the call; one was accepted from the listening socket.
void Connecting(int fd, const void* address, uint32_t bytes);
void Accepted(int listening);
// Nothing more will be written: readers learn it.
void WritingEnds(int fd);

}  // namespace heddle::rt::detect
