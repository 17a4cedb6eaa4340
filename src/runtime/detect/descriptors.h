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

// Higher numbers are not followed: their uses and closes are not compared, and from the first one on all descriptors
// are one object besides their own. That is an edge too many as well, where a missing one would be a false report.
inline constexpr uint32_t kDescriptors = 4096;
constexpr bool IsFollowed(uint64_t fd) { return fd < kDescriptors; }
constexpr uint64_t NumberWord(uint64_t fd) { return fd * 8; }
// From here on all descriptors are one object too: not all edges can be told apart.
void OrderAllDescriptors();

// arg2 of an FdClose: the number goes to another file at the same moment (dup2), so users find one or the other.
inline constexpr uint64_t kReplaced = 1;

// FdRead, FdWrite, FdOpen, FdClose.
void DescriptorOperation(DetectThread* self, const Op& op);

// Outside the runtime, in detect mode. Before a call that may wait uses the descriptor.
void DescriptorUsed(int fd, const void* pc);
// The close behind an FdClose has returned.
void DescriptorClosed(int fd);
void DescriptorPair(const int pair[2], bool crossed);
void DescriptorCopied(int from, int to);
// A connection is asked for, before the call; one was accepted from the listening socket.
void Connecting(int fd, const void* address, uint32_t bytes);
void Accepted(int listening);
// Nothing more will be written: readers learn it.
void WritingEnds(int fd);
// poll, select or epoll said that there is something to read: what was written before is known.
void Readable(int fd);
// The same for streams of stdio, whose calls of read and write are libc's own: only where another end can be.
void StreamRead(int fd);
void StreamWritten(int fd);
// A file is about to be made, changed or removed: who watches folders (inotify) may learn it.
void FilesChange();
void FilesWatched(int fd);
// A descriptor from which signals are read; a signal is sent. Within the runtime.
void SignalDescriptor(int fd);
void SignalDescriptorsReadable();
// The number was given to another file (dup2): whoever closes it must be ordered with that.
void DescriptorReplaced(int fd, const void* pc);
// epoll: a registration before it is made; what a wait reported.
void PollChanged(int epoll, int operation, int fd, uint64_t word);
void PollReported(int epoll, uint64_t word);

}  // namespace heddle::rt::detect
