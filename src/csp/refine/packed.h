// A format compiled for packed states: where each leaf's number sits in the key, and each step as an addition to it.
//
// Key layout, from bit 0: the leaves, each in one word; then, at the top of the last word, the specification's node and
// the format's number plus one (so that no key is all zero there). Formats are numbered by the explorer, in the order
// in which it meets them.
#pragma once

#include <memory>
#include <vector>

#include "csp/lts/format.h"
#include "csp/refine/state_table.h"

namespace heddle::csp {

struct KeyWidth {
  int words;
  int format_bits;
  int node_bits;
  int header_bits() const { return format_bits + node_bits; }
};

struct PackedFormat {
  struct Field {
    uint32_t word;
    uint32_t shift;
    uint64_t mask;
  };
  struct Move {
    uint64_t delta;  // added to the field's word
    uint32_t target;
    bool boundary;
  };
  // The moves of one leaf with one event, by state.
  struct Row {
    uint32_t leaf;
    std::vector<uint32_t> first;
    std::vector<Move> moves;
  };
  struct Lead {
    uint64_t delta;
    uint32_t rule;
    uint32_t target;
  };
  struct Step {
    EventId event;
    bool slow;                   // the rule changes the format
    uint32_t rank;               // see Rule
    std::vector<uint32_t> rows;  // of the parts after the first
    uint32_t second_leaf;        // of rows[0], kept here because most rules have two parts
  };

  const Format* format = nullptr;
  uint32_t id = 0;  // of the format, in its System
  std::vector<Field> fields;
  std::vector<std::vector<uint32_t>> lead_first;  // by leaf, by state
  std::vector<std::vector<Lead>> leads;           // by leaf
  std::vector<std::vector<bool>> boundary;        // by leaf, by state; empty when it has none
  std::vector<Step> steps;                        // by rule
  std::vector<Row> rows;
  // For partial-order reduction: by leaf and state, the rules in which the leaf would take part now.
  std::vector<std::vector<uint32_t>> involved_first;
  std::vector<std::vector<uint32_t>> involved;
  std::vector<std::vector<uint32_t>> touched;  // by leaf: rules that replace it without its taking part
};

// Null when the format does not fit into the width.
std::unique_ptr<PackedFormat> Pack(const Format& format, const KeyWidth& width, bool for_reduction);

}  // namespace heddle::csp
