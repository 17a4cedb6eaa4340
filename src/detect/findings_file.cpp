#include "detect/findings_file.h"

#include <algorithm>
#include <charconv>

#include "wire/findings_file.h"

namespace heddle::detect {
namespace {

using wire::FindingLine;

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    size_t end = line.find(' ');
    if (end != 0) words.push_back(line.substr(0, end));
    if (end == std::string_view::npos) break;
    line.remove_prefix(end + 1);
  }
  return words;
}

// The numbers behind the first word; anything else counts as 0.
class Fields {
 public:
  explicit Fields(std::string_view line) : words_(Words(line)) {}

  std::string_view Word(size_t i) const { return i < words_.size() ? words_[i] : std::string_view{}; }
  FindingLine line() const { return wire::FromWord<FindingLine>(Word(0)); }
  bool Is(FindingLine line) const { return Word(0) == WordOf(line); }
  size_t size() const { return words_.size(); }
  uint64_t Number(size_t i, int base = 10) const {
    std::string_view word = Word(i);
    uint64_t value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value, base);
    return value;
  }
  uint32_t Small(size_t i) const { return static_cast<uint32_t>(Number(i)); }
  uint64_t Hex(size_t i) const { return Number(i, 16); }

 private:
  std::vector<std::string_view> words_;
};

std::vector<uint64_t> ReadStack(const Fields& fields) {
  std::vector<uint64_t> stack;
  for (size_t i = 1; i < fields.size(); ++i) stack.push_back(fields.Hex(i));
  return stack;
}

std::vector<Held> ReadLocks(const Fields& fields) {
  std::vector<Held> locks;
  for (size_t i = 1; i < fields.size(); ++i) {
    if (fields.Word(i) == wire::kSharedMark && !locks.empty()) {
      locks.back().shared = true;
    } else {
      locks.push_back({fields.Hex(i), false, {}});
    }
  }
  return locks;
}

Access ReadAccess(const Fields& fields) {
  Access access;
  access.thread = fields.Small(1);
  uint64_t flags = fields.Number(2);
  access.write = (flags & wire::kAccessWrite) != 0;
  access.atomic = (flags & wire::kAccessAtomic) != 0;
  access.free = (flags & wire::kAccessFree) != 0;
  access.address = fields.Hex(3);
  access.bytes = fields.Number(4);
  return access;
}

// The lines of one group, from its first to before its "end".
using Group = std::vector<Fields>;

void AddRace(const Group& group, FindingsFile* file) {
  Race race;
  race.id = group[0].Small(1);
  int accesses = 0;
  bool block = false;
  for (const Fields& line : group) {
    Access& access = accesses <= 1 ? race.first : race.second;
    if (line.Is(FindingLine::kAccess)) {
      ++accesses;
      (accesses == 1 ? race.first : race.second) = ReadAccess(line);
    } else if (line.Is(FindingLine::kBlock)) {
      block = true;
      race.block = line.Hex(1);
      race.block_bytes = line.Number(2);
    } else if (line.Is(FindingLine::kStack)) {
      (block ? race.block_stack : access.stack) = ReadStack(line);
    } else if (line.Is(FindingLine::kLocks)) {
      access.locks = ReadLocks(line);
    } else if (line.Is(FindingLine::kOrdered)) {
      race.ordered = true;
    }
  }
  if (accesses == 2) file->races.push_back(std::move(race));
}

void AddMisuse(const Group& group, FindingsFile* file) {
  Misuse misuse;
  misuse.what = group[0].Word(1);
  misuse.thread = group[0].Small(2);
  misuse.object = group[0].Hex(3);
  bool block = false;
  for (const Fields& line : group) {
    if (line.Is(FindingLine::kStack)) (block ? misuse.block_stack : misuse.stack) = ReadStack(line);
    if (line.Is(FindingLine::kLocks)) misuse.locks = ReadLocks(line);
    if (line.Is(FindingLine::kAccess)) misuse.access = ReadAccess(line);
    if (!line.Is(FindingLine::kBlock)) continue;
    block = true;
    misuse.block = line.Hex(1);
    misuse.block_bytes = line.Number(2);
  }
  file->misuses.push_back(std::move(misuse));
}

void AddEdge(const Group& group, FindingsFile* file) {
  LockEdge edge;
  const Fields& head = group[0];
  edge.thread = head.Small(1);
  edge.from = head.Number(2);
  edge.from_address = head.Hex(3);
  edge.from_shared = head.Number(4) != 0;
  edge.to = head.Number(5);
  edge.to_address = head.Hex(6);
  edge.to_shared = head.Number(7) != 0;
  bool first = true;
  for (const Fields& line : group) {
    if (line.Is(FindingLine::kHeld)) {
      for (size_t i = 1; i + 1 < line.size(); i += 2) edge.held[line.Number(i)] = line.Number(i + 1) != 0;
    } else if (line.Is(FindingLine::kMust)) {
      edge.slot = line.Small(1);
      edge.epoch = line.Number(2);
      for (size_t i = 3; i + 1 < line.size(); i += 2) edge.before[line.Small(i)] = line.Number(i + 1);
    } else if (line.Is(FindingLine::kStack)) {
      (first ? edge.from_stack : edge.to_stack) = ReadStack(line);
      first = false;
    }
  }
  file->edges.push_back(std::move(edge));
}

// What is not in the table is a call as well: a thread that waits is never left out.
wire::WaitKind ReadWait(std::string_view word) {
  auto kind = wire::FromWord<wire::WaitKind>(word);
  return kind == wire::WaitKind::kUnknown ? wire::WaitKind::kCall : kind;
}

Deadlock ReadDeadlock(const Group& group) {
  Deadlock deadlock;
  deadlock.everybody = group[0].Number(1) != 0;
  for (const Fields& line : group) {
    if (line.Is(FindingLine::kWaits)) {
      deadlock.waiters.push_back({line.Small(1), ReadWait(line.Word(2)), line.Hex(3), {}, {}});
      continue;
    }
    if (deadlock.waiters.empty()) continue;
    Waiter& waiter = deadlock.waiters.back();
    if (line.Is(FindingLine::kHolds)) waiter.holds.push_back({line.Hex(1), line.Number(2) != 0, {}});
    if (line.Is(FindingLine::kStack))
      (waiter.holds.empty() ? waiter.stack : waiter.holds.back().stack) = ReadStack(line);
  }
  return deadlock;
}

std::string Rest(const Fields& line) {
  std::string text;
  for (size_t i = 1; i < line.size(); ++i) text += (i == 1 ? "" : " ") + std::string(line.Word(i));
  return text;
}

void AddAssertion(const Group& group, FindingsFile* file) {
  Assertion assertion;
  assertion.thread = group[0].Small(1);
  assertion.line = group[0].Small(2);
  for (const Fields& line : group) {
    if (line.Is(FindingLine::kFile)) assertion.file = Rest(line);
    if (line.Is(FindingLine::kFunction)) assertion.function = Rest(line);
    if (line.Is(FindingLine::kText)) assertion.text = Rest(line);
  }
  file->assertions.push_back(std::move(assertion));
}

void AddCreation(const Group& group, FindingsFile* file) {
  file->parents[group[0].Small(1)] = group[0].Small(2);
  for (const Fields& line : group) {
    if (line.Is(FindingLine::kStack)) file->creation_stacks[group[0].Small(1)] = ReadStack(line);
  }
}

void AddGroup(const Group& group, FindingsFile* file) {
  switch (group[0].line()) {
    case FindingLine::kRace:
      return AddRace(group, file);
    case FindingLine::kMisuse:
      return AddMisuse(group, file);
    case FindingLine::kEdge:
      return AddEdge(group, file);
    case FindingLine::kDeadlock:
      file->deadlocks.push_back(ReadDeadlock(group));
      return;
    case FindingLine::kHang:
      file->hang = ReadDeadlock(group);
      return;
    case FindingLine::kAssertion:
      return AddAssertion(group, file);
    case FindingLine::kCreated:
      return AddCreation(group, file);
    default:  // kStopped: sched/control_lines.h
      return;
  }
}

void AddCount(const Fields& fields, FindingsFile* file) {
  for (Race& race : file->races) {
    if (race.id == fields.Small(1)) race.count = std::max<uint64_t>(race.count, fields.Number(2));
  }
}

// What stands behind the first word.
std::string_view Behind(std::string_view line, FindingLine word) {
  return line.substr(std::min(line.size(), std::string_view(WordOf(word)).size() + 1));
}

// A line of its own: counts, modules, threads, the end.
void AddLine(std::string_view line, const Fields& fields, FindingsFile* file) {
  FindingLine kind = fields.line();
  switch (kind) {
    case FindingLine::kCount:
      return AddCount(fields, file);
    case FindingLine::kFinished:
      file->finished = true;
      return;
    case FindingLine::kResumed:
      return file->hang.reset();
    case FindingLine::kSeccomp:
      file->seccomp = true;
      return;
    case FindingLine::kOption:
      file->options.append(Behind(line, kind)).append("\n");
      return;
    case FindingLine::kSuppression:
      file->suppressions.append(Behind(line, kind)).append("\n");
      return;
    case FindingLine::kAllocator:
      file->allocator_call = fields.Word(1);
      file->allocator = Behind(line, kind);
      file->allocator.erase(0, file->allocator_call.size() + 1);
      return;
    case FindingLine::kLimit:
      file->limits.emplace_back(fields.Word(1));
      return;
    case FindingLine::kFull:
    case FindingLine::kEdgesFull:
      file->full = true;
      return;
    default:
      return trace::ParseInfoText(line, &file->info);
  }
}

}  // namespace

bool IsFindingsFile(std::string_view text) { return text.starts_with(wire::kFindingsHead); }

FindingsFile ParseFindingsFile(std::string_view text) {
  FindingsFile file;
  Group group;
  while (!text.empty()) {
    size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // cut off
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    Fields fields(line);
    if (fields.Is(FindingLine::kEnd)) {
      if (!group.empty()) AddGroup(group, &file);
      group.clear();
    } else if (BeginsGroup(fields.line())) {
      group = {std::move(fields)};
    } else if (!group.empty()) {
      group.push_back(std::move(fields));
    } else {
      AddLine(line, fields, &file);
    }
  }
  return file;
}

}  // namespace heddle::detect
