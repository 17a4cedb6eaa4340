#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/near.h"
#include "litmus/syntax/c_parser.h"

// Calls that tests in C and OpenCL make: the atomics of <stdatomic.h> with and without an explicit order, OpenCL's with
// a scope, fences and barriers.
namespace heddle::litmus {
namespace {

constexpr std::pair<std::string_view, std::string_view> kOrders[] = {{"relaxed", "RLX"},     {"consume", "CON"},
                                                                     {"acquire", "ACQ"},     {"release", "REL"},
                                                                     {"acq_rel", "ACQ_REL"}, {"seq_cst", "SC"}};
constexpr std::pair<std::string_view, std::string_view> kScopes[] = {{"memory_scope_work_item", "WI"},
                                                                     {"memory_scope_work_group", "WG"},
                                                                     {"memory_scope_device", "DV"},
                                                                     {"memory_scope_all_svm_devices", "ALL"},
                                                                     {"memory_scope_all_devices", "ALL"}};

// Names of the Linux kernel, whose memory model is not here.
bool OfLinux(std::string_view name) {
  static constexpr std::string_view kNames[] = {"READ_ONCE",       "WRITE_ONCE",         "xchg",
                                                "cmpxchg",         "atomic_read",        "atomic_set",
                                                "atomic_inc",      "atomic_dec",         "atomic_add",
                                                "atomic_sub",      "call_rcu",           "barrier_nospec",
                                                "rcu_dereference", "rcu_assign_pointer", "synchronize_rcu",
                                                "synchronize_srcu"};
  static constexpr std::string_view kPrefixes[] = {
      "smp_",           "rcu_",        "srcu_",       "spin_",       "xchg_",       "cmpxchg_",   "__xchg",
      "atomic_cmpxchg", "atomic_xchg", "atomic_add_", "atomic_inc_", "atomic_dec_", "atomic_sub_"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes), [&](auto p) { return name.starts_with(p); });
}

// Why a function that tests of others call cannot be called here; empty when there is nothing better to say than that
// it is unknown.
std::string_view WhyNot(std::string_view name) {
  if (OfLinux(name)) return "is of the Linux kernel, whose memory model is not here: write it with <stdatomic.h>";
  if (name == "lock" || name == "unlock" || name == "mtx_lock" || name == "mtx_unlock" ||
      name.starts_with("pthread_")) {
    return "is not known to the models: write the lock with <stdatomic.h>, or use `heddle litmus lock`";
  }
  if (name == "asm" || name == "__asm__" || name == "__asm") return "cannot be read: inline assembly is not supported";
  return "";
}

// The tag of memory_order_acquire and so on.
std::optional<Tag> OrderOf(std::string_view word) {
  for (std::string_view prefix : {"memory_order_", "mo_", "memory_order::"}) {
    if (word.starts_with(prefix)) word.remove_prefix(prefix.size());
  }
  std::string lower;
  if (word.starts_with("__ATOMIC_")) {
    word.remove_prefix(9);
    std::transform(word.begin(), word.end(), std::back_inserter(lower),
                   [](unsigned char c) { return std::tolower(c); });
    word = lower;
  }
  for (const auto& [name, tag] : kOrders) {
    if (name == word) return FindTag(tag);
  }
  return std::nullopt;
}

std::optional<Tag> ScopeOf(std::string_view word) {
  for (const auto& [name, tag] : kScopes) {
    if (name == word) return FindTag(tag);
  }
  return std::nullopt;
}

std::optional<Tag> FlagOf(std::string_view word) {
  if (word == "CLK_GLOBAL_MEM_FENCE") return TagOf("GLOBAL");
  if (word == "CLK_LOCAL_MEM_FENCE") return TagOf("LOCAL");
  return std::nullopt;
}

}  // namespace

Result<CFunctionParser::Arguments> CFunctionParser::ReadArguments() {
  Arguments arguments;
  if (Status status = cursor_.Need("(", "before the arguments"); !status) return status.error();
  while (!cursor_.Take(")")) {
    if (cursor_.AtEnd()) return cursor_.Wrong("the arguments are not closed by `)`");
    if (cursor_.Take(",")) continue;
    std::string word(cursor_.PeekWord());
    if (word == "memory_scope_sub_group") {
      return cursor_.Wrong("tests do not say which threads are in one sub-group: this scope is not supported");
    }
    if (OrderOf(word) || ScopeOf(word)) {
      cursor_.Word();
      arguments.words.push_back(word);
      continue;
    }
    if (FlagOf(word)) {
      do {
        arguments.words.emplace_back(cursor_.Word());
      } while (cursor_.Take("|"));
      continue;
    }
    if (cursor_.Peek() == '&') {
      size_t before = cursor_.at();
      cursor_.Take("&");
      std::string name(cursor_.Word());
      if (IsLocal(name)) {
        arguments.expected_local = name;
        if (cursor_.Peek() != '[' && cursor_.Peek() != '.' && !cursor_.Rest().starts_with("->")) {
          arguments.values.push_back(thread_.Reg(Local(name)));
          continue;
        }
        arguments.expected_local.clear();
      }
      cursor_.Seek(before);
    }
    Result<int> value = Expression();
    if (!value) return value.error();
    arguments.values.push_back(*value);
  }
  return arguments;
}

// The order with this number among those given; seq_cst when the call has none.
TagSet CFunctionParser::OrderTags(const Arguments& arguments, size_t index, bool explicit_order) const {
  TagSet tags;
  size_t seen = 0;
  for (const std::string& word : arguments.words) {
    std::optional<Tag> order = OrderOf(word);
    if (!order || seen++ != index) continue;
    tags.set(*order);
  }
  if (tags.none() && !explicit_order) tags.set(TagOf("SC"));
  return tags;
}

TagSet CFunctionParser::ScopeTags(const Arguments& arguments) const {
  TagSet tags;
  if (!opencl_) return tags;
  for (const std::string& word : arguments.words) {
    if (std::optional<Tag> scope = ScopeOf(word)) tags.set(*scope);
  }
  if (tags.none()) tags.set(TagOf("DV"));
  for (const std::string& word : arguments.words) {
    if (std::optional<Tag> flag = FlagOf(word)) tags.set(*flag);
  }
  return tags;
}

Result<int> CFunctionParser::Call(const std::string& name, size_t begin) {
  struct Known {
    std::string_view name;
    int kind;  // 0 load, 1 store, 2 exchange or fetch, 3 compare-exchange
    Op op;
    size_t values;
  };
  static constexpr Known kKnown[] = {
      {"atomic_load", 0, Op::kOld, 1},
      {"atomic_store", 1, Op::kOld, 2},
      {"atomic_init", 1, Op::kOld, 2},
      {"atomic_exchange", 2, Op::kOld, 2},
      {"atomic_fetch_add", 2, Op::kAdd, 2},
      {"atomic_fetch_sub", 2, Op::kSub, 2},
      {"atomic_fetch_or", 2, Op::kOr, 2},
      {"atomic_fetch_xor", 2, Op::kXor, 2},
      {"atomic_fetch_and", 2, Op::kAnd, 2},
      {"atomic_fetch_min", 2, Op::kMin, 2},
      {"atomic_fetch_max", 2, Op::kMax, 2},
      {"atomic_compare_exchange_strong", 3, Op::kEq, 3},
      {"atomic_compare_exchange_weak", 3, Op::kNe, 3},
      {"atomic_compare_exchange", 3, Op::kEq, 3},
      {"SCAS", 3, Op::kEq, 3},
      {"WCAS", 3, Op::kNe, 3},
      {"atomic_flag_test_and_set", 4, Op::kOld, 1},
      {"atomic_flag_clear", 5, Op::kOld, 1},
  };
  auto own = unit_.functions.find(name);
  if (own != unit_.functions.end()) return Inline(own->second, begin);
  if (std::string_view why = WhyNot(name); !why.empty()) {
    return cursor_.WrongAt(begin, begin + name.size(), "`" + name + "` " + std::string(why));
  }
  int line = cursor_.Line();
  Result<Arguments> read = ReadArguments();
  if (!read) return read.error();
  Arguments& arguments = *read;
  size_t first = thread_.thread().code.size();
  auto named = [&](Result<int> result) {
    auto& code = thread_.thread().code;
    for (size_t i = first; i < code.size(); ++i) {
      code[i].line = line;
      if (code[i].text.empty()) code[i].text = name;
    }
    return result;
  };
  if (name == "atomic_thread_fence" || name == "atomic_work_item_fence" || name == "__atomic_thread_fence")
    return named(Fence(arguments));
  if (name == "barrier" || name == "work_group_barrier") return named(Barrier(arguments));
  // Hints to the processor or the scheduler mean nothing to a model.
  for (std::string_view hint : {"cpu_relax", "_mm_pause", "__builtin_ia32_pause", "sched_yield", "thrd_yield"}) {
    if (name == hint) return thread_.Const(0);
  }
  std::string base = name;
  bool explicit_order = base.ends_with("_explicit");
  if (explicit_order) base.resize(base.size() - 9);
  if (std::string builtin = Builtin(name, arguments); !builtin.empty()) {
    base = builtin;
    explicit_order = true;
  }
  std::vector<std::string_view> names = {"atomic_thread_fence", "atomic_work_item_fence", "barrier"};
  for (const Known& known : kKnown) {
    names.push_back(known.name);
    if (known.name != base) continue;
    if (arguments.values.size() != known.values) {
      return cursor_.WrongAt(begin, cursor_.at(),
                             "`" + name + "` needs " + std::to_string(known.values) +
                                 (known.values == 1 ? " argument" : " arguments") +
                                 (explicit_order ? " and a memory order" : ""));
    }
    bool has_order = std::any_of(arguments.words.begin(), arguments.words.end(),
                                 [](const std::string& word) { return OrderOf(word).has_value(); });
    if (explicit_order && !has_order)
      return cursor_.WrongAt(begin, cursor_.at(), "`" + name + "` needs a memory order");
    switch (known.kind) {
      case 0:
        return named(Load(arguments, explicit_order));
      case 1:
        if (base == "atomic_init") {
          PlainStore(arguments.values[0], arguments.values[1]);
          return thread_.Const(0);
        }
        return named(Store(arguments, explicit_order));
      case 2:
        if (name.ends_with("_fetch")) {  // gives back what it wrote
          Result<int> old = named(Exchange(arguments, known.op));
          return old ? Result<int>(thread_.Binary(known.op, *old, arguments.values[1])) : old;
        }
        return named(Exchange(arguments, known.op));
      case 4:
        arguments.values.push_back(thread_.Const(1));
        return named(Exchange(arguments, Op::kOld));
      case 5:
        arguments.values.push_back(thread_.Const(0));
        return named(Store(arguments, explicit_order));
      default:
        return named(CompareExchange(arguments, known.op == Op::kNe));
    }
  }
  return cursor_.WrongAt(begin, begin + name.size(), "unknown function `" + name + "`", DidYouMean(base, names));
}

std::string CFunctionParser::Builtin(const std::string& name, Arguments& arguments) const {
  if (!name.starts_with("__atomic_")) return "";
  std::string base = name.substr(2);
  if (base.ends_with("_n")) base.resize(base.size() - 2);
  if (base.ends_with("_fetch")) base = "atomic_fetch_" + base.substr(7, base.size() - 13);
  if (base == "atomic_test_and_set" || base == "atomic_clear") base.insert(7, "flag_");
  if (base == "atomic_compare_exchange" && arguments.values.size() == 4) {
    const Expr& weak = thread_.thread().exprs[static_cast<size_t>(arguments.values.back())];
    base += weak.op == Op::kConst && weak.imm == 0 ? "_strong" : "_weak";
    arguments.values.pop_back();
  }
  return base;
}

Result<int> CFunctionParser::Load(const Arguments& arguments, bool explicit_order) {
  std::string name = Temporary();
  int dst = thread_.Register(name);
  Instr& load = thread_.Emit(Instr::Kind::kLoad);
  load.dst = dst;
  load.addr = arguments.values[0];
  load.tags = OrderTags(arguments, 0, explicit_order) | ScopeTags(arguments) | Tags({TagOf("A")});
  return thread_.Reg(name);
}

Result<int> CFunctionParser::Store(const Arguments& arguments, bool explicit_order) {
  Instr& store = thread_.Emit(Instr::Kind::kStore);
  store.addr = arguments.values[0];
  store.value = arguments.values[1];
  store.tags = OrderTags(arguments, 0, explicit_order) | ScopeTags(arguments) | Tags({TagOf("A")});
  return arguments.values[1];
}

Result<int> CFunctionParser::Exchange(const Arguments& arguments, Op op) {
  int given = arguments.values[1];
  int value = op == Op::kOld ? given : thread_.Binary(op, thread_.Old(), given);
  std::string name = Temporary();
  int dst = thread_.Register(name);
  Instr& rmw = thread_.Emit(Instr::Kind::kRmw);
  rmw.dst = dst;
  rmw.addr = arguments.values[0];
  rmw.value = value;
  rmw.one_event = rmw.amo = true;
  rmw.tags = OrderTags(arguments, 0, false) | ScopeTags(arguments) | Tags({TagOf("A"), TagOf("RMW")});
  return thread_.Reg(name);
}

// expected is read; when the exchange fails, it gets the value that was there instead.
Result<int> CFunctionParser::CompareExchange(const Arguments& arguments, bool weak) {
  bool local = !arguments.expected_local.empty();
  int expected = local ? thread_.Reg(Local(arguments.expected_local)) : PlainLoad(arguments.values[1]);
  std::string wanted = Temporary();
  thread_.Assign(wanted, expected);
  std::string old = Temporary();
  std::string done = Temporary();
  int dst = thread_.Register(old);
  int status = thread_.Register(done);
  int wanted_value = thread_.Reg(wanted);
  Instr& rmw = thread_.Emit(Instr::Kind::kRmw);
  rmw.dst = dst;
  rmw.addr = arguments.values[0];
  rmw.value = arguments.values[2];
  rmw.expect = wanted_value;
  rmw.status = status;
  rmw.status_ok = 1;
  rmw.status_fail = 0;
  rmw.one_event = rmw.amo = true;
  rmw.may_fail = weak;
  rmw.tags = OrderTags(arguments, 0, false) | ScopeTags(arguments) | Tags({TagOf("A"), TagOf("RMW")});
  TagSet failure = OrderTags(arguments, 1, true);
  if (failure.none()) {  // one order for both: a failure does not release
    failure = OrderTags(arguments, 0, false);
    if (failure.test(TagOf("REL"))) failure = Tags({TagOf("RLX")});
    if (failure.test(TagOf("ACQ_REL"))) failure = Tags({TagOf("ACQ")});
  }
  rmw.fail_tags = failure | ScopeTags(arguments) | Tags({TagOf("A")});
  std::string end = NewLabel();
  thread_.Branch(thread_.Binary(Op::kNe, thread_.Reg(done), thread_.Const(0)), end);
  thread_.thread().code.back().join = 1;
  if (local) {
    thread_.Assign(Local(arguments.expected_local), thread_.Reg(old));
  } else {
    PlainStore(arguments.values[1], thread_.Reg(old));
  }
  thread_.Label(end);
  EndIf();
  return thread_.Reg(done);
}

Result<int> CFunctionParser::Fence(const Arguments& arguments) {
  TagSet tags = OrderTags(arguments, 0, false) | ScopeTags(arguments);
  thread_.Emit(Instr::Kind::kFence).tags = tags | Tags({TagOf("A")});
  return thread_.Const(0);
}

// Two fences, at the entry and at the exit. Barriers with the same label meet; without one, the nth meets the nth.
Result<int> CFunctionParser::Barrier(const Arguments& arguments) {
  TagSet tags;
  for (const std::string& word : arguments.words) {
    if (std::optional<Tag> flag = FlagOf(word)) tags.set(*flag);
    if (std::optional<Tag> scope = ScopeOf(word)) tags.set(*scope);
  }
  if ((tags & Tags({TagOf("WI"), TagOf("WG"), TagOf("DV"), TagOf("ALL")})).none()) tags.set(TagOf("WG"));
  int64_t number = 100000 + barriers_++;
  if (barrier_label_.size() > 1) number = std::atoll(barrier_label_.c_str() + 1);
  barrier_label_.clear();
  for (Tag half : {TagOf("EF"), TagOf("XF")}) {
    int expr = thread_.Const(number);
    Instr& fence = thread_.Emit(Instr::Kind::kFence);
    fence.tags = tags | Tags({half, TagOf("CBAR")});
    fence.barrier = expr;
  }
  return thread_.Const(0);
}

}  // namespace heddle::litmus
