#include <array>

#include "findings/explain_texts.h"

namespace heddle::findings {
namespace {

constexpr std::array<Explanation, 8> kOutcomeTexts = {{
    {Kind::kMisuse, "Misuse of a primitive or of memory",
     R"(A lock, condition, barrier, semaphore or thread is used against its rules:
unlock by a thread that does not hold it, destroy while held, a second join,
use before its initialisation or after destroy, a condition with two mutexes, a
call in a signal handler that must not be there. Or memory is used that is not
the program's: beside a heap block, after its free, on an ended thread's stack.)",
     R"(pthread_mutex_lock(&m);
pthread_mutex_destroy(&m);                       // still held)",
     R"(POSIX leaves the behaviour undefined: often nothing happens, until another
version of the library hangs or corrupts the lock.)",
     R"(Follow the message: it names the call, the rule, and where the object was made
and last used.)",
     R"(confirmed: the call happened. proved or possible: another order of the same
events makes it happen.)"},
    {Kind::kLivelock, "Livelock",
     R"(Threads run, but the program does not come forward: they retry, back off or
spin on a condition that only another spinning thread could change.)",
     R"(while (!done) { if (trylock(&b)) {...} else { unlock(&a); lock(&a); } }
// two threads do this with a and b exchanged)",
     R"(The processor is busy and nothing gets done; a debugger shows threads that
look alive.)",
     R"(Take locks in one order instead of backing off; back off by a random or growing
time; block instead of spinning; let one side win by rule.)",
     R"(confirmed: under the attached schedule, which lets every thread run again and
again, the state repeats. A bound ("no progress in N steps") is named as such
and reported as possible.)"},
    {Kind::kAssertion, "Assertion failed",
     R"(The program's own check failed: assert, a HEDDLE_ASSERT, a test framework's
expectation, or std::terminate.)",
     R"(lock(&m); n++; unlock(&m);   ...   assert(n == threads);)",
     R"(The program itself says so. What heddle adds is the interleaving that leads
there.)",
     R"(Read the witness from the bottom: the last step that changed what the assertion
looks at, then the step that should have come before it.)",
     R"(confirmed: it failed on the real program under the attached schedule.
proved: a correct reordering of the run makes it fail.)"},
    {Kind::kCrash, "Crash",
     R"(The program died of a signal (SIGSEGV, SIGBUS, SIGFPE, SIGABRT, ...) under some
schedule.)",
     R"(free(node);                      // one thread
node->next = 0;                  // another, a little later)",
     R"(A crash that depends on the schedule is nearly always a race, an order
violation or a use after free.)",
     R"(Look for other findings about the same memory in the report; replay under the
debugger (`heddle replay --gdb`) and step back to the last write.)",
     R"(confirmed: it crashed under the attached schedule; replay crashes at the same
step.)"},
    {Kind::kFailure, "Failure",
     R"(The program says itself that it failed: it ended with an exit code that is not
0. For a program with GoogleTest, Catch2 or doctest, the failed tests are named.)",
     R"(EXPECT_EQ(counter, 2);             // holds in most runs
return errors == 0 ? 0 : 1;)",
     R"(The program knows best what it is for. What heddle adds is whether the order of
the threads matters, and a schedule under which it fails every time.)",
     R"(When other executions succeed, replay the schedule and look for the step at which
the state goes wrong. When every execution fails, the order does not matter:
mend that first, since a test that always fails hides the others.)",
     R"(confirmed: the real program ended so under the attached schedule.)"},
    {Kind::kProperty, "Property violated",
     R"(A rule that you wrote (a property for predict, a stream specification for
monitor, a refinement in CSP) does not hold on some run.)",
     R"(no write(f) after close(f))", R"(You said so; the finding names the rule and the events that break it.)",
     R"(Mend the program, or the rule if it asks too much.)",
     R"(confirmed: the recorded events break it. proved: a correct reordering of them
does. possible: a reordering that may not be feasible does.)"},
    {Kind::kDesync, "Replay diverged",
     R"(A replay did something else than its schedule says: another operation, another
thread, another result.)",
     R"(heddle replay F1     # step 41: expected T1 lock(m), saw T1 read(fd))",
     R"(The run depends on something that the schedule does not fix: time, randomness,
a file or a network peer that changed, an address in a hash, a data race on an
access that is not a visible operation.)",
     R"(Record again with the wider setting that the message names; fix the input;
rebuild if the program changed since the schedule was made.)",
     R"(confirmed: the first step that differs is named; the steps before it were the
same.)"},
    {Kind::kRefinement, "Compiled thread does not refine its source",
     R"(A compiler changed what other threads can see of a thread: it wrote something
that the source does not write there, moved an access over a lock operation that it
may not pass, or left another value behind.)",
     R"(lock(m); x = 1; unlock(m);       // source
lock(m); unlock(m); x = 1;       // compiled)",
     R"(A program without data races in the source then has one in the machine code, and
can fail in a way that nothing in the source explains.)",
     R"(Report it to the compiler's authors with the reduced program. Until then, compile
the file without the optimisation, which the two builds in the finding name.)",
     R"(confirmed: both builds were run with the same environment and differ.)"},
}};

}  // namespace

std::span<const Explanation> OutcomeExplanations() { return kOutcomeTexts; }

}  // namespace heddle::findings
