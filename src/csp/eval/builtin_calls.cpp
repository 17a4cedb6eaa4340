// What the builtin functions compute.
#include <fmt/format.h>

#include <algorithm>

#include "csp/eval/compression.h"
#include "csp/eval/evaluator.h"
#include "csp/large_stack.h"

namespace heddle::csp {
namespace {

Compression CompressionOf(Builtin builtin) {
  switch (builtin) {
    case Builtin::kSbisim:
      return Compression::kStrong;
    case Builtin::kDbisim:
      return Compression::kDelay;
    case Builtin::kWbisim:
      return Compression::kWeak;
    case Builtin::kNormal:
      return Compression::kNormal;
    case Builtin::kDiamond:
      return Compression::kDiamond;
    case Builtin::kTauLoopFactor:
      return Compression::kTauLoops;
    case Builtin::kModelCompress:
      return Compression::kBest;
    default:
      return Compression::kNone;
  }
}

bool IsSymbolic(Value set, SetKind kind) { return set->kind == Kind::kSymbolicSet && SymbolicKind(set) == kind; }

}  // namespace

Value Evaluator::BuiltinConstant(Builtin builtin) {
  switch (builtin) {
    case Builtin::kInts:
      return store_.Symbolic(SetKind::kInts);
    case Builtin::kBools:
      return store_.Symbolic(SetKind::kBools);
    case Builtin::kChars:
      return store_.Symbolic(SetKind::kChars);
    case Builtin::kProcs:
      return store_.Symbolic(SetKind::kProcs);
    case Builtin::kEvents:
      return store_.Symbolic(SetKind::kEvents);
    case Builtin::kTrue:
      return store_.Bool(true);
    case Builtin::kFalse:
      return store_.Bool(false);
    case Builtin::kEmptyMap:
      return store_.Map({});
    case Builtin::kStop:
      return Process(ProcOp::kStop);
    case Builtin::kSkip:
      return Process(ProcOp::kSkip);
    case Builtin::kDiv:
      return Process(ProcOp::kDiv);
    case Builtin::kTStop: {
      Value tock = Tock({});
      return Process(ProcOp::kRun, {store_.SortedSet(std::span<const Value>(&tock, 1))});
    }
    case Builtin::kTSkip:
      return Process(ProcOp::kWait, {store_.Int(0), Tock({})});
    default:
      return store_.Make(Kind::kBuiltin, static_cast<int64_t>(builtin), nullptr, {});
  }
}

Value Evaluator::CallBuiltin(Builtin builtin, std::span<const Value> args, Span span) {
  auto sequence = [&](size_t i) { return Finite(args[i], span)->kids(); };
  std::string_view type = Builtins()[static_cast<size_t>(builtin)].type;
  if (type.find("->") == std::string_view::npos) Fail(span, "this is not a function");
  if (args.empty()) Fail(span, "a builtin function needs arguments");
  Value last = args.back();
  if (last->kind == Kind::kLazySeq) last = Reveal(last);
  if (last->kind == Kind::kSeqFrom || last->kind == Kind::kLazySeq) {
    Value head = nullptr;
    Value tail = nullptr;
    if (builtin == Builtin::kNull) return store_.Bool(false);
    if (builtin == Builtin::kElem && last->kind == Kind::kSeqFrom) return store_.Bool(args[0]->number >= last->number);
    if (builtin == Builtin::kHead || builtin == Builtin::kTail) {
      TakeFirst(last, head, tail);
      return builtin == Builtin::kHead ? head : tail;
    }
    for (tail = last; builtin == Builtin::kElem;) {
      if (!TakeFirst(tail, head, tail)) return store_.Bool(false);
      if (head == args[0]) return store_.Bool(true);
    }
  }
  std::vector<Value> known;
  if (std::any_of(args.begin(), args.end(), [](Value arg) { return arg->kind == Kind::kLazySeq; })) {
    for (Value arg : args) known.push_back(Strict(arg, span));
    args = known;
  }
  switch (builtin) {
    case Builtin::kSetOf:
      return store_.Set({sequence(0).begin(), sequence(0).end()});
    case Builtin::kLength:
      return store_.Int(static_cast<int64_t>(sequence(0).size()));
    case Builtin::kNull:
      return store_.Bool(sequence(0).empty());
    case Builtin::kHead:
      if (sequence(0).empty()) Fail(span, "`head` of an empty sequence");
      return sequence(0)[0];
    case Builtin::kTail:
      if (sequence(0).empty()) Fail(span, "`tail` of an empty sequence");
      return store_.Seq(sequence(0).subspan(1));
    case Builtin::kConcat: {
      std::vector<Value> items;
      for (Value part : sequence(0)) {
        if (part->kind != Kind::kSeq) Fail(span, fmt::format("the sequence `{}` is infinite", Show(part)));
        items.insert(items.end(), part->kids().begin(), part->kids().end());
      }
      return store_.Seq(items);
    }
    case Builtin::kElem:
      return store_.Bool(std::find(sequence(1).begin(), sequence(1).end(), args[0]) != sequence(1).end());
    case Builtin::kError: {
      std::string text = Show(args[0]);
      Fail(span, "the script says: " + (text.size() > 2 && text[0] == '"' ? text.substr(1, text.size() - 2) : text));
    }
    case Builtin::kShow:
      return store_.String(Show(args[0]));
    case Builtin::kMapFromList:
    case Builtin::kMapLookup:
    case Builtin::kMapMember:
    case Builtin::kMapToList:
    case Builtin::kMapUpdate:
    case Builtin::kMapUpdateMultiple:
    case Builtin::kMapDelete:
      return CallMapBuiltin(builtin, args, span);
    case Builtin::kRun:
    case Builtin::kChaos:
    case Builtin::kLoop:
    case Builtin::kSbisim:
    case Builtin::kDbisim:
    case Builtin::kWbisim:
    case Builtin::kNormal:
    case Builtin::kLazyNorm:
    case Builtin::kDiamond:
    case Builtin::kTauLoopFactor:
    case Builtin::kModelCompress:
    case Builtin::kExplicate:
    case Builtin::kLazyEnumerate:
    case Builtin::kChase:
    case Builtin::kChaseNoCache:
    case Builtin::kPrioritise:
    case Builtin::kPrioritiseNoCache:
    case Builtin::kPrioritisePo:
    case Builtin::kTimedPriority:
    case Builtin::kDeter:
    case Builtin::kTraceWatchdog:
    case Builtin::kFailureWatchdog:
    case Builtin::kBuffer:
    case Builtin::kWeakBuffer:
    case Builtin::kSignalBuffer:
    case Builtin::kLazyCompile:
    case Builtin::kWait:
      return CallProcessBuiltin(builtin, args, span);
    default:
      return CallSetBuiltin(builtin, args, span);
  }
}

namespace {

void CheckBufferPairs(Evaluator& evaluator, Value pairs, Span span) {
  std::unordered_set<Value> used;
  for (Value pair : evaluator.Elements(pairs, span)) {
    for (Value event : pair->kids()) {
      evaluator.EventOf(event, span);
      if (used.insert(event).second) continue;
      evaluator.Fail(span, fmt::format("the buffer has `{}` in two places", evaluator.Show(event)),
                     "each event is one input or one output");
    }
  }
}

// A transitive relation that is to be an order of `all`: nothing may be above itself, nor above one that is `maximal`.
Value PartialOrder(Evaluator& evaluator, Value closure, Value all, Value maximal, Span span) {
  for (Value pair : closure->kids()) {
    if (pair->kid(0) == pair->kid(1)) {
      evaluator.Fail(span, fmt::format("`{}` is above itself in this order", evaluator.Show(pair->kid(0))));
    }
    if (evaluator.Contains(maximal, pair->kid(1))) {
      evaluator.Fail(span, fmt::format("`{}` is said to be maximal, but `{}` is above it", evaluator.Show(pair->kid(1)),
                                       evaluator.Show(pair->kid(0))));
    }
    for (Value event : pair->kids()) {
      if (evaluator.Contains(all, event)) continue;
      evaluator.Fail(span, fmt::format("`{}` is ordered, but not among the prioritised events", evaluator.Show(event)));
    }
  }
  for (Value event : evaluator.Elements(maximal, span)) {
    if (evaluator.Contains(all, event)) continue;
    evaluator.Fail(span, fmt::format("`{}` is maximal, but not among the prioritised events", evaluator.Show(event)));
  }
  return closure;
}

}  // namespace

Value Evaluator::CallProcessBuiltin(Builtin builtin, std::span<const Value> args, Span span) {
  switch (builtin) {
    case Builtin::kRun:
    case Builtin::kChaos:
      if (!IsSet(args[0])) Fail(span, "expected a set of events");
      for (Value event : Elements(args[0], span)) EventOf(event, span);
      return Process(builtin == Builtin::kRun ? ProcOp::kRun : ProcOp::kChaos, {args[0]});
    case Builtin::kChase:
    case Builtin::kChaseNoCache:
      return Process(ProcOp::kChase, {Force(args[0])});
    case Builtin::kLoop: {
      // loop(P) = P ; loop(P). The right side is this very call, made again when it is reached.
      Value again = store_.Make(Kind::kProcess, static_cast<int64_t>(ProcOp::kLate), nullptr, {args[0]});
      Value result = Process(ProcOp::kSequence, {Force(args[0]), again});
      again->memo = const_cast<Node*>(result);
      return result;
    }
    case Builtin::kDeter:
      return Process(ProcOp::kDeter, {Force(args[0])});
    case Builtin::kWait:
      if (args[0]->number < 0) Fail(span, "`WAIT` of a negative time");
      return Process(ProcOp::kWait, {args[0], Tock(span)});
    case Builtin::kTimedPriority: {
      Value tock = Tock(span);
      return Process(ProcOp::kPriority,
                     {Force(args[0]), store_.EmptySet(), store_.SortedSet(std::span<const Value>(&tock, 1))});
    }
    case Builtin::kBuffer:
      if (args[0]->number < 1) Fail(span, "a buffer holds at least one value");
      CheckBufferPairs(*this, args[1], span);
      return Process(ProcOp::kBuffer, {args[0], Explicit(args[1], span), store_.Seq({})});
    case Builtin::kWeakBuffer:
    case Builtin::kSignalBuffer:
    case Builtin::kFailureWatchdog:
      AboutToThrow();
      throw Stopped{fmt::format("`{}` is not modelled", Builtins()[static_cast<size_t>(builtin)].name)};
    case Builtin::kLazyCompile:
      return Force(args[0]);
    case Builtin::kTraceWatchdog:
      return Process(ProcOp::kWatchdog, {Force(args[0]), args[1], args[2]});
    case Builtin::kPrioritisePo:
      return Process(ProcOp::kOrder,
                     {Force(args[0]), args[1],
                      PartialOrder(*this, TransitiveClosure(args[2], span), args[1], args[3], span), args[3]});
    case Builtin::kPrioritise:
    case Builtin::kPrioritiseNoCache: {
      std::vector<Value> kids{Force(args[0])};
      if (args[1]->kind != Kind::kSeq) Fail(span, "`prioritise` takes a sequence of sets of events");
      if (args[1]->count == 0) Fail(span, "`prioritise` needs at least one set of events");
      kids.insert(kids.end(), args[1]->kids().begin(), args[1]->kids().end());
      return Process(ProcOp::kPriority, kids);
    }
    default:
      return Process(ProcOp::kCompress, {Force(args[0]), store_.Int(static_cast<int64_t>(CompressionOf(builtin)))});
  }
}

Value Evaluator::CallMapBuiltin(Builtin builtin, std::span<const Value> args, Span span) {
  auto entries = [&](Value map) {
    if (map->kind != Kind::kMap) Fail(span, fmt::format("expected a map, found `{}`", Show(map)));
    std::vector<std::pair<Value, Value>> result;
    for (size_t i = 0; i < map->count; i += 2) result.emplace_back(map->kid(i), map->kid(i + 1));
    return result;
  };
  auto add_list = [&](std::vector<std::pair<Value, Value>>& to, Value list) {
    for (Value pair : list->kids()) {
      if (pair->kind != Kind::kTuple || pair->count != 2) Fail(span, "expected a sequence of pairs");
      to.emplace_back(pair->kid(0), pair->kid(1));
    }
  };
  if (builtin == Builtin::kMapFromList) {
    std::vector<std::pair<Value, Value>> all;
    add_list(all, args[0]);
    return store_.Map(std::move(all));
  }
  auto all = entries(args[0]);
  auto found =
      args.size() > 1 ? std::find_if(all.begin(), all.end(), [&](auto& e) { return e.first == args[1]; }) : all.end();
  switch (builtin) {
    case Builtin::kMapLookup:
      if (found == all.end()) Fail(span, fmt::format("the map has no key `{}`", Show(args[1])));
      return found->second;
    case Builtin::kMapMember:
      return store_.Bool(found != all.end());
    case Builtin::kMapToList: {
      std::vector<Value> pairs;
      for (auto& [key, value] : all) {
        Value pair[2] = {key, value};
        pairs.push_back(store_.Tuple(pair));
      }
      return store_.Seq(pairs);
    }
    case Builtin::kMapUpdate:
      all.emplace_back(args[1], args[2]);
      break;
    case Builtin::kMapUpdateMultiple:
      add_list(all, args[1]);
      break;
    default:
      if (found != all.end()) all.erase(found);
  }
  return store_.Map(std::move(all));
}

Value Evaluator::CallSetBuiltin(Builtin builtin, std::span<const Value> args, Span span) {
  bool takes_set_first =
      builtin != Builtin::kMember && builtin != Builtin::kProductions && builtin != Builtin::kExtensions;
  Value set = takes_set_first ? args[0] : builtin == Builtin::kMember ? args[1] : nullptr;
  if (set != nullptr && !IsSet(set)) Fail(span, fmt::format("expected a set, found `{}`", Show(set)));
  bool binary = builtin == Builtin::kUnion || builtin == Builtin::kInter || builtin == Builtin::kDiff;
  if (binary && !IsSet(args[1])) Fail(span, fmt::format("expected a set, found `{}`", Show(args[1])));
  switch (builtin) {
    case Builtin::kMember:
      return store_.Bool(Contains(set, args[0]));
    case Builtin::kCard:
      return store_.Int(static_cast<int64_t>(Elements(set, span).size()));
    case Builtin::kEmpty:
      return store_.Bool(IsFinite(set) && Elements(set, span).empty());
    case Builtin::kSubsets:
      return store_.Symbolic(SetKind::kSubsets, args.subspan(0, 1));
    case Builtin::kSequences:
      return store_.Symbolic(SetKind::kSeqs, args.subspan(0, 1));
    case Builtin::kMaps:
      return store_.Symbolic(SetKind::kMaps, args);
    case Builtin::kSeqOf:
      return store_.Seq(Elements(set, span));
    case Builtin::kUnion: {
      if (IsSymbolic(args[0], SetKind::kEvents) || IsSymbolic(args[0], SetKind::kInts)) return args[0];
      if (IsSymbolic(args[1], SetKind::kEvents) || IsSymbolic(args[1], SetKind::kInts)) return args[1];
      std::vector<Value> all;
      if (IsSymbolic(args[0], SetKind::kIntsFrom) && IsSymbolic(args[1], SetKind::kIntsFrom)) {
        return args[0]->kid(0)->number < args[1]->kid(0)->number ? args[0] : args[1];
      }
      if (IsSymbolic(args[0], SetKind::kProductions) && IsSymbolic(args[1], SetKind::kProductions)) {
        all.assign(args[0]->kids().begin(), args[0]->kids().end());
        all.insert(all.end(), args[1]->kids().begin(), args[1]->kids().end());
        return store_.Symbolic(SetKind::kProductions, store_.Set(std::move(all))->kids());
      }
      for (size_t i : {0, 1}) {
        // An infinite set that has all of the other is their union.
        if (IsFinite(args[i]) || !IsFinite(args[1 - i])) continue;
        std::vector<Value> other = Elements(args[1 - i], span);
        if (std::all_of(other.begin(), other.end(), [&](Value v) { return Contains(args[i], v); })) return args[i];
      }
      all = Elements(args[0], span);
      std::vector<Value> more = Elements(args[1], span);
      all.insert(all.end(), more.begin(), more.end());
      return store_.Set(std::move(all));
    }
    case Builtin::kInter:
    case Builtin::kDiff: {
      // An infinite left side is fine for `inter` when the right side is finite.
      bool swap = builtin == Builtin::kInter && !IsFinite(args[0]) && IsFinite(args[1]);
      std::vector<Value> kept;
      for (Value item : Elements(args[swap ? 1 : 0], span)) {
        if (Contains(args[swap ? 0 : 1], item) == (builtin == Builtin::kInter)) kept.push_back(item);
      }
      return store_.SortedSet(kept);
    }
    case Builtin::kUnionAll: {
      std::vector<Value> all;
      for (Value part : Elements(set, span)) {
        std::vector<Value> more = Elements(part, span);
        all.insert(all.end(), more.begin(), more.end());
      }
      return store_.Set(std::move(all));
    }
    case Builtin::kInterAll: {
      std::vector<Value> parts = Elements(set, span);
      if (parts.empty()) Fail(span, "`Inter` of an empty set");
      std::vector<Value> kept;
      for (Value item : Elements(parts[0], span)) {
        if (std::all_of(parts.begin(), parts.end(), [&](Value p) { return Contains(p, item); })) kept.push_back(item);
      }
      return store_.SortedSet(kept);
    }
    case Builtin::kProductions:
      return store_.Symbolic(SetKind::kProductions, args.subspan(0, 1));
    case Builtin::kExtensions: {
      std::vector<Value> missing;
      bool ragged = false;
      if (!Missing(Atoms(args[0]), missing, &ragged)) {
        Fail(span, fmt::format("`{}` has too many fields", Show(args[0])));
      }
      if (ragged) return Suffixes(args[0], span);
      if (missing.empty()) Fail(span, fmt::format("`{}` is complete: it has no extensions", Show(args[0])));
      return missing.size() == 1 ? missing[0] : store_.Symbolic(SetKind::kDots, missing);
    }
    case Builtin::kTranspose: {
      std::vector<Value> pairs;
      for (Value pair : Elements(set, span)) {
        Value swapped[2] = {pair->kid(1), pair->kid(0)};
        pairs.push_back(store_.Tuple(swapped));
      }
      return store_.Set(std::move(pairs));
    }
    case Builtin::kImage:
    case Builtin::kInverseImage: {
      if (args.size() == 1) return store_.Make(Kind::kBuiltin, static_cast<int64_t>(builtin), nullptr, args);
      size_t from = builtin == Builtin::kImage ? 0 : 1;
      std::vector<Value> image;
      for (Value pair : Elements(set, span)) {
        if (pair->kid(from) == args[1]) image.push_back(pair->kid(1 - from));
      }
      return store_.Set(std::move(image));
    }
    case Builtin::kTransClose:
      return Representatives(set, args[1], span);
    default:
      Fail(span, "this builtin is not a function");
  }
}

// What the whole values that begin with `partial` have after it.
Value Evaluator::Suffixes(Value partial, Span span) {
  std::vector<Value> all;
  std::vector<Value> suffix;
  Value whole = store_.Symbolic(SetKind::kProductions, std::span<const Value>(&partial, 1));
  for (Value value : Elements(whole, span)) {
    if (Suffix(partial, value, suffix)) all.push_back(store_.Dot(suffix));
  }
  return store_.Set(std::move(all));
}

// The classes of the smallest equivalence that contains the pairs, within `members`: (r, x) for each x of a class but
// the least, which is r.
Value Evaluator::Representatives(Value pairs, Value members, Span span) {
  std::unordered_map<Value, Value> parent;
  auto find = [&](Value x) {
    while (parent.try_emplace(x, x).first->second != x) x = parent[x] = parent[parent[x]];
    return x;
  };
  for (Value pair : Elements(pairs, span)) {
    CheckLimits();
    parent[find(pair->kid(0))] = find(pair->kid(1));
  }
  std::unordered_map<Value, Value> least;
  std::vector<Value> all;
  for (Value x : Elements(members, span)) {  // in order, so the first of its class is the least
    auto [it, first] = least.try_emplace(find(x), x);
    Value pair[2] = {it->second, x};
    if (!first) all.push_back(store_.Tuple(pair));
  }
  return store_.Set(std::move(all));
}

// The smallest transitive relation that contains the pairs: from each element, what can be reached.
Value Evaluator::TransitiveClosure(Value pairs, Span span) {
  std::unordered_map<Value, std::vector<Value>> after;
  for (Value pair : Elements(pairs, span)) after[pair->kid(0)].push_back(pair->kid(1));
  std::vector<Value> all;
  for (const auto& [from, first] : after) {
    std::vector<Value> todo = first;
    std::unordered_set<Value> seen(first.begin(), first.end());
    for (size_t at = 0; at < todo.size(); ++at) {
      CheckLimits();
      auto more = after.find(todo[at]);
      if (more == after.end()) continue;
      for (Value to : more->second) {
        if (seen.insert(to).second) todo.push_back(to);
      }
    }
    for (Value to : seen) {
      Value pair[2] = {from, to};
      all.push_back(store_.Tuple(pair));
    }
  }
  return store_.Set(std::move(all));
}

}  // namespace heddle::csp
