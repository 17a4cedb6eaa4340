#include <array>

#include "findings/explain_texts.h"

namespace heddle::findings {
namespace {

constexpr std::array<Explanation, 6> kOrderTexts = {{
    {Kind::kDataRace, "Data race",
     R"(Two threads access the same memory, at least one of them writes, not both
accesses are atomic, and nothing orders one before the other.)",
     R"(int n;
void* worker(void* arg) { n++; return arg; }     // two threads run this)",
     R"(The C and C++ standards give such a program no meaning at all. In practice
updates get lost, values are torn, a pointer is seen before what it points to,
and the compiler may keep the value in a register for ever or write it early.
"It is only a flag" is no excuse: the compiler does not know that.)",
     R"(Hold the same lock around both accesses; or make the variable atomic (and
think about the order: relaxed only for counters); or give the variable to one
thread and hand it over through a queue, a join or a release/acquire pair.)",
     R"(confirmed: a schedule puts both accesses next to each other on the real
program. proved: in some correct reordering of the recorded run they are next
to each other. possible: no common lock was held, but an order that heddle did
not see may separate them.)"},
    {Kind::kLockOrder, "Lock order",
     R"(Locks were taken in an order that forms a cycle: one thread took `a` then
`b`, another `b` then `a`. Nothing hung in this run.)",
     R"(void* one(void* x) { lock(&a); lock(&b); ...; }
void* two(void* x) { lock(&b); lock(&a); ...; })",
     R"(If both threads take their first lock before either takes its second, each
waits for the other for ever. It happens under load, at the customer.)",
     R"(Choose one order for all locks and keep it (by address, by level, by a rule in
the header); or take both at once (std::scoped_lock); or hold only one at a
time; or use trylock and back off.)",
     R"(possible: the orders were seen, perhaps in parts of the run that cannot
overlap; heddle leaves out cycles that a common outer lock, a thread's creation
or a join makes impossible. `heddle check` tries to turn it into a deadlock
that really hangs, and then reports it as one.)"},
    {Kind::kDeadlock, "Deadlock",
     R"(Threads wait for each other in a circle, or wait for something that no
running thread can still provide. The program hangs.)",
     R"(void* one(void* x) { lock(&a); join(two_thread); ...; }
void* two(void* x) { lock(&a); ...; }           // waits for one, which waits for it)",
     R"(The threads in the circle never run again, and the locks that they hold stop
others too.)",
     R"(Break the circle: take locks in one order, never wait (join, condition,
barrier, blocking send) while holding a lock that the other side needs, use
timeouts only as a last resort.)",
     R"(confirmed: the program hung under the schedule that is attached; every thread
and what it waits for is listed. proved: a correct reordering of the recorded
run ends there. possible: found in the code without running it.)"},
    {Kind::kAtomicity, "Atomicity violation",
     R"(A thread reads, decides or computes, and writes back, as if nobody could come
between; but another thread's access can, and the outcome is one that no serial
order gives. Each access alone may be protected.)",
     R"(lock(&m); int have = balance; unlock(&m);
lock(&m); balance = have - 10; unlock(&m);       // a deposit in between is lost)",
     R"(No data race detector complains, since every access holds the lock, and yet
updates are lost and checks do not hold when their result is used.)",
     R"(Hold the lock over the whole read-decide-write; or use one atomic operation
(fetch_add, compare_exchange) instead of a load and a store.)",
     R"(confirmed: the interleaving happened on the real program under the attached
schedule. proved: a correct reordering of the run contains it. Whether the
region was meant to be atomic is a judgement: heddle infers it from the code.)"},
    {Kind::kOrder, "Order violation",
     R"(One event happens before another that it needs: a use before the
initialisation, a use after the release, a write after close.)",
     R"(void* worker(void* x) { use(config); ... }
int main() { create(worker); config = load(); ... })",
     R"(It works as long as the timing is kind. When it is not: null pointers, freed
memory, half-made objects.)",
     R"(Make the order explicit: initialise before creating the thread, join before
freeing, wait on a condition (with a predicate) for what must have happened.)",
     R"(confirmed: the wrong order happened under the attached schedule. proved: a
correct reordering of the run has it.)"},
    {Kind::kLostSignal, "Lost signal",
     R"(A condition variable is signalled while nobody waits, and the thread that needs
it begins to wait afterwards. Conditions do not remember signals.)",
     R"(// waiter                          // waker
lock(&m); wait(&c, &m); unlock(&m);     ready = 1; signal(&c);)",
     R"(If the waker is faster, the waiter sleeps for ever. The same happens when one
signal is sent for two waiters, or the wrong waiter takes it.)",
     R"(Change the state under the mutex and wait in a loop on the state:
`while (!ready) wait(&c, &m);`. Use broadcast when waiters wait for different
things on one condition.)",
     R"(confirmed: under the attached schedule the waiter never wakes. proved: a
correct reordering of the run has the signal before the wait, and no later
one.)"},
}};

}  // namespace

std::span<const Explanation> OrderExplanations() { return kOrderTexts; }

}  // namespace heddle::findings
