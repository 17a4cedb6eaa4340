// A pool of registrations in two kinds of lists: by descriptor, to remove them, and by a hash of instance and word, to
// find what a wait reports. A full pool gives up the oldest registrations in turn; then all descriptors
// are one object.
#include "runtime/detect/polled.h"

#include "runtime/detect/descriptors.h"
#include "runtime/spin.h"

namespace heddle::rt::detect {
namespace {

struct Registration {
  uint64_t word = 0;
  int epoll = -1;  // -1: free
  int fd = -1;
  uint16_t next_of_fd = 0;  // 0: none
  uint16_t next_of_hash = 0;
};

constexpr uint16_t kPool = 8192;
constexpr uint32_t kHashes = 4096;
Registration g_pool[kPool];
uint16_t g_of_fd[kDescriptors];
uint16_t g_of_hash[kHashes];
uint16_t g_next = 0;
SpinLock g_lock;

uint32_t HashOf(int epoll, uint64_t word) {
  return static_cast<uint32_t>((word + static_cast<uint64_t>(epoll)) * 0x9E3779B97F4A7C15ULL >> 52U) % kHashes;
}

void Unlink(uint16_t* first, uint16_t index, uint16_t Registration::* next) {
  for (uint16_t* at = first; *at != 0; at = &(g_pool[*at].*next)) {
    if (*at != index) continue;
    *at = g_pool[index].*next;
    return;
  }
}

void Remove(uint16_t index) {
  Registration& gone = g_pool[index];
  Unlink(&g_of_fd[gone.fd], index, &Registration::next_of_fd);
  Unlink(&g_of_hash[HashOf(gone.epoll, gone.word)], index, &Registration::next_of_hash);
  gone = Registration{};
}

void RemoveOf(int epoll, int fd) {
  for (uint16_t index = g_of_fd[fd]; index != 0; index = g_pool[index].next_of_fd) {
    if (g_pool[index].epoll == epoll) return Remove(index);
  }
}

uint16_t Take() {
  for (uint16_t tries = 0; tries < 64; ++tries) {
    g_next = static_cast<uint16_t>(g_next % (kPool - 1) + 1);
    if (g_pool[g_next].epoll < 0) return g_next;
  }
  OrderAllDescriptors();
  Remove(g_next);
  return g_next;
}

bool IsFollowedNumber(int fd) { return fd >= 0 && IsFollowed(static_cast<uint64_t>(fd)); }

}  // namespace

void Watched(int epoll, int operation, int fd, uint64_t word) {
  if (!IsFollowedNumber(epoll) || !IsFollowedNumber(fd)) return OrderAllDescriptors();
  SpinHolder hold(g_lock);
  RemoveOf(epoll, fd);
  if (operation == EPOLL_CTL_DEL) return;
  uint16_t index = Take();
  uint16_t& of_hash = g_of_hash[HashOf(epoll, word)];
  g_pool[index] = {word, epoll, fd, g_of_fd[fd], of_hash};
  g_of_fd[fd] = index;
  of_hash = index;
}

void NoLongerWatched(int fd) {
  if (!IsFollowedNumber(fd)) return;
  SpinHolder hold(g_lock);
  while (g_of_fd[fd] != 0) Remove(g_of_fd[fd]);
}

void ForWatched(int epoll, uint64_t word, void (*report)(void* context, int fd), void* context) {
  constexpr int kMost = 16;  // of one instance under one word
  int found[kMost];
  int count = 0;
  {
    SpinHolder hold(g_lock);
    for (uint16_t at = g_of_hash[HashOf(epoll, word)]; at != 0 && count < kMost; at = g_pool[at].next_of_hash) {
      if (g_pool[at].epoll == epoll && g_pool[at].word == word) found[count++] = g_pool[at].fd;
    }
  }
  for (int i = 0; i < count; ++i) report(context, found[i]);
}

}  // namespace heddle::rt::detect
