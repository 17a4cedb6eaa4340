#include <fmt/format.h>
#include <llvm/IR/Instructions.h>

#include "deadlock/cycles/describe.h"
#include "deadlock/cycles/names.h"
#include "deadlock/races/races.h"

namespace heddle::deadlock {
namespace {

using findings::Finding;
using findings::Memory;

const char* WordOf(const Access& access) {
  if (access.atomic) return access.writes ? "atomic-write" : "atomic-read";
  return access.writes ? "write" : "read";
}

std::string AddThread(const Locksets& locksets, OriginId id, bool second, Finding* finding) {
  const Origin& origin = locksets.origins()[id];
  findings::ThreadInfo thread;
  bool main = origin.create == nullptr && !origin.anytime;
  thread.id = main ? "T0" : second ? "T2" : "T1";
  thread.name = ThreadName(origin);
  if (origin.create != nullptr) thread.creation_stack = PlaceOf(*origin.create);
  finding->threads.push_back(thread);
  return thread.id;
}

findings::Step SiteOf(const Locksets& locksets, const AccessLog& log, const Access& access, const std::string& name) {
  findings::Step step;
  step.what = WordOf(access);
  step.operand = name;
  step.stack = ChainOf(locksets, access.context, *access.at);
  for (const MustLock& lock : log.moment(access.moment).must) {
    if (locksets.transfer().IsThread(lock.loc)) continue;
    step.locks.push_back(LockName(locksets.facts().points().locations(), lock.loc) +
                         (lock.mode == Mode::kRead ? " (shared)" : ""));
  }
  return step;
}

Memory::Where WhereIs(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::kGlobal:
      return Memory::Where::kGlobal;
    case ObjectKind::kHeap:
      return Memory::Where::kHeap;
    case ObjectKind::kStack:
      return Memory::Where::kStack;
    default:
      return Memory::Where::kUnknown;
  }
}

}  // namespace

Finding Describe(const Locksets& locksets, const AccessLog& log, const Race& race) {
  Finding finding;
  finding.kind = findings::Kind::kDataRace;
  finding.status = findings::FindingStatus::kPossible;
  finding.status_note =
      race.rank == 0 ? "static, one object, sometimes locked" : fmt::format("static, rank {}", race.rank);
  bool both = race.first->writes && race.second->writes;
  finding.message =
      fmt::format("`{}` may be {} by two threads at the same time", race.name, both ? "written" : "written and read");
  finding.count = race.others + 1;
  const Access* sites[] = {race.first, race.second};
  OriginId threads[] = {race.threads.first, race.threads.second};
  for (uint32_t i = 0; i < 2; ++i) {
    findings::Step step = SiteOf(locksets, log, *sites[i], race.name);
    step.site = i + 1;
    step.thread = AddThread(locksets, threads[i], i == 1, &finding);
    finding.steps.push_back(std::move(step));
  }
  finding.memory.where = WhereIs(locksets.facts().points().locations().object_of(race.first->loc).kind);
  finding.memory.name = race.name;
  finding.why = "no lock is surely held at both places, and nothing orders the threads";
  if (race.usual_lock != kNoLoc) {
    finding.why =
        fmt::format("`{}` is held at {} of the {} places that access it, but not at both of these",
                    LockName(locksets.facts().points().locations(), race.usual_lock), race.locked_places, race.places);
  }
  finding.help = "hold one lock around both accesses, or make them atomic";
  return finding;
}

}  // namespace heddle::deadlock
