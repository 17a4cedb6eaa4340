#include "explore/answer.h"

#include <algorithm>

namespace heddle::explore {

using wire::LinkEnd;

void PutRequest(const Request& request, wire::ExploreLink* link) {
  link->strategy = wire::Strategy::kExplore;
  link->prefix_length = request.prefix.size();
  std::copy(request.prefix.begin(), request.prefix.end(), link->prefix);
  link->sleepers = static_cast<uint32_t>(request.sleeping.size());
  std::copy(request.sleeping.begin(), request.sleeping.end(), link->sleeping);
  link->sleep_from = request.sleep_from;
  link->commute = request.commute ? 1 : 0;
}

void TakeAnswer(const wire::ExploreLink& link, Execution* execution) {
  execution->events.assign(link.event, link.event + link.events);
  execution->options.assign(link.option, link.option + link.options);
  execution->accesses.assign(link.access, link.access + link.accesses);
  execution->accesses_known = link.log_accesses != 0 && link.accesses_lost == wire::kLostNone;
  execution->pending.clear();
  execution->end = End::kDone;
  if (link.end <= LinkEnd::kDiverged) execution->end = static_cast<End>(link.end);
  if (link.end == LinkEnd::kLivelock) execution->end = End::kDeadlock;
  bool whole = execution->end == End::kDone || execution->end == End::kDeadlock || execution->end == End::kBlocked ||
               execution->end == End::kAsleep;
  if (!whole) return;
  uint16_t last = execution->events.empty() ? 0 : execution->events.back().thread;
  if (link.end == LinkEnd::kRunning) {
    // It was killed in the middle: no other thread does anything behind that.
    wire::ExploredEvent crash;
    crash.thread = last;
    crash.flags = wire::kGlobal | wire::kWrites;
    if (!execution->events.empty()) crash.enabled = execution->events.back().enabled;
    execution->events.push_back(crash);
  }
  for (uint32_t i = 0; i < link.threads && i < wire::kMaxSampled; ++i) {
    if ((link.live[i / 64] >> i % 64 & 1U) == 0) continue;
    bool stays =
        execution->end == End::kDeadlock || execution->end == End::kAsleep || link.crash_signal != 0 || i != last;
    if (stays) execution->pending.push_back(link.pending[i]);
  }
}

}  // namespace heddle::explore
