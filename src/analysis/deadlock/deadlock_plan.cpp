#include "analysis/deadlock/deadlock_plan.h"

#include <algorithm>
#include <cstring>

namespace heddle::analysis {
namespace {

using Code = std::vector<std::vector<symbolize::Module::Range>>;
using findings::Step;

bool HasLine(const Frame& frame) { return !frame.file.empty() && frame.line != 0; }

PlannedPlace PlaceOf(const Stack& stack) {
  PlannedPlace place;
  bool inlined = true;  // into what comes next
  for (const Frame& frame : stack) {
    if (IsLibraryFrame(frame) || !HasLine(frame)) continue;
    symbolize::SourceLine line{frame.file, frame.line};
    if (inlined) place.lines.push_back(line);
    inlined = inlined && frame.inlined;
    place.chain.push_back(std::move(line));
  }
  return place;
}

PlannedEdge EdgeOf(const Step& held, const Step& waits) {
  PlannedEdge edge;
  edge.from_start = held.what != "lock";
  if (!edge.from_start) edge.held = PlaceOf(held.stack);
  edge.waits = PlaceOf(waits.stack);
  return edge;
}

template <typename Visit>
void ForEachPlace(const Plan& plan, Visit visit) {
  for (uint32_t i = 0; i < plan.edges.size() && i < wire::kMaxSteerEdges; ++i) {
    if (!plan.edges[i].from_start) visit(wire::HeldPlace(i), plan.edges[i].held);
    visit(wire::WaitPlace(i), plan.edges[i].waits);
  }
}

const std::vector<symbolize::Module::Range>* CodeOf(const std::vector<symbolize::SourceLine>& lines, const Code& code,
                                                    const symbolize::SourceLine& line) {
  auto at = std::find(lines.begin(), lines.end(), line);
  return at == lines.end() ? nullptr : &code[static_cast<size_t>(at - lines.begin())];
}

}  // namespace

Plan PlanOf(const findings::Finding& deadlock) {
  std::vector<const Step*> sites = findings::Sites(deadlock);
  Plan plan;
  bool left = sites.size() == 3 && sites[1]->what == "end";
  if (left) {
    plan.shape = Plan::Shape::kLeft;
    plan.edges.push_back(EdgeOf(*sites[1], *sites[2]));
    return plan;
  }
  for (size_t i = 0; i + 1 < sites.size(); i += 2) plan.edges.push_back(EdgeOf(*sites[i], *sites[i + 1]));
  bool group = std::any_of(sites.begin(), sites.end(), [](const Step* step) { return step->row == 0; });
  plan.shape = group || plan.edges.size() == 1 ? Plan::Shape::kAny : Plan::Shape::kRing;
  return plan;
}

Plan RacePlanOf(const findings::Finding& race) {
  Plan plan;
  plan.shape = Plan::Shape::kRace;
  for (const Step* site : findings::Sites(race)) plan.edges.push_back({true, {}, PlaceOf(site->stack)});
  return plan;
}

std::vector<symbolize::SourceLine> LinesOf(const Plan& plan) {
  std::vector<symbolize::SourceLine> lines;
  ForEachPlace(plan, [&](uint32_t, const PlannedPlace& place) {
    for (const symbolize::SourceLine& line : place.chain) {
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
  });
  return lines;
}

bool CanBeReached(const Plan& plan, const Code& code) {
  std::vector<symbolize::SourceLine> lines = LinesOf(plan);
  size_t missing = 0, there = 0;
  ForEachPlace(plan, [&](uint32_t, const PlannedPlace& place) {
    const auto* ranges = place.lines.empty() ? nullptr : CodeOf(lines, code, place.lines[0]);
    bool found = ranges != nullptr && !ranges->empty();
    ++(found ? there : missing);
  });
  return there > 0 && (missing == 0 || plan.shape == Plan::Shape::kAny);
}

std::vector<symbolize::Module::Range> CodeOfEdge(const Plan& plan, size_t edge, const Code& code) {
  const Place& lines = plan.edges[edge].waits.lines;
  const auto* ranges = lines.empty() ? nullptr : CodeOf(LinesOf(plan), code, lines[0]);
  return ranges == nullptr ? std::vector<symbolize::Module::Range>() : *ranges;
}

std::string CompilePlan(const Plan& plan, const Code& code, const SteerSettings& settings) {
  std::vector<symbolize::SourceLine> lines = LinesOf(plan);
  std::vector<wire::SteerRange> ranges;
  ForEachPlace(plan, [&](uint32_t number, const PlannedPlace& place) {
    uint32_t frame = 0;
    for (const symbolize::SourceLine& line : settings.whole_chain ? place.chain : place.lines) {
      const auto* found = CodeOf(lines, code, line);
      // A caller without code is passed over; without its first line the place does not exist.
      if (found == nullptr || found->empty()) {
        if (frame == 0) break;
        continue;
      }
      for (const symbolize::Module::Range& range : *found) ranges.push_back({range.begin, range.end, number, frame});
      ++frame;
    }
  });
  wire::SteerHeader header{};
  std::copy(std::begin(wire::kSteerMagic), std::end(wire::kSteerMagic), header.magic);
  header.edges = static_cast<uint32_t>(std::min<size_t>(plan.edges.size(), wire::kMaxSteerEdges));
  for (uint32_t i = 0; i < header.edges; ++i) header.from_start |= plan.edges[i].from_start ? 1U << i : 0U;
  header.chance = settings.chance;
  header.ranges = static_cast<uint32_t>(ranges.size());
  header.patience = settings.patience;
  header.goal = plan.shape == Plan::Shape::kRace ? wire::SteerGoal::kRace : wire::SteerGoal::kCycle;
  std::string bytes(sizeof header + ranges.size() * sizeof(wire::SteerRange), '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  if (!ranges.empty()) {
    std::memcpy(bytes.data() + sizeof header, ranges.data(), ranges.size() * sizeof(wire::SteerRange));
  }
  return bytes;
}

}  // namespace heddle::analysis
