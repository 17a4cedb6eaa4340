// What the ranks of an exploration say to each other (base/ranks.h carries it), and the file from which their leader
// goes on. MessagePack: a map with the key "is".
//
//   leader                                    others
//   welcome: identity, threads, first         hello: rank, host, pid
//                                             differs: why                 (and leaves)
//                                             ready
//   subtree: name, threads, subtree           result: name, totals, found, rest
//   back: name                                                             (gives the subtree back soon)
//   threads: threads                          names: threads               (those that it has met)
//   stop
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/explore/subtree_runner.h"

namespace heddle::analysis {

struct RankMessage {
  std::string is;
  std::string text;                  // identity; why
  std::vector<std::string> threads;  // by number
  uint64_t number = 0;               // a subtree's name, a rank
  uint64_t first = 0;                // a hash of the first execution; a process
  explore::Subtree subtree;
  SubtreeResult result;
};

std::string EncodeMessage(const RankMessage& message);
std::optional<RankMessage> DecodeMessage(std::string_view text);

// Everything that a leader needs to go on.
struct RankCheckpoint {
  std::string identity;
  uint64_t first = 0;  // a hash of the first execution
  std::vector<std::string> threads;
  SearchTotals totals;
  std::vector<Performed> found;
  std::string search;  // SharedSearch::Save
};

std::string EncodeCheckpoint(const RankCheckpoint& checkpoint);
std::optional<RankCheckpoint> DecodeCheckpoint(std::string_view text);

// The same for executions that are the same, also on another machine.
uint64_t HashOf(const Performed& performed);

}  // namespace heddle::analysis
