// The target's side of a search (docs/explore.md): the strategy that goes as asked and tells what happened, and the
// server that copies the process for each execution.
//
// Threads of a search are fibers whose stacks and thread-control blocks were made before the copy: the server keeps a
// pool of OS threads that have given their stacks away, and a copy of the process takes these over. So creating a
// thread costs no system call, and every thread has the same addresses in every execution. Pool entry and slot of a
// thread are its index among the ids of all threads ever seen (ExploreLink::names).
#pragma once

#include <pthread.h>

#include "runtime/control/turn/control_thread.h"
#include "sched/explore_policy.h"
#include "sched/strategy.h"
#include "wire/explore_link.h"

namespace heddle::rt::control {

extern wire::ExploreLink* g_link;  // null: no search
inline bool Exploring() { return g_link != nullptr; }

// In an execution that goes as planned, not one that samples.
bool Searching();

// Whether operations of this execution may say that they commute.
inline bool LeavesOrdersOpen() { return g_link != nullptr && g_link->commute != 0; }

bool StartExplore(const char* path);
sched::Strategy* ExploreStrategy();

// The slot of the thread with that id; sched::kMaxSlots when there are too many.
uint32_t ExploreSlot(const char* id);
// Makes the pool's thread of the same slot the one that runs `main`. An error number.
int StartPooled(ControlThread* added, pthread_t* handle, const pthread_attr_t* attributes, void* (*main)(void*));

// Inside a test's own process: the execution of the request in the link begins.
void BeginInside();
// Whether more threads were needed than the pool has.
bool PoolTooSmall();
uint32_t PoolSize();  // OS threads of the pool, used up ones too
// The stacks of these threads were used by an execution that stays: others take their places.
void RenewPool(uint32_t threads);

// No thread can go on: tells the search what each of them stands before. The one that performed the last operation has
// come to its next one since the strategy was asked last.
void NoteStanding();

// In a process that the program itself made: it is no part of the search and runs on without heddle. Behind Take.
void LeaveSearch();

// Ends the execution, which is this process or goes on in it. With the turn.
[[noreturn]] void EndExecution(wire::LinkEnd end);

// The number below `count` that the program asked for; with the turn taken by this call. 0 outside a search.
uint32_t Choose(uint32_t count, const void* pc);
// The calling thread goes no further: what comes is not wanted (an assumption does not hold) or would only repeat.
void StopForGood(const void* pc);

// Inside: the event of an operation that the thread of the slot stands before (or has performed).
wire::ExploredEvent EventOf(uint32_t slot, const sched::NextOp& op, bool performed, uint32_t forked);
// The store for the C11 atomic that the thread has prepared; with the turn.
uint32_t ChooseExplored(ControlThread* self, uint64_t present);

// Internal. Serves requests; returns in each copy, with the request in g_link.
void ServeRequests();
// Inside: the execution's events are told; waits for the next request; forgets the last answer.
void AnswerRequest();
void AwaitRequest();
void ClearAnswer(uint64_t events);
// Inside: pool and heaps for `threads`; in the server.
void GrowPool(uint32_t threads);

}  // namespace heddle::rt::control
