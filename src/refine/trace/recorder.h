// Builds the trace of one run: turns addresses into places, and plays the environment at lock operations.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "refine/trace/tracer.h"

namespace heddle::refine {

class Recorder {
 public:
  // `memory` is the emulated data from kDataBase; the recorder writes the environment's values into it.
  Recorder(const Image& image, uint8_t* memory, const std::string& thread, const TraceOptions& options);

  // Accesses of any size; what is outside of every variable ends the run. `line` may be 0.
  void Access(EventKind kind, uint64_t address, uint32_t size, uint64_t value, uint32_t line);
  void Lock(uint64_t address, uint32_t line);
  void Unlock(uint64_t address, uint32_t line);
  void ThreadBegins();
  void ThreadEnds();

  // Ends the run with a reason; the first one counts.
  void Stop(RunEnd end, std::string reason);
  bool stopped() const { return trace_.end != RunEnd::kEnded; }

  Trace Take() { return std::move(trace_); }

 private:
  Symbol MakeSymbol(const ImageVariable& variable) const;
  // Index of the trace's symbol at an address; adds one that is not the thread's. -1: none.
  int SymbolFor(uint64_t address);
  void Piece(EventKind kind, const Symbol& symbol, uint64_t address, uint32_t size, uint64_t value, uint32_t line);
  void Outside(EventKind kind, uint64_t address, uint32_t size, uint64_t value, uint32_t line);
  void CheckEscape(const Symbol& symbol, uint64_t address, uint32_t size, uint64_t value);
  void NoteAccess(const Symbol& symbol, uint32_t offset, uint32_t size);
  uint32_t LockIndex(uint64_t address);
  void Environment(uint32_t lock);
  void RandomEnvironment(uint32_t lock);
  void ReplayEnvironment(uint32_t lock);
  void EnvironmentWrites(uint32_t place, uint32_t size, uint64_t value);
  void Pokes();
  uint8_t* At(uint32_t place);

  const Image& image_;
  uint8_t* memory_;
  const TraceOptions& options_;
  Trace trace_;
  int last_symbol_ = -1;
  uint32_t transition_ = 0;         // of the lock operation just recorded, plus one
  uint32_t recent_unlock_ = 0;      // 0: none yet
  std::vector<uint32_t> accessed_;  // by place of the location: transition plus one of the last access
  std::set<uint32_t> held_;
  std::vector<uint32_t> acquisitions_;  // by lock
  std::vector<size_t> replay_syncs_;    // of options.environment_of
};

}  // namespace heddle::refine
