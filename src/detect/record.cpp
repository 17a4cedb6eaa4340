#include "detect/record.h"

#include <algorithm>
#include <charconv>

namespace heddle::detect {
namespace {

constexpr std::string_view kHead = "heddle-detect 1\n";

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
    if (fields.Word(i) == "s" && !locks.empty()) {
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
  access.write = (flags & 1U) != 0;
  access.atomic = (flags & 2U) != 0;
  access.free = (flags & 4U) != 0;
  access.address = fields.Hex(3);
  access.bytes = fields.Number(4);
  return access;
}

// The lines of one group, from its first to before its "end".
using Group = std::vector<Fields>;

void AddRace(const Group& group, Record* record) {
  Race race;
  race.id = group[0].Small(1);
  int accesses = 0;
  bool block = false;
  for (const Fields& line : group) {
    Access& access = accesses <= 1 ? race.first : race.second;
    if (line.Word(0) == "access") {
      ++accesses;
      (accesses == 1 ? race.first : race.second) = ReadAccess(line);
    } else if (line.Word(0) == "block") {
      block = true;
      race.block = line.Hex(1);
      race.block_bytes = line.Number(2);
    } else if (line.Word(0) == "stack") {
      (block ? race.block_stack : access.stack) = ReadStack(line);
    } else if (line.Word(0) == "locks") {
      access.locks = ReadLocks(line);
    } else if (line.Word(0) == "ordered") {
      race.ordered = true;
    }
  }
  if (accesses == 2) record->races.push_back(std::move(race));
}

void AddMisuse(const Group& group, Record* record) {
  Misuse misuse{std::string(group[0].Word(1)), group[0].Small(2), group[0].Hex(3), {}, {}};
  for (const Fields& line : group) {
    if (line.Word(0) == "stack") misuse.stack = ReadStack(line);
    if (line.Word(0) == "locks") misuse.locks = ReadLocks(line);
  }
  record->misuses.push_back(std::move(misuse));
}

void AddEdge(const Group& group, Record* record) {
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
    if (line.Word(0) == "held") {
      for (size_t i = 1; i + 1 < line.size(); i += 2) edge.held[line.Number(i)] = line.Number(i + 1) != 0;
    } else if (line.Word(0) == "must") {
      edge.slot = line.Small(1);
      edge.epoch = line.Number(2);
      for (size_t i = 3; i + 1 < line.size(); i += 2) edge.before[line.Small(i)] = line.Number(i + 1);
    } else if (line.Word(0) == "stack") {
      (first ? edge.from_stack : edge.to_stack) = ReadStack(line);
      first = false;
    }
  }
  record->edges.push_back(std::move(edge));
}

Deadlock ReadDeadlock(const Group& group) {
  Deadlock deadlock;
  deadlock.everybody = group[0].Number(1) != 0;
  for (const Fields& line : group) {
    if (line.Word(0) == "waits") {
      deadlock.waiters.push_back({line.Small(1), std::string(line.Word(2)), line.Hex(3), {}, {}});
      continue;
    }
    if (deadlock.waiters.empty()) continue;
    Waiter& waiter = deadlock.waiters.back();
    if (line.Word(0) == "holds") waiter.holds.push_back({line.Hex(1), line.Number(2) != 0, {}});
    if (line.Word(0) == "stack") (waiter.holds.empty() ? waiter.stack : waiter.holds.back().stack) = ReadStack(line);
  }
  return deadlock;
}

std::string Rest(const Fields& line) {
  std::string text;
  for (size_t i = 1; i < line.size(); ++i) text += (i == 1 ? "" : " ") + std::string(line.Word(i));
  return text;
}

void AddAssertion(const Group& group, Record* record) {
  Assertion assertion;
  assertion.thread = group[0].Small(1);
  assertion.line = group[0].Small(2);
  for (const Fields& line : group) {
    if (line.Word(0) == "file") assertion.file = Rest(line);
    if (line.Word(0) == "function") assertion.function = Rest(line);
    if (line.Word(0) == "text") assertion.text = Rest(line);
  }
  record->assertions.push_back(std::move(assertion));
}

void AddGroup(const Group& group, Record* record) {
  std::string_view kind = group[0].Word(0);
  if (kind == "race") {
    AddRace(group, record);
  } else if (kind == "misuse") {
    AddMisuse(group, record);
  } else if (kind == "edge") {
    AddEdge(group, record);
  } else if (kind == "deadlock") {
    record->deadlocks.push_back(ReadDeadlock(group));
  } else if (kind == "hang") {
    record->hang = ReadDeadlock(group);
  } else if (kind == "assertion") {
    AddAssertion(group, record);
  } else if (kind == "created") {
    record->parents[group[0].Small(1)] = group[0].Small(2);
    for (const Fields& line : group) {
      if (line.Word(0) == "stack") record->creation_stacks[group[0].Small(1)] = ReadStack(line);
    }
  }
}

bool BeginsGroup(std::string_view kind) {
  return kind == "race" || kind == "misuse" || kind == "edge" || kind == "deadlock" || kind == "created" ||
         kind == "hang" || kind == "assertion";
}

// A line of its own: counts, modules, threads, the end.
void AddLine(std::string_view line, const Fields& fields, Record* record) {
  std::string_view kind = fields.Word(0);
  if (kind == "count") {
    for (Race& race : record->races) {
      if (race.id == fields.Small(1)) race.count = std::max<uint64_t>(race.count, fields.Number(2));
    }
  } else if (kind == "finished") {
    record->finished = true;
  } else if (kind == "resumed") {
    record->hang.reset();
  } else if (kind == "seccomp") {
    record->seccomp = true;
  } else if (kind == "option" || kind == "suppression") {
    std::string& text = kind == "option" ? record->options : record->suppressions;
    text += line.substr(std::min(line.size(), kind.size() + 1));
    text += '\n';
  } else if (kind == "allocator") {
    record->allocator = line.substr(std::min(line.size(), kind.size() + 1));
  } else if (kind == "limit") {
    record->limits.emplace_back(fields.Word(1));
  } else if (kind == "full" || kind == "edges-full") {
    record->full = true;
  } else {
    trace::ParseInfoText(line, &record->info);
  }
}

}  // namespace

bool IsRecord(std::string_view text) { return text.starts_with(kHead); }

Record ParseRecord(std::string_view text) {
  Record record;
  Group group;
  while (!text.empty()) {
    size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // cut off
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    Fields fields(line);
    if (fields.Word(0) == "end") {
      if (!group.empty()) AddGroup(group, &record);
      group.clear();
    } else if (BeginsGroup(fields.Word(0))) {
      group = {std::move(fields)};
    } else if (!group.empty()) {
      group.push_back(std::move(fields));
    } else {
      AddLine(line, fields, &record);
    }
  }
  return record;
}

}  // namespace heddle::detect
