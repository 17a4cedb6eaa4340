// The lockset templates, after "Stream-based dynamic data race detection", figure 3 and the section on locksets without
// sets. They are in the dialect of that paper.
#include <fmt/format.h>

#include "stream/elaborate/templates.h"

namespace heddle::stream {
namespace {

std::string Heading(const std::string& text) {
  return fmt::format("\n-- {} {}\n", text, std::string(100 - text.size(), '-'));
}

std::string Inputs(bool locks) {
  std::string out =
      "in threadid: Events[Int]\n"
      "in readvar: Events[String]\n"
      "in writevar: Events[String]\n";
  if (locks) out += "in mutexlockaddr: Events[Int]\nin mutexunlockaddr: Events[Int]\n";
  return out + "in line: Events[Int]\nin function: Events[String]\n";
}

// id_0 is the first value of the stream, id_1 the first that differs from it, and so on.
std::string Identities(const std::string& stream, const std::string& id, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    std::string differs;
    for (int j = 0; j < i; ++j) differs += fmt::format("{}{} != {}{}", j > 0 ? " && " : "", stream, id, j);
    out += i == 0 ? fmt::format("def {}0 := firstEvent({})\n", id, stream)
                  : fmt::format("def {}{} := firstEvent(if {} then {})\n", id, i, differs, stream);
  }
  return out;
}

std::string Threads(int count) {
  std::string out = Heading("THREADS: T0 is the first to appear, T1 the next, ...");
  out += Identities("threadid", "thread_id_", count);
  for (int i = 0; i < count; ++i) out += fmt::format("def T{0} := if threadid == thread_id_{0} then ()\n", i);
  return out;
}

std::string Accesses(const std::vector<std::string>& variables) {
  std::string out = Heading("SHARED VARIABLES");
  for (const std::string& x : variables) {
    out += fmt::format(
        "def read_{0} := if readvar==\"{1}\" then ()\n"
        "def write_{0} := if writevar==\"{1}\" then ()\n"
        "def access_{0} := merge(read_{0}, write_{0})\n"
        "def thread_accessing_{0} := on(access_{0}, threadid)\n"
        "out thread_accessing_{0}\n",
        StreamName(x), x);
  }
  return out;
}

std::string ErrorStreams(const std::string& x, const std::string& variable) {
  return fmt::format(
      "def error_{0}_in_line := on(error_{0}, line)\n"
      "@finding(\"data-race\", \"no lock protects all accesses to `{1}`\")\n"
      "out error_{0}_in_line\n"
      "def error_{0}_in_function := on(error_{0}, function)\n"
      "out error_{0}_in_function\n",
      x, variable);
}

}  // namespace

std::string LocksetTemplate(const TemplateOptions& options) {
  std::string out = fmt::format("-- The lockset algorithm for {} and {} threads.\n", fmt::join(options.variables, ", "),
                                options.threads);
  out += Inputs(true) + Threads(options.threads) + Accesses(options.variables) + Heading("HOLDING LOCKS");
  for (int i = 0; i < options.threads; ++i) {
    out += fmt::format(
        "def T{0}_holding_locks := collectSetWithRemove(on(T{0}, mutexlockaddr), on(T{0}, mutexunlockaddr))\n", i);
  }
  for (const std::string& variable : options.variables) {
    std::string x = StreamName(variable);
    out += Heading("CHECKING " + variable);
    std::vector<std::string> parts;
    for (int i = 0; i < options.threads; ++i) {
      parts.push_back(fmt::format("T{}_holding_locks_accessing_{}", i, x));
      out += fmt::format("def {} := last(T{}_holding_locks, on(T{}, access_{}))\n", parts.back(), i, i, x);
    }
    out += fmt::format(
        "def holding_{0} := mergeValues({1})\n"
        "out holding_{0}\n"
        "def guarding_{0} := default(Set_intersection(last(guarding_{0}, holding_{0}), holding_{0}), holding_{0})\n"
        "out guarding_{0}\n"
        "def error_{0} := if guarding_{0}==Set_empty then ()\n",
        x, fmt::join(parts, ", "));
    out += ErrorStreams(x, variable);
  }
  return out;
}

// Who holds lock j is a stream of its own; lock j protects x as long as every access found it held by the thread that
// accesses. No stream carries a set, so this variant also becomes hardware.
std::string LocksetWithoutSets(const TemplateOptions& options) {
  std::string out = fmt::format("-- The lockset algorithm without sets for {}, {} threads and {} locks.\n",
                                fmt::join(options.variables, ", "), options.threads, options.locks);
  out += Inputs(true) + Heading("LOCKS: lock 0 is the first to be taken, lock 1 the next, ...");
  out += Identities("mutexlockaddr", "lock_id_", options.locks);
  for (int j = 0; j < options.locks; ++j) {
    out += fmt::format(
        "def lock_{0} := if mutexlockaddr == lock_id_{0} then ()\n"
        "def unlock_{0} := if mutexunlockaddr == lock_id_{0} then ()\n"
        "def taken_{0} := on(on(mutexlockaddr, lock_{0}), threadid)\n"
        "def released_{0} := const(-1, on(mutexunlockaddr, unlock_{0}))\n"
        "def holder_{0} := default(mergeValues(taken_{0}, released_{0}), -1)\n",
        j);
  }
  out += Accesses(options.variables);
  for (const std::string& variable : options.variables) {
    std::string x = StreamName(variable);
    out += Heading("CHECKING " + variable);
    std::vector<std::string> none;
    for (int j = 0; j < options.locks; ++j) {
      out += fmt::format(
          "def protecting_{0}_with_{1} := default(last(protecting_{0}_with_{1}, access_{0}) && "
          "thread_accessing_{0} == last(holder_{1}, access_{0}), true)\n",
          x, j);
      none.push_back(fmt::format("!protecting_{}_with_{}", x, j));
    }
    out += fmt::format("def error_{} := if {} then ()\n", x, fmt::join(none, " && "));
    out += ErrorStreams(x, variable);
  }
  return out;
}

std::string LocksetOfAddresses() {
  return R"(# The lockset algorithm for every address: a map from threads to the locks they hold, and a map from addresses to what
# is known about them. An address is reported when two threads have accessed it, one of them writing, and no lock was
# held in all accesses since the first.
in threadid: Events[Int]
in readaddr: Events[Int]
in writeaddr: Events[Int]
in mutexlockaddr: Events[Int]
in mutexunlockaddr: Events[Int]
in line: Events[Int]
in function: Events[String]

type Known = {locks: Set[Int], first: Int, shared: Bool, written: Bool}

def locksOf(held: Map[Int, Set[Int]], thread: Int): Set[Int] = Map.getOrElse(held, thread, Set.empty[Int])

# Which locks each thread holds.
def held: Events[Map[Int, Set[Int]]] = default(
  lift4(last(held, merge(mutexlockaddr, mutexunlockaddr)), threadid, mutexlockaddr, mutexunlockaddr,
    (h: Option[Map[Int, Set[Int]]], t: Option[Int], l: Option[Int], u: Option[Int]) =>
      if isNone(h) then None
      else if isSome(t) && isSome(l) then Some(Map.add(getSome(h), getSome(t), Set.add(locksOf(getSome(h), getSome(t)), getSome(l))))
      else if isSome(t) && isSome(u) then Some(Map.add(getSome(h), getSome(t), Set.remove(locksOf(getSome(h), getSome(t)), getSome(u))))
      else h),
  Map.empty[Int, Set[Int]])

def access = merge(readaddr, writeaddr)
def thread_accessing = at(access, threadid)
def holding = lift2(last(held, access), thread_accessing, (h: Option[Map[Int, Set[Int]]], t: Option[Int]) =>
  if isSome(h) && isSome(t) then Some(locksOf(getSome(h), getSome(t))) else None)

def update(old: Option[Known], thread: Int, locks: Set[Int], write: Bool): Known = {
  def before = getSomeOrElse(old, {locks = locks, first = thread, shared = false, written = false})
  {locks = Set.intersection(before.locks, locks), first = before.first, shared = before.shared || thread != before.first,
   written = before.written || write}
}
def find(known: Map[Int, Known], address: Int): Option[Known] =
  if Map.contains(known, address) then Some(Map.get(known, address)) else None

def known: Events[Map[Int, Known]] = default(
  lift5(last(known, access), access, thread_accessing, holding, writeaddr,
    (k: Option[Map[Int, Known]], a: Option[Int], t: Option[Int], h: Option[Set[Int]], w: Option[Int]) =>
      if isSome(k) && isSome(a) && isSome(t) && isSome(h)
      then Some(Map.add(getSome(k), getSome(a), update(find(getSome(k), getSome(a)), getSome(t), getSome(h), isSome(w))))
      else k),
  Map.empty[Int, Known])

def error_at_address = lift2(known, access, (k: Option[Map[Int, Known]], a: Option[Int]) =>
  if isNone(k) || isNone(a) || !Map.contains(getSome(k), getSome(a)) then None
  else {
    def state = Map.get(getSome(k), getSome(a))
    if state.shared && state.written && Set.size(state.locks) == 0 then a else None
  })
@finding("data-race", "no lock protects all accesses to one address")
out error_at_address
out at(error_at_address, thread_accessing) as thread_accessing
out at(error_at_address, holding) as holding
out at(error_at_address, line) as error_in_line
out at(error_at_address, function) as error_in_function
)";
}

}  // namespace heddle::stream
