// A campaign over several processes: one leader hands out ranges of seeds, workers test them.
//
// The processes are started by `mpirun` (or by hand) and find each other through a small file beside the database, in
// which the leader writes its address. They talk over TCP and not through an MPI library: a rank that dies closes its
// connection, and the leader hands its range to another one, which MPI's own messages do not allow. When no worker is
// left, the leader tests what remains itself.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "refine/campaign/database.h"

namespace heddle::refine {

struct Rank {
  int number = 0;
  int count = 1;
};

// From the environment that mpirun sets (Open MPI, MPICH, Slurm); {0, 1} without one.
Rank RankOfProcess();

struct LeaderOptions {
  std::string address_file;
  std::function<SeedRange()> next;                 // count 0: no more
  std::function<Status(const RangeResult&)> done;  // keeps a result
  std::function<Status(SeedRange)> test_here;      // used when there are no workers
  std::function<bool()> stop;
};

// Until all ranges are done or stop() says so.
Status Lead(const LeaderOptions& options);

// Tests ranges until the leader says that there are no more. `test` gives the result of a range. `seconds` is how long
// to look for the leader.
Status Work(const std::string& address_file, double seconds, const std::function<Result<RangeResult>(SeedRange)>& test);

}  // namespace heddle::refine
