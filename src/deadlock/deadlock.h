// Static deadlock analysis of a whole program (docs/deadlock-design.md).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "findings/report.h"

namespace heddle::deadlock {

struct Options {
  std::vector<std::string> tables;    // files with functions to know about (primitives.h)
  bool semaphores = false;            // sem_wait and sem_post are lock and unlock
  bool dependency_cut = true;         // leave out what cannot matter; off only to measure
  size_t contexts_per_function = 64;  // before they are joined
  std::string main_file;              // of several files with `main`, the source of the one that is meant
  size_t max_findings = 0;            // that are listed, the best; 0: all
  size_t max_names = 0;               // locks that one place of a listed deadlock may mean; 0: any number
  // Work before a stage takes a coarser answer; 0: the usual. Small ones are for tests of the coarse answers.
  uint64_t pointer_work = 0, lockset_work = 0;
  bool races = false;       // races too; then nothing is left out
  size_t max_races = 20;    // that are reported
  bool prune_list = false;  // with `races`: the list of accesses that cannot race
};

struct StageCost {
  std::string name;
  double seconds = 0;
  uint64_t memory_kib = 0;  // of the process, at the end of the stage
  std::string note;
};

// Where the program is in the source, as its debug info says; paths are absolute.
struct SourceCode {
  struct Function {
    std::string file;
    uint32_t first = 0;  // its lines
    uint32_t last = 0;
  };
  std::vector<Function> functions;
  std::set<std::string> files;
  std::set<std::string> units;  // of these, those that were compiled; the others are headers
};

struct Analysis {
  std::vector<findings::Finding> findings;    // best first
  std::vector<findings::Finding> races;       // the same
  size_t more_races = 0;                      // that were left out
  std::vector<findings::Finding> undeclared;  // with races: what the thread-safety attributes forbid
  size_t attributes_not_understood = 0;
  size_t shared_accesses = 0;                 // places and ways to reach shared memory
  size_t undecided_objects = 0;               // whose accesses were not all compared, so all may race
  size_t unknown_accesses = 0;                // through pointers that nothing is known about
  std::vector<std::string> unseen_functions;  // of libraries: what they do to shared memory is not looked at
  std::string prune_list;                     // its text (docs/static-races.md)
  size_t pruned_accesses = 0, all_accesses = 0;
  std::vector<std::string> assumptions;  // what "none" rests on
  // Why "none" cannot be said: e.g. a function that nothing is known about is given a lock.
  std::vector<std::string> undecided;
  SourceCode source;
  bool proved = true;  // nothing outside of the program had to be assumed harmless
  std::vector<StageCost> stages;
  bool complete = true;  // no budget was used up and no lock is unknown
  size_t locks = 0, lock_operations = 0, unknown_operations = 0, threads = 0, contexts = 0, edges = 0, instructions = 0;
};

// Reads the files, links them and analyses the program. An error when they are not readable.
Result<Analysis> Analyse(const std::vector<std::string>& paths, const Options& options);

}  // namespace heddle::deadlock
