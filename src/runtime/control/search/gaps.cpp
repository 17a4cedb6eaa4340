#include "runtime/control/search/gaps.h"

#include <cstring>

#include "runtime/control/search/explore.h"
#include "runtime/control/turn/scheduler.h"

namespace heddle::rt::control {
namespace {

uint64_t g_sleepers = 0;  // threads, as bits
uint64_t g_clock_readers = 0;

bool Several() { return g_link->ready != 0 && g_live > 1; }

void NoteTime(uint64_t& threads) {
  const ControlThread* self = Self();
  if (!Exploring() || self == nullptr || !Several() || self->slot >= 64) return;
  threads |= uint64_t{1} << self->slot;
  uint64_t both = g_sleepers | g_clock_readers;
  bool different = (both & (both - 1)) != 0;
  if (g_sleepers != 0 && g_clock_readers != 0 && different) {
    NoteGap("one thread sleeps and another one looks at the clock");
  }
}

}  // namespace

void NoteGap(const char* text) {
  if (!Exploring()) return;
  for (uint32_t i = 0; i < g_link->gaps; ++i) {
    if (strncmp(g_link->gap[i], text, sizeof g_link->gap[i] - 1) == 0) return;
  }
  if (g_link->gaps == wire::kLinkGaps) return;
  char* to = g_link->gap[g_link->gaps];
  for (uint32_t i = 0; i + 1 < sizeof g_link->gap[0] && text[i] != '\0'; ++i) to[i] = text[i];
  ++g_link->gaps;
}

void NoteSharedGap(const char* text) {
  if (Exploring() && Several()) NoteGap(text);
}

void NoteStream(const void* file) {
  constexpr uint32_t kStreams = 32;
  struct Use {
    const void* file;
    uint32_t slot;
  };
  static Use uses[kStreams];
  static uint32_t count = 0;
  const ControlThread* self = Exploring() ? Self() : nullptr;
  if (self == nullptr || !Several()) return;
  for (uint32_t i = 0; i < count; ++i) {
    if (uses[i].file != file) continue;
    if (uses[i].slot != self->slot) NoteGap("threads share a stream of stdio");
    return;
  }
  if (count == kStreams) return NoteGap("more streams of stdio than can be told apart");
  uses[count++] = {file, self->slot};
}

void NoteSleep() { NoteTime(g_sleepers); }
void NoteClock() { NoteTime(g_clock_readers); }

}  // namespace heddle::rt::control
