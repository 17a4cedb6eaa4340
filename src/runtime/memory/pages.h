// Memory of the runtime itself, from the kernel and never from the target's malloc. Zero at first.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::rt {

void* MapPages(size_t bytes);  // null when the kernel refuses

// Where a mapping of the runtime's own should lie: null (anywhere), or, once UseOwnPages was called, a place that only
// the runtime uses, so that what it needs does not move the mappings of the program.
void* PageHint(size_t bytes);
void UseOwnPages();

// Memory that is about to be written: all its pages in one call instead of by a fault for each. Nothing happens on old
// kernels, and in a search that restores memory, which keeps account of each page.
void AskForPages(uint64_t at, size_t bytes);
// The same for memory that is used from one end to the other: `used` is where it has come to, up to `*ready` it has
// pages.
void KeepAhead(const char* used, const char** ready, const char* end);

void UnmapPages(void* at, size_t bytes);

// From now on small mappings are parts of one large mapping, made here, and none is given back: a search that restores
// memory cannot restore mappings. False when there is no address space for it.
bool UsePagePool();

}  // namespace heddle::rt
