#include "csp/refine/packed.h"

#include <algorithm>
#include <map>

namespace heddle::csp {
namespace {

uint32_t BitsFor(size_t states) {
  uint32_t bits = 1;
  while ((size_t{1} << bits) < states) ++bits;
  return bits;
}

bool PlaceFields(const Format& format, const KeyWidth& width, PackedFormat& out) {
  // Header: the node lies below the format at the top of the last word.
  uint32_t word = 0;
  uint32_t used = 0;
  uint32_t last = static_cast<uint32_t>(width.words - 1);
  for (const Format::Leaf& leaf : format.leaves) {
    bool numbered_later = leaf.machine == nullptr || leaf.machine->growing != nullptr;
    uint32_t bits = numbered_later ? 32 : BitsFor(leaf.machine->size());
    auto room = [&] { return word == last ? 64u - static_cast<uint32_t>(width.header_bits()) : 64u; };
    if (used + bits > room()) {
      ++word;
      used = 0;
    }
    if (word > last || used + bits > room()) return false;
    out.fields.push_back({word, used, (uint64_t{1} << bits) - 1});
    used += bits;
  }
  return format.id + 1 < (uint64_t{1} << width.format_bits);
}

uint64_t DeltaOf(const PackedFormat::Field& field, uint32_t from, uint32_t to) {
  return (uint64_t{to} << field.shift) - (uint64_t{from} << field.shift);
}

uint32_t RowFor(const Format& format, const Rule::Part& part, PackedFormat& out,
                std::map<std::pair<uint32_t, EventId>, uint32_t>& known) {
  auto [it, fresh] = known.try_emplace({part.leaf, part.event}, static_cast<uint32_t>(out.rows.size()));
  if (!fresh) return it->second;
  const Machine& machine = *format.leaves[part.leaf].machine;
  PackedFormat::Row row;
  row.leaf = part.leaf;
  std::vector<uint32_t> targets;
  for (uint32_t s = 0; s < machine.size(); ++s) {
    row.first.push_back(static_cast<uint32_t>(row.moves.size()));
    machine.Targets(s, part.event, targets);
    for (uint32_t t : targets) row.moves.push_back({DeltaOf(out.fields[part.leaf], s, t), t, machine.boundary[t]});
  }
  row.first.push_back(static_cast<uint32_t>(row.moves.size()));
  out.rows.push_back(std::move(row));
  return it->second;
}

void LeavesUnder(const Format& format, uint32_t node, std::vector<uint32_t>& out) {
  const Format::Shape& shape = format.shapes[node];
  if (shape.leaf >= 0) out.push_back(static_cast<uint32_t>(shape.leaf));
  for (uint32_t kid : shape.kids) LeavesUnder(format, kid, out);
}

// By leaf and event: the rules with this part.
std::vector<std::map<EventId, std::vector<uint32_t>>> RulesByPart(const Format& format, bool leaders_only) {
  std::vector<std::map<EventId, std::vector<uint32_t>>> by_part(format.leaves.size());
  for (uint32_t r = 0; r < format.rules.size(); ++r) {
    const Rule& rule = format.rules[r];
    for (size_t i = 0; i < rule.parts.size() && !(leaders_only && i > 0); ++i) {
      by_part[rule.parts[i].leaf][rule.parts[i].event].push_back(r);
    }
  }
  return by_part;
}

void AddReduction(const Format& format, PackedFormat& out) {
  auto by_part = RulesByPart(format, false);
  out.involved_first.resize(format.leaves.size());
  out.involved.resize(format.leaves.size());
  out.touched.resize(format.leaves.size());
  std::vector<uint32_t> targets;
  for (uint32_t leaf = 0; leaf < format.leaves.size(); ++leaf) {
    const Machine& machine = *format.leaves[leaf].machine;
    for (uint32_t s = 0; s < machine.size(); ++s) {
      out.involved_first[leaf].push_back(static_cast<uint32_t>(out.involved[leaf].size()));
      for (const auto& [event, rules] : by_part[leaf]) {
        machine.Targets(s, event, targets);
        if (!targets.empty()) out.involved[leaf].insert(out.involved[leaf].end(), rules.begin(), rules.end());
      }
    }
    out.involved_first[leaf].push_back(static_cast<uint32_t>(out.involved[leaf].size()));
  }
  for (uint32_t r = 0; r < format.rules.size(); ++r) {
    std::vector<uint32_t> under;
    for (const Change& change : format.rules[r].changes) LeavesUnder(format, change.node, under);
    std::sort(under.begin(), under.end());
    under.erase(std::unique(under.begin(), under.end()), under.end());
    for (uint32_t leaf : under) {
      const auto& parts = format.rules[r].parts;
      if (std::none_of(parts.begin(), parts.end(), [&](const Rule::Part& p) { return p.leaf == leaf; })) {
        out.touched[leaf].push_back(r);
      }
    }
  }
}

}  // namespace

std::unique_ptr<PackedFormat> Pack(const Format& format, const KeyWidth& width, bool for_reduction) {
  auto out = std::make_unique<PackedFormat>();
  out->format = &format;
  if (!PlaceFields(format, width, *out)) return nullptr;
  if (format.lazy) return out;
  std::map<std::pair<uint32_t, EventId>, uint32_t> known;
  for (const Rule& rule : format.rules) {
    PackedFormat::Step step;
    step.event = rule.event;
    step.slow = !rule.changes.empty();
    step.rank = rule.rank;
    for (size_t i = 1; i < rule.parts.size(); ++i) step.rows.push_back(RowFor(format, rule.parts[i], *out, known));
    step.second_leaf = rule.parts.size() > 1 ? rule.parts[1].leaf : 0;
    out->steps.push_back(std::move(step));
  }
  auto by_part = RulesByPart(format, true);
  out->lead_first.resize(format.leaves.size());
  out->leads.resize(format.leaves.size());
  out->boundary.resize(format.leaves.size());
  std::vector<uint32_t> targets;
  for (uint32_t leaf = 0; leaf < format.leaves.size(); ++leaf) {
    const Machine& machine = *format.leaves[leaf].machine;
    if (machine.has_boundary) out->boundary[leaf] = machine.boundary;
    for (uint32_t s = 0; s < machine.size(); ++s) {
      out->lead_first[leaf].push_back(static_cast<uint32_t>(out->leads[leaf].size()));
      auto add = [&](EventId event, uint32_t target) {
        auto rules = by_part[leaf].find(event);
        if (rules == by_part[leaf].end()) return;
        for (uint32_t r : rules->second) out->leads[leaf].push_back({DeltaOf(out->fields[leaf], s, target), r, target});
      };
      for (uint32_t e = machine.first[s]; e < machine.first[s + 1]; ++e)
        add(machine.edges[e].event, machine.edges[e].target);
      if (machine.omega == static_cast<int64_t>(s)) add(kOmegaEvent, s);
    }
    out->lead_first[leaf].push_back(static_cast<uint32_t>(out->leads[leaf].size()));
  }
  if (for_reduction) AddReduction(format, *out);
  return out;
}

}  // namespace heddle::csp
