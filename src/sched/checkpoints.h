// Checkpoints of a demo (docs/checkpoints.md): where they lie in it, and their images as files CHECKPOINT.N.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "sched/demo_folder.h"

namespace heddle::sched {

struct Checkpoint {
  uint64_t number = 0;   // of its file
  uint64_t step = 0;     // steps of the whole run before it
  uint64_t calls = 0;    // entries of SYSCALL before it
  uint64_t signals = 0;  // ... of SIGNAL

  bool operator==(const Checkpoint&) const = default;
};

// In the header of the schedule: lines `checkpoint`, and `first`, the steps of the whole run before its first one.
// Lines that are no checkpoints are passed over.
std::vector<Checkpoint> CheckpointsOf(const Schedule& schedule);
void AddCheckpoint(Schedule& schedule, const Checkpoint& checkpoint);
uint64_t FirstStep(const Schedule& schedule);
void SetFirstStep(Schedule& schedule, uint64_t first);

// Leaves what comes behind the checkpoint. False when the demo ends before it.
bool StartAt(DemoFolder& demo, const Checkpoint& checkpoint);

// An image to and from the demo's folder.
Status PackImage(const std::string& image, const std::string& folder, uint64_t number);
Status UnpackImage(const std::string& folder, uint64_t number, const std::string& image);

}  // namespace heddle::sched
