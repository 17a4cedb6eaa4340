// The functions and constants that every script has, in one table: name, number of arguments, type.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle::csp {

// X(enumerator, name, type, group). The type is written as in a type annotation; group: 'a' always there,
// 't' after `transparent` or `external`, 'e' only after `external`.
#define HEDDLE_CSP_BUILTINS(X)                                                                \
  X(kUnion, "union", "({a}, {a}) -> {a}", 'a')                                                \
  X(kInter, "inter", "({a}, {a}) -> {a}", 'a')                                                \
  X(kDiff, "diff", "({a}, {a}) -> {a}", 'a')                                                  \
  X(kUnionAll, "Union", "({{a}}) -> {a}", 'a')                                                \
  X(kInterAll, "Inter", "({{a}}) -> {a}", 'a')                                                \
  X(kMember, "member", "(a, {a}) -> Bool", 'a')                                               \
  X(kCard, "card", "({a}) -> Int", 'a')                                                       \
  X(kEmpty, "empty", "({a}) -> Bool", 'a')                                                    \
  X(kSetOf, "set", "(<a>) -> {a}", 'a')                                                       \
  X(kSubsets, "Set", "({a}) -> {{a}}", 'a')                                                   \
  X(kSequences, "Seq", "({a}) -> {<a>}", 'a')                                                 \
  X(kSeqOf, "seq", "({a}) -> <a>", 'a')                                                       \
  X(kLength, "length", "(<a>) -> Int", 'a')                                                   \
  X(kNull, "null", "(<a>) -> Bool", 'a')                                                      \
  X(kHead, "head", "(<a>) -> a", 'a')                                                         \
  X(kTail, "tail", "(<a>) -> <a>", 'a')                                                       \
  X(kConcat, "concat", "(<<a>>) -> <a>", 'a')                                                 \
  X(kElem, "elem", "(a, <a>) -> Bool", 'a')                                                   \
  X(kEmptyMap, "emptyMap", "(| k => v |)", 'a')                                               \
  X(kMapFromList, "mapFromList", "(<(k, v)>) -> (| k => v |)", 'a')                           \
  X(kMapLookup, "mapLookup", "((| k => v |), k) -> v", 'a')                                   \
  X(kMapMember, "mapMember", "((| k => v |), k) -> Bool", 'a')                                \
  X(kMapToList, "mapToList", "((| k => v |)) -> <(k, v)>", 'a')                               \
  X(kMapUpdate, "mapUpdate", "((| k => v |), k, v) -> (| k => v |)", 'a')                     \
  X(kMapUpdateMultiple, "mapUpdateMultiple", "((| k => v |), <(k, v)>) -> (| k => v |)", 'a') \
  X(kMapDelete, "mapDelete", "((| k => v |), k) -> (| k => v |)", 'a')                        \
  X(kMaps, "Map", "({k}, {v}) -> {(| k => v |)}", 'a')                                        \
  X(kError, "error", "(<Char>) -> a", 'a')                                                    \
  X(kShow, "show", "(a) -> <Char>", 'a')                                                      \
  X(kProductions, "productions", "(a) -> {b}", 'a')                                           \
  X(kExtensions, "extensions", "(a) -> {b}", 'a')                                             \
  X(kInts, "Int", "{Int}", 'a')                                                               \
  X(kBools, "Bool", "{Bool}", 'a')                                                            \
  X(kChars, "Char", "{Char}", 'a')                                                            \
  X(kProcs, "Proc", "{Proc}", 'a')                                                            \
  X(kEvents, "Events", "{Event}", 'a')                                                        \
  X(kTrue, "True", "Bool", 'a')                                                               \
  X(kFalse, "False", "Bool", 'a')                                                             \
  X(kStop, "STOP", "Proc", 'a')                                                               \
  X(kSkip, "SKIP", "Proc", 'a')                                                               \
  X(kDiv, "DIV", "Proc", 'a')                                                                 \
  X(kRun, "RUN", "({Event}) -> Proc", 'a')                                                    \
  X(kChaos, "CHAOS", "({Event}) -> Proc", 'a')                                                \
  X(kLoop, "loop", "(Proc) -> Proc", 'e')                                                     \
  X(kSbisim, "sbisim", "(Proc) -> Proc", 't')                                                 \
  X(kDbisim, "dbisim", "(Proc) -> Proc", 't')                                                 \
  X(kWbisim, "wbisim", "(Proc) -> Proc", 't')                                                 \
  X(kNormal, "normal", "(Proc) -> Proc", 't')                                                 \
  X(kLazyNorm, "lazynorm", "(Proc) -> Proc", 't')                                             \
  X(kDiamond, "diamond", "(Proc) -> Proc", 't')                                               \
  X(kTauLoopFactor, "tau_loop_factor", "(Proc) -> Proc", 't')                                 \
  X(kModelCompress, "model_compress", "(Proc) -> Proc", 't')                                  \
  X(kExplicate, "explicate", "(Proc) -> Proc", 't')                                           \
  X(kLazyEnumerate, "lazyenumerate", "(Proc) -> Proc", 't')                                   \
  X(kChase, "chase", "(Proc) -> Proc", 't')                                                   \
  X(kChaseNoCache, "chase_nocache", "(Proc) -> Proc", 't')                                    \
  X(kPrioritise, "prioritise", "(Proc, <{Event}>) -> Proc", 'e')                              \
  X(kTransClose, "mtransclose", "({(Event, Event)}, {Event}) -> {(Event, Event)}", 'e')       \
  X(kImage, "relational_image", "({(a, b)}) -> (a) -> {b}", 'e')                              \
  X(kInverseImage, "relational_inverse_image", "({(a, b)}) -> (b) -> {a}", 'e')               \
  X(kTranspose, "transpose", "({(a, b)}) -> {(b, a)}", 'e')

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
