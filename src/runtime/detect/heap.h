// Memory that comes and goes: heap blocks, mappings, thread stacks. What was known about it before is forgotten.
#pragma once

#include <cstdint>

#include "runtime/detect/history.h"
#include "runtime/op.h"

namespace heddle::rt {
class FindingsText;
}

namespace heddle::rt::detect {

struct DetectThread;

// Finds the code of libc and the loader; once.
void StartHeap();

void BlockAllocated(const Op& op);
// Giving a block back counts as a write to it (its first kCheckedAtFree bytes): an access that is not ordered with it
// is a race; giving it back twice is a race or misuse, and so is giving back what is no block of a heap of ours. Not
// when libc or the loader does it by itself (thread-local memory, names of libraries): how they order that is not seen.
// Until its memory is allocated again, every access to it is reported.
void BlockFreed(DetectThread* self, const Op& op);
// The memory was filled with zeros for the thread: a mapping, calloc.
void MemoryCleared(DetectThread* self, const Op& op);
// An allocation or a free in a signal handler is misuse.
void CheckHandler(DetectThread* self, const Op& op);
void MemoryGone(uint64_t begin, uint64_t bytes);  // a mapping made or taken away, a new thread's stack

// An access to bytes beside a heap block: misuse, with the block.
void ReportOutside(DetectThread* self, const AccessRecord& access, uint64_t outside);

// A line `block address bytes` and its allocation's `stack`, when the address lies in a live heap block.
void AddBlock(FindingsText& text, uint64_t address);

}  // namespace heddle::rt::detect
