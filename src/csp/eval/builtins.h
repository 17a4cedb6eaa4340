// The functions and constants that every script has, in one table: name, number of arguments, type.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle::csp {

// X(enumerator, name, type, group). The type is written as in a type annotation; group: 'a' always there,
// 't' after `transparent` or `external`, 'e' only after `external`.
#define HEDDLE_CSP_BUILTINS(X)                                                                         \
  X(kUnion, "union", "Set a => ({a}, {a}) -> {a}", 'a')                                                \
  X(kInter, "inter", "Set a => ({a}, {a}) -> {a}", 'a')                                                \
  X(kDiff, "diff", "Set a => ({a}, {a}) -> {a}", 'a')                                                  \
  X(kUnionAll, "Union", "Set a => ({{a}}) -> {a}", 'a')                                                \
  X(kInterAll, "Inter", "Set a => ({{a}}) -> {a}", 'a')                                                \
  X(kMember, "member", "Eq a => (a, {a}) -> Bool", 'a')                                                \
  X(kCard, "card", "Set a => ({a}) -> Int", 'a')                                                       \
  X(kEmpty, "empty", "Set a => ({a}) -> Bool", 'a')                                                    \
  X(kSetOf, "set", "Set a => (<a>) -> {a}", 'a')                                                       \
  X(kSubsets, "Set", "Set a => ({a}) -> {{a}}", 'a')                                                   \
  X(kSequences, "Seq", "Set a => ({a}) -> {<a>}", 'a')                                                 \
  X(kSeqOf, "seq", "Set a => ({a}) -> <a>", 'a')                                                       \
  X(kLength, "length", "(<a>) -> Int", 'a')                                                            \
  X(kNull, "null", "(<a>) -> Bool", 'a')                                                               \
  X(kHead, "head", "(<a>) -> a", 'a')                                                                  \
  X(kTail, "tail", "(<a>) -> <a>", 'a')                                                                \
  X(kConcat, "concat", "(<<a>>) -> <a>", 'a')                                                          \
  X(kElem, "elem", "Eq a => (a, <a>) -> Bool", 'a')                                                    \
  X(kEmptyMap, "emptyMap", "Set k => (| k => v |)", 'a')                                               \
  X(kMapFromList, "mapFromList", "Set k => (<(k, v)>) -> (| k => v |)", 'a')                           \
  X(kMapLookup, "mapLookup", "Set k => ((| k => v |), k) -> v", 'a')                                   \
  X(kMapMember, "mapMember", "Set k => ((| k => v |), k) -> Bool", 'a')                                \
  X(kMapToList, "mapToList", "Set k => ((| k => v |)) -> <(k, v)>", 'a')                               \
  X(kMapUpdate, "mapUpdate", "Set k => ((| k => v |), k, v) -> (| k => v |)", 'a')                     \
  X(kMapUpdateMultiple, "mapUpdateMultiple", "Set k => ((| k => v |), <(k, v)>) -> (| k => v |)", 'a') \
  X(kMapDelete, "mapDelete", "Set k => ((| k => v |), k) -> (| k => v |)", 'a')                        \
  X(kMaps, "Map", "(Set k, Set v) => ({k}, {v}) -> {(| k => v |)}", 'a')                               \
  X(kError, "error", "(<Char>) -> a", 'a')                                                             \
  X(kShow, "show", "(a) -> <Char>", 'a')                                                               \
  X(kProductions, "productions", "Yieldable b => (a =>* b) -> {b}", 'a')                               \
  X(kExtensions, "extensions", "Yieldable b => (a => b) -> {a}", 'a')                                  \
  X(kInts, "Int", "{Int}", 'a')                                                                        \
  X(kBools, "Bool", "{Bool}", 'a')                                                                     \
  X(kChars, "Char", "{Char}", 'a')                                                                     \
  X(kProcs, "Proc", "{Proc}", 'a')                                                                     \
  X(kEvents, "Events", "{Event}", 'a')                                                                 \
  X(kTrue, "True", "Bool", 'a')                                                                        \
  X(kFalse, "False", "Bool", 'a')                                                                      \
  X(kStop, "STOP", "Proc", 'a')                                                                        \
  X(kSkip, "SKIP", "Proc", 'a')                                                                        \
  X(kDiv, "DIV", "Proc", 'a')                                                                          \
  X(kRun, "RUN", "({Event}) -> Proc", 'a')                                                             \
  X(kChaos, "CHAOS", "({Event}) -> Proc", 'a')                                                         \
  X(kBuffer, "BUFFER", "(Int, {(Event, Event)}) -> Proc", 'a')                                         \
  X(kWeakBuffer, "WEAK_BUFFER", "(Int, Event, {(Event, Event)}) -> Proc", 'a')                         \
  X(kSignalBuffer, "SIGNAL_BUFFER", "(Int, Event, {(Event, Event)}) -> Proc", 'a')                     \
  X(kTStop, "TSTOP", "Proc", 'a')                                                                      \
  X(kTSkip, "TSKIP", "Proc", 'a')                                                                      \
  X(kWait, "WAIT", "(Int) -> Proc", 'a')                                                               \
  X(kLoop, "loop", "(Proc) -> Proc", 'e')                                                              \
  X(kSbisim, "sbisim", "(Proc) -> Proc", 't')                                                          \
  X(kDbisim, "dbisim", "(Proc) -> Proc", 't')                                                          \
  X(kWbisim, "wbisim", "(Proc) -> Proc", 't')                                                          \
  X(kNormal, "normal", "(Proc) -> Proc", 't')                                                          \
  X(kLazyNorm, "lazynorm", "(Proc) -> Proc", 't')                                                      \
  X(kDiamond, "diamond", "(Proc) -> Proc", 't')                                                        \
  X(kTauLoopFactor, "tau_loop_factor", "(Proc) -> Proc", 't')                                          \
  X(kModelCompress, "model_compress", "(Proc) -> Proc", 't')                                           \
  X(kExplicate, "explicate", "(Proc) -> Proc", 't')                                                    \
  X(kLazyEnumerate, "lazyenumerate", "(Proc) -> Proc", 't')                                            \
  X(kChase, "chase", "(Proc) -> Proc", 't')                                                            \
  X(kChaseNoCache, "chase_nocache", "(Proc) -> Proc", 't')                                             \
  X(kPrioritise, "prioritise", "(Proc, <{Event}>) -> Proc", 'e')                                       \
  X(kPrioritiseNoCache, "prioritise_nocache", "(Proc, <{Event}>) -> Proc", 'e')                        \
  X(kPrioritisePo, "prioritisepo", "(Proc, {Event}, {(Event, Event)}, {Event}) -> Proc", 'e')          \
  X(kTimedPriority, "timed_priority", "(Proc) -> Proc", 't')                                           \
  X(kDeter, "deter", "(Proc) -> Proc", 't')                                                            \
  X(kTraceWatchdog, "trace_watchdog", "(Proc, {Event}, Event) -> Proc", 't')                           \
  X(kFailureWatchdog, "failure_watchdog", "(Proc, {Event}, Event) -> Proc", 'e')                       \
  X(kLazyCompile, "lazy_compile", "(Proc, {Event}) -> Proc", 't')                                      \
  X(kTransClose, "mtransclose", "Eq a => ({(a, a)}, {a}) -> {(a, a)}", 'e')                            \
  X(kImage, "relational_image", "(Eq a, Set b) => ({(a, b)}) -> (a) -> {b}", 'e')                      \
  X(kInverseImage, "relational_inverse_image", "(Set a, Eq b) => ({(a, b)}) -> (b) -> {a}", 'e')       \
  X(kTranspose, "transpose", "(Set a, Set b) => ({(a, b)}) -> {(b, a)}", 'e')

enum class Builtin : uint8_t {
#define X(enumerator, name, type, group) enumerator,
  HEDDLE_CSP_BUILTINS(X)
#undef X
};

struct BuiltinInfo {
  std::string_view name;
  std::string_view type;
  char group;
};

const std::vector<BuiltinInfo>& Builtins();

// Its place in the table, or -1.
int FindBuiltin(std::string_view name);

}  // namespace heddle::csp
