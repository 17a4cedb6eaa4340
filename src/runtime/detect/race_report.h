// Races as they are found: each pair of code addresses is written once; further ones are counted.
#pragma once

#include <cstdint>

#include "runtime/detect/cell.h"
#include "runtime/detect/history.h"

namespace heddle::rt::detect {

struct DetectThread;

// `access` by `self` races with what `other` says about the word. `bits` are the bytes of the word that it touches.
void ReportRace(DetectThread* self, const AccessRecord& access, uint64_t word, Cell bits, Cell other);

// Races on these bytes are not reported: the program says that they do no harm.
void IsBenign(uint64_t begin, uint64_t bytes);

// Writes all counts, for the end of the process.
void WriteRaceCounts();
void LockReports();
void UnlockReports();
void ForgetReports();  // in a child of fork: it has a file of its own

}  // namespace heddle::rt::detect
