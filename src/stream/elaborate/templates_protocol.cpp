// Templates about the order of events rather than about sets of locks. They are in TeSSLa 1.2.
#include <fmt/format.h>

#include "stream/elaborate/templates.h"

namespace heddle::stream {

std::string LockOrderTemplate() {
  return R"(# Two locks that are taken in both orders, by different threads or one: a deadlock in another schedule.
in threadid: Events[Int]
in mutexlockaddr: Events[Int]
in mutexunlockaddr: Events[Int]
in line: Events[Int]
in function: Events[String]

def locksOf(held: Map[Int, Set[Int]], thread: Int): Set[Int] = Map.getOrElse(held, thread, Set.empty[Int])
def held: Events[Map[Int, Set[Int]]] = default(
  lift4(last(held, merge(mutexlockaddr, mutexunlockaddr)), threadid, mutexlockaddr, mutexunlockaddr,
    (h: Option[Map[Int, Set[Int]]], t: Option[Int], l: Option[Int], u: Option[Int]) =>
      if isNone(h) then None
      else if isSome(t) && isSome(l) then Some(Map.add(getSome(h), getSome(t), Set.add(locksOf(getSome(h), getSome(t)), getSome(l))))
      else if isSome(t) && isSome(u) then Some(Map.add(getSome(h), getSome(t), Set.remove(locksOf(getSome(h), getSome(t)), getSome(u))))
      else h),
  Map.empty[Int, Set[Int]])

# The pairs (held, taken) of each lock operation.
def taken = lift3(last(held, mutexlockaddr), threadid, mutexlockaddr,
  (h: Option[Map[Int, Set[Int]]], t: Option[Int], l: Option[Int]) =>
    if isSome(h) && isSome(t) && isSome(l)
    then Some(Set.map(locksOf(getSome(h), getSome(t)), (other: Int) => (other, getSome(l)))) else None)
def edges: Events[Set[(Int, Int)]] = default(
  lift2(last(edges, taken), taken, (e: Option[Set[(Int, Int)]], t: Option[Set[(Int, Int)]]) =>
    if isSome(e) && isSome(t) then Some(Set.union(getSome(e), getSome(t))) else None),
  Set.empty[(Int, Int)])
def reversed = lift2(last(edges, taken), taken, (e: Option[Set[(Int, Int)]], t: Option[Set[(Int, Int)]]) =>
  if isNone(e) || isNone(t) then None else {
    def back = Set.fold(getSome(t), Set.empty[(Int, Int)], (r: Set[(Int, Int)], p: (Int, Int)) =>
      if Set.contains(getSome(e), (p._2, p._1)) then Set.add(r, p) else r)
    if Set.size(back) > 0 then Some(back) else None
  })
@finding("lock-order", "two locks are taken in both orders")
out reversed as error_lock_order
out at(reversed, threadid) as thread_locking
out at(reversed, line) as error_in_line
out at(reversed, function) as error_in_function
)";
}

std::string OneWriterTemplate(const TemplateOptions& options) {
  std::string out =
      "# Each variable has one thread that writes it.\n"
      "in threadid: Events[Int]\nin writevar: Events[String]\nin line: Events[Int]\nin function: Events[String]\n";
  for (const std::string& x : options.variables) {
    out += fmt::format(R"(
def write_{0} = lift1(writevar, (v: Option[String]) => if getSome(v) == "{1}" then Some(()) else None)
def writing_{0} = at(write_{0}, threadid)
def writer_{0} = firstEvent(writing_{0})
def other_{0} = filter(writing_{0}, writing_{0} != writer_{0})
@finding("property", "a second thread writes `{1}`")
out at(other_{0}, line) as error_{0}_in_line
out at(other_{0}, function) as error_{0}_in_function
out other_{0} as thread_writing_{0}
)",
                       StreamName(x), x);
  }
  return out;
}

std::string HandoverTemplate(const TemplateOptions& options) {
  std::string out =
      R"(# A variable may reach another thread only through a lock: the writer releases one after the write, and the other thread
# takes one after that.
in threadid: Events[Int]
in readvar: Events[String]
in writevar: Events[String]
in mutexlockaddr: Events[Int]
in mutexunlockaddr: Events[Int]
in line: Events[Int]
in function: Events[String]

type Hand = {written: Bool, writer: Int, released: Bool, safe: Set[Int]}
def untouched: Hand = {written = false, writer = 0, released = false, safe = Set.empty[Int]}
)";
  for (const std::string& x : options.variables) {
    out += fmt::format(R"(
def touches_{0} = merge(
  lift1(writevar, (v: Option[String]) => if getSome(v) == "{1}" then Some(1) else None),
  lift1(readvar, (v: Option[String]) => if getSome(v) == "{1}" then Some(0) else None))
def access_{0} = at(touches_{0}, threadid)
def steps_{0} = mergeUnit3(touches_{0}, mutexlockaddr, mutexunlockaddr)
def hand_{0}: Events[Hand] = default(
  lift5(last(hand_{0}, steps_{0}), threadid, touches_{0}, mutexlockaddr, mutexunlockaddr,
    (h: Option[Hand], t: Option[Int], a: Option[Int], l: Option[Int], u: Option[Int]) =>
      if isNone(h) then None
      else if isNone(t) then h
      else {{
        def old = getSome(h)
        def thread = getSome(t)
        if isSome(a) && getSome(a) == 1 then Some({{written = true, writer = thread, released = false, safe = Set.singleton(thread)}})
        else if isSome(u) && thread == old.writer then Some({{written = old.written, writer = old.writer, released = true, safe = old.safe}})
        else if isSome(l) && old.released then Some({{written = old.written, writer = old.writer, released = true, safe = Set.add(old.safe, thread)}})
        else h
      }}),
  untouched)
def unsafe_{0} = lift2(last(hand_{0}, access_{0}), access_{0}, (h: Option[Hand], t: Option[Int]) =>
  if isSome(h) && isSome(t) && getSome(h).written && !Set.contains(getSome(h).safe, getSome(t)) then t else None)
@finding("order", "`{1}` reaches another thread without a lock in between")
out at(unsafe_{0}, line) as error_{0}_in_line
out at(unsafe_{0}, function) as error_{0}_in_function
out unsafe_{0} as thread_accessing_{0}
)",
                       StreamName(x), x);
  }
  return out;
}

std::string TypestateTemplate(const TemplateOptions& options) {
  std::string uses;
  for (const std::string& use : options.uses) uses += fmt::format("{}call == \"{}\"", uses.empty() ? "" : " || ", use);
  if (uses.empty()) uses = "false";
  return fmt::format(R"(# An object may be used only between `{0}` and `{1}`.
in call: Events[String]
in object: Events[Int]
in threadid: Events[Int]
in line: Events[Int]
in function: Events[String]

# 0: not yet {0}, 1: in use, 2: after {1}
def isUse(call: String): Bool = {2}
def next(state: Int, call: String): Int =
  if call == "{0}" then 1 else if call == "{1}" then 2 else state
def isWrong(state: Int, call: String): Bool =
  (isUse(call) && state != 1) || (call == "{1}" && state != 1) || (call == "{0}" && state == 1)

def steps = lift2(call, object, (c: Option[String], o: Option[Int]) =>
  if isSome(c) && isSome(o) then Some((getSome(c), getSome(o))) else None)
def states: Events[Map[Int, Int]] = default(
  lift2(last(states, steps), steps, (m: Option[Map[Int, Int]], s: Option[(String, Int)]) =>
    if isNone(m) then None
    else Some(Map.add(getSome(m), getSome(s)._2, next(Map.getOrElse(getSome(m), getSome(s)._2, 0), getSome(s)._1)))),
  Map.empty[Int, Int])
def wrong = lift2(last(states, steps), steps, (m: Option[Map[Int, Int]], s: Option[(String, Int)]) =>
  if isSome(m) && isWrong(Map.getOrElse(getSome(m), getSome(s)._2, 0), getSome(s)._1) then Some(getSome(s)._1) else None)
@finding("property", "a call outside of `{0}` ... `{1}`")
out wrong as error_call
out at(wrong, object) as error_object
out at(wrong, threadid) as thread_calling
out at(wrong, line) as error_in_line
out at(wrong, function) as error_in_function
)",
                     options.init, options.end, uses);
}

std::string ResponseTemplate(const TemplateOptions& options) {
  return fmt::format(
      R"(# Every `{0}` is followed by `{1}` within {2} time units. Requests that are open together share the earliest deadline.
in call: Events[String]
in line: Events[Int]
in function: Events[String]

def request = lift1(call, (c: Option[String]) => if getSome(c) == "{0}" then Some(()) else None)
def response = lift1(call, (c: Option[String]) => if getSome(c) == "{1}" then Some(()) else None)
# true while a request is open
def open: Events[Bool] = default(lift3(request, response, late, (q: Option[Unit], s: Option[Unit], l: Option[Unit]) =>
  Some(isSome(q))), false)
def opening = lift2(request, last(open, request), (q: Option[Unit], o: Option[Bool]) =>
  if isSome(q) && !getSomeOrElse(o, false) then q else None)
# Armed by the first open request, cancelled by the response.
def late: Events[Unit] = delay(const({2}, opening), mergeUnit2(opening, response))
@finding("property", "`{0}` is not answered by `{1}` in time")
out late as error_late
out on(late, last(time(opening), late)) as request_time
out on(late, on(opening, line)) as error_in_line
out on(late, on(opening, function)) as error_in_function
)",
      options.request, options.response, options.within);
}

}  // namespace heddle::stream
