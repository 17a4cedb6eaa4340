// A campaign over several processes (base/ranks.h): one leader hands out ranges of seeds, workers test them. The range
// of a rank that dies is given to another one. When no worker is left, the leader tests what remains itself.
#pragma once

#include <functional>
#include <string>

#include "base/ranks.h"
#include "base/result.h"
#include "refine/campaign/database.h"

namespace heddle::refine {

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
