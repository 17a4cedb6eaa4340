#include "runtime/record/recorder.h"

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "runtime/memory/pages.h"
#include "runtime/options.h"
#include "runtime/output/trace_file.h"
#include "runtime/spin.h"
#include "trace/encode.h"

namespace heddle::rt {
namespace {

constexpr size_t kMaxPayload = trace::MaxPayloadBytes(trace::kLiveSlots);
constexpr size_t kMaxStored = ZSTD_COMPRESSBOUND(kMaxPayload);
constexpr uint32_t kPresses = 4;  // flushes at the same time

// What one flush needs; about 1 MiB, mapped at its first use and kept.
struct Press {
  trace::Encoder encoder;
  ZSTD_CCtx* context;
  uint8_t payload[kMaxPayload];
  uint8_t stored[kMaxStored];
};

SpinLock g_press_locks[kPresses];
Press* g_presses[kPresses];
std::atomic<uint32_t> g_next_stream{0};

ZSTD_CCtx* NewContext() {
  int level = g_options.level;
  ZSTD_compressionParameters parameters = ZSTD_getCParams(level, kMaxPayload, 0);
  size_t bytes = ZSTD_estimateCCtxSize_usingCParams(parameters);
  void* pages = MapPages(bytes);
  if (pages == nullptr) return nullptr;
  ZSTD_CCtx* context = ZSTD_initStaticCCtx(pages, bytes);
  if (context != nullptr) ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  return context;
}

Press* NewPress() {
  void* pages = MapPages(sizeof(Press));
  if (pages == nullptr) return nullptr;
  auto* press = static_cast<Press*>(pages);  // all zero is its initial state
  press->context = NewContext();
  return press;
}

// Takes a press that is free, or waits for one; the caller unlocks g_press_locks[*index].
Press* TakePress(uint32_t* index) {
  static std::atomic<uint32_t> turn{0};
  for (uint32_t i = 0; i < kPresses; ++i) {
    if (!g_press_locks[i].TryLock()) continue;
    *index = i;
    if (g_presses[i] == nullptr) g_presses[i] = NewPress();
    return g_presses[i];
  }
  *index = turn.fetch_add(1, std::memory_order_relaxed) % kPresses;
  g_press_locks[*index].Lock();
  return g_presses[*index];
}

}  // namespace

Recorder* Recorder::Take(uint32_t thread) {
  uint32_t stream = g_next_stream.fetch_add(1, std::memory_order_relaxed);
  return reinterpret_cast<Recorder*>(g_output.TakeLive(thread, stream));
}

void Recorder::Release() {
  Flush();
  g_output.ReturnLive(&live_);
}

bool Recorder::Flush() {
  auto* begin = reinterpret_cast<const trace::Slot*>(reinterpret_cast<uint8_t*>(this) + sizeof live_);
  auto* end = reinterpret_cast<const trace::Slot*>(reinterpret_cast<uint8_t*>(this) + live_.used);
  if (begin == end) return !g_output.stopped();
  if (g_options.live) {
    bool taken = g_output.HandOver(&live_);
    t_hot.run_start = reinterpret_cast<trace::Slot*>(reinterpret_cast<uint8_t*>(this) + sizeof live_);
    return taken;
  }
  uint32_t index = 0;
  Press* press = TakePress(&index);
  bool written = false;
  if (press != nullptr && press->context != nullptr && !g_output.stopped()) {
    uint32_t events = 0;
    size_t bytes = press->encoder.Encode(begin, end, press->payload, &events);
    size_t stored = ZSTD_compress2(press->context, press->stored, kMaxStored, press->payload, bytes);
    bool shrunk = ZSTD_isError(stored) == 0 && stored < bytes;
    written = g_output.Append(trace::ChunkKind::Events, shrunk ? trace::Codec::Zstd : trace::Codec::Raw, live_.thread,
                              live_.stream, events, static_cast<uint32_t>(bytes),
                              shrunk ? press->stored : press->payload, static_cast<uint32_t>(shrunk ? stored : bytes));
  }
  g_press_locks[index].Unlock();
  // Written before emptied: killed in between, the events are in the file twice, and the reader drops the second.
  asm volatile("" ::: "memory");
  live_.used = sizeof live_;
  t_hot.run_start = reinterpret_cast<trace::Slot*>(reinterpret_cast<uint8_t*>(this) + sizeof live_);
  return written;
}

void LockFlushing() {
  for (SpinLock& lock : g_press_locks) lock.Lock();
}
void UnlockFlushing() {
  for (SpinLock& lock : g_press_locks) lock.Unlock();
}

}  // namespace heddle::rt
