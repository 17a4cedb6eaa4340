// A stateless search: says which execution to perform next, learns from it, until none is left. It knows the program
// only by its executions; the same prefix must give the same steps. docs/explore.md explains the algorithms.
//
//   while (search.Next(&request)) search.Executed(perform(request));
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "explore/execution.h"

namespace heddle::explore {

enum class Algorithm : uint8_t { kDfs, kDpor, kSource, kOptimal };
std::optional<Algorithm> AlgorithmNamed(std::string_view name);

struct SearchOptions {
  Algorithm algorithm = Algorithm::kOptimal;
  // At most so many preemptions. The reduction is then dpor's with more places to go back to (Coons et al., "Bounded
  // Partial-Order Reduction", OOPSLA 2013), whatever the algorithm; dfs stays dfs.
  std::optional<uint32_t> preemptions;
  // At most so many delays (Emmi, Qadeer, Rakamaric, "Delay-Bounded Scheduling", POPL 2011): without one the last
  // thread goes on, or else the first that can; each delay passes one over. No reduction: the algorithm is dfs.
  std::optional<uint32_t> delays = std::nullopt;
  // Optimal without bounds: critical sections that commute are not explored in both orders (commuting_locks.h).
  // Executions must come with their plain accesses. No race, no deadlock and no final state is lost.
  bool prune = false;
  // Optimal and source without bounds: operations that say so commute, where that is sound (commuting_search.h).
  bool commute = false;
};

// Where two executions of the same prefix went apart.
struct Difference {
  uint64_t step = 0;  // from 0
  ExploredEvent before;
  ExploredEvent now;
  bool absent = false;  // nothing came in this step
};

class Search {
 public:
  virtual ~Search() = default;
  // False: the search is complete (within its bounds).
  virtual bool Next(Request* request) = 0;
  // What the request led to. False: it was not what the prefix had led to before; the search cannot go on with it, but
  // with the other branches.
  virtual bool Executed(const Execution& execution) = 0;
  virtual const Difference& difference() const = 0;
  // Up to `most` requests that Next will probably give, the next one first: for those who perform several at a time.
  virtual void Ahead(size_t most, std::vector<Request>* requests) const = 0;
  // The same, and further: a copy of the search goes on with what `known` says of requests that were performed already
  // (null: not yet), as if the others showed nothing new. Requests that are known are left out.
  using Known = std::function<const Execution*(const Request&)>;
  virtual void FurtherAhead(size_t most, const Known& known, std::vector<Request>* requests) const = 0;
  // Whether a request that one of these gave may still come.
  virtual bool MayAsk(const Request& request) const = 0;
  // The part of the tree that is explored, between 0 and 1: assumes that branches not taken are as large as the others.
  virtual double Fraction() const = 0;
  // Whether a bound kept it from some executions.
  virtual bool Cut() const = 0;
  // What the program does that the search cannot promise to cover; "": nothing.
  virtual std::string Gap() const { return ""; }
  // What was pruned and why not more, for the report; "" when that was not asked for.
  virtual std::string PruningText() const { return ""; }
};

std::unique_ptr<Search> MakeSearch(const SearchOptions& options);

}  // namespace heddle::explore
