// The streams of the TeSSLa text: one table for export and import. docs/trace-streams.md lists the same.
#pragma once

#include <array>
#include <string_view>

#include "trace/event.h"

namespace heddle::trace {

// What a stream carries.
enum class TesslaValue : uint8_t {
  None,
  Address,
  Size,
  Arg,
  Arg2,
  Arg3,
  Thread,
  Order,
  RmwOp,
  Stored,
  Unit,
  UserName,
  WokenBy
};

struct TesslaField {
  std::string_view stream;
  TesslaValue value = TesslaValue::None;
};

// An event is known by its first stream; the others come with it.
struct TesslaRule {
  Kind kind;
  bool shared;  // of locks: the rule is for shared mode
  std::array<TesslaField, 7> fields;
};

using V = TesslaValue;
inline constexpr TesslaField kSize{"size", V::Size};
inline constexpr TesslaField kOrder{"order", V::Order};

inline constexpr std::array kTesslaRules = {
    TesslaRule{Kind::OrderedRead, false, {{{"readaddr", V::Address}, kSize}}},
    TesslaRule{Kind::OrderedWrite, false, {{{"writeaddr", V::Address}, kSize}}},
    // Waits come before locks: they carry the mutex in the streams of locks.
    TesslaRule{Kind::CondWait, false, {{{"condwaitaddr", V::Address}, {"mutexunlockaddr", V::Arg}}}},
    TesslaRule{
        Kind::CondWake, false, {{{"condwakeaddr", V::Address}, {"mutexlockaddr", V::Arg}, {"wokenby", V::WokenBy}}}},
    TesslaRule{Kind::Lock, false, {{{"mutexlockaddr", V::Address}}}},
    TesslaRule{Kind::Unlock, false, {{{"mutexunlockaddr", V::Address}}}},
    TesslaRule{Kind::Lock, true, {{{"readlockaddr", V::Address}}}},
    TesslaRule{Kind::Unlock, true, {{{"readunlockaddr", V::Address}}}},
    TesslaRule{Kind::LockInit, false, {{{"lockinitaddr", V::Address}}}},
    TesslaRule{Kind::LockDestroy, false, {{{"lockdestroyaddr", V::Address}}}},
    TesslaRule{Kind::CondSignal, false, {{{"condsignaladdr", V::Address}}}},
    TesslaRule{Kind::CondBroadcast, false, {{{"condbroadcastaddr", V::Address}}}},
    TesslaRule{Kind::ThreadFork, false, {{{"threadcreate", V::Thread}}}},
    TesslaRule{Kind::ThreadJoin, false, {{{"threadjoin", V::Thread}}}},
    TesslaRule{Kind::ThreadBegin, false, {{{"threadbegin", V::Unit}}}},
    TesslaRule{Kind::ThreadEnd, false, {{{"threadend", V::Unit}}}},
    TesslaRule{Kind::BarrierEnter, false, {{{"barrierenteraddr", V::Address}}}},
    TesslaRule{Kind::BarrierExit, false, {{{"barrierexitaddr", V::Address}}}},
    TesslaRule{Kind::SemPost, false, {{{"sempostaddr", V::Address}}}},
    TesslaRule{Kind::SemWait, false, {{{"semwaitaddr", V::Address}}}},
    TesslaRule{Kind::OnceBegin, false, {{{"oncebeginaddr", V::Address}}}},
    TesslaRule{Kind::OnceEnd, false, {{{"onceendaddr", V::Address}}}},
    TesslaRule{Kind::OncePass, false, {{{"oncepassaddr", V::Address}}}},
    TesslaRule{Kind::AtomicLoad, false, {{{"atomicloadaddr", V::Address}, kSize, {"value", V::Arg}, kOrder}}},
    TesslaRule{Kind::AtomicStore, false, {{{"atomicstoreaddr", V::Address}, kSize, {"value", V::Arg}, kOrder}}},
    TesslaRule{Kind::AtomicRmw,
               false,
               {{{"atomicrmwaddr", V::Address},
                 kSize,
                 {"operation", V::RmwOp},
                 {"oldvalue", V::Arg},
                 {"newvalue", V::Arg2},
                 kOrder}}},
    TesslaRule{Kind::AtomicCas,
               false,
               {{{"atomiccasaddr", V::Address},
                 kSize,
                 {"oldvalue", V::Arg},
                 {"desired", V::Arg2},
                 {"expected", V::Arg3},
                 {"stored", V::Stored},
                 kOrder}}},
    TesslaRule{Kind::Fence, false, {{{"fence", V::Order}}}},
    TesslaRule{Kind::Alloc, false, {{{"allocaddr", V::Address}, {"allocsize", V::Arg}}}},
    TesslaRule{Kind::Free, false, {{{"freeaddr", V::Address}}}},
    TesslaRule{Kind::Acquire, false, {{{"acquireaddr", V::Address}}}},
    TesslaRule{Kind::Release, false, {{{"releaseaddr", V::Address}}}},
    TesslaRule{Kind::User, false, {{{"user", V::UserName}, {"uservalue", V::Arg2}}}},
    TesslaRule{Kind::ProcessExit, false, {{{"exitcode", V::Arg}}}},
};

// Streams that are not about what happened.
inline constexpr std::array<std::string_view, 7> kTesslaContext = {"threadid", "pc",   "line",      "column",
                                                                   "function", "file", "threadname"};
// What the paper's own input has: variables by name.
inline constexpr std::array<std::string_view, 2> kTesslaNamed = {"readvar", "writevar"};

}  // namespace heddle::trace
