#include "sched/shrink.h"

#include <algorithm>
#include <cstring>

namespace heddle::sched {

std::vector<wire::Switch> SwitchesOf(const Schedule& schedule) {
  std::vector<wire::Switch> switches;
  std::vector<uint64_t> done(schedule.threads.size(), 0);
  for (size_t i = 0; i < schedule.runs.size(); ++i) {
    const ScheduleRun& run = schedule.runs[i];
    done[run.thread] += run.count;
    bool last = i + 1 == schedule.runs.size();
    if (last || schedule.runs[i + 1].thread == run.thread) continue;
    switches.push_back({run.thread, schedule.runs[i + 1].thread, done[run.thread]});
  }
  return switches;
}

std::string CompileSwitches(const Schedule& schedule, std::vector<wire::Switch> switches) {
  std::sort(switches.begin(), switches.end(), [](const wire::Switch& a, const wire::Switch& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.after < b.after;
  });
  Schedule names;
  names.threads = schedule.threads;
  std::string bytes = CompileSchedule(names);  // header and names, no steps
  wire::FixedHeader header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  std::copy(std::begin(wire::kSwitchesMagic), std::end(wire::kSwitchesMagic), header.magic);
  header.steps = switches.size();
  std::memcpy(bytes.data(), &header, sizeof header);
  size_t at = bytes.size();
  bytes.resize(at + switches.size() * sizeof(wire::Switch));
  if (!switches.empty()) std::memcpy(bytes.data() + at, switches.data(), switches.size() * sizeof(wire::Switch));
  return bytes;
}

std::vector<wire::Switch> Shrink(std::vector<wire::Switch> switches,
                                 const std::function<bool(const std::vector<wire::Switch>&)>& fails,
                                 uint64_t patience) {
  uint64_t refused = 0;
  size_t parts = 2;
  while (!switches.empty()) {
    size_t part = (switches.size() + parts - 1) / parts;
    bool smaller = false;
    for (size_t begin = 0; begin < switches.size() && !smaller; begin += part) {
      std::vector<wire::Switch> rest(switches.begin(), switches.begin() + static_cast<ptrdiff_t>(begin));
      rest.insert(rest.end(), switches.begin() + static_cast<ptrdiff_t>(std::min(begin + part, switches.size())),
                  switches.end());
      if (fails(rest)) {
        switches = std::move(rest);
        smaller = true;
        refused = 0;
      } else if (patience != 0 && ++refused >= patience) {
        return switches;
      }
    }
    if (smaller) {
      parts = std::max<size_t>(2, parts - 1);
    } else if (part == 1) {
      break;
    } else {
      parts = std::min(switches.size(), parts * 2);
    }
  }
  return switches;
}

}  // namespace heddle::sched
