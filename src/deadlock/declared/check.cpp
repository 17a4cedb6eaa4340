#include "deadlock/declared/check.h"

#include <fmt/format.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "deadlock/cycles/describe.h"
#include "deadlock/cycles/names.h"

namespace heddle::deadlock {
namespace {

bool Enough(Mode held, bool for_reading) { return for_reading || held == Mode::kWrite; }

}  // namespace

std::vector<findings::Finding> DeclarationCheck::Run() {
  if (declarations_.empty()) return {};
  for (const auto& [object, accesses] : log_.by_object()) {
    for (const Access& access : accesses) CheckAccess(access);
  }
  std::set<const llvm::Function*> functions;
  for (const Context& context : locksets_.contexts()) functions.insert(context.function);
  for (const llvm::Function* function : functions) {
    auto required = declarations_.required.find(function->getName().str());
    if (required != declarations_.required.end()) CheckCalls(*function, required->second);
  }
  for (const Wait& wait : locksets_.waits()) CheckOrder(wait);
  std::vector<findings::Finding> list;
  for (auto& [key, finding] : found_) list.push_back(std::move(finding));
  return list;
}

bool DeclarationCheck::Alone(const std::set<OriginId>& origins, const std::set<OriginId>& running) const {
  return running.empty() && std::all_of(origins.begin(), origins.end(), [&](OriginId id) {
           const Origin& origin = locksets_.origins()[id];
           return origin.create == nullptr && !origin.anytime;
         });
}

bool DeclarationCheck::HasInside(const std::vector<MustLock>& must, ObjectId object, int64_t begin, int64_t bytes,
                                 bool for_reading) const {
  return std::any_of(must.begin(), must.end(), [&](const MustLock& held) {
    const Loc& loc = locations_.loc(held.loc);
    return loc.object == object && loc.offset >= begin && loc.offset < begin + bytes && Enough(held.mode, for_reading);
  });
}

bool DeclarationCheck::IsGlobalLock(LocId id, const DeclaredLock& lock) const {
  const Object& object = locations_.object_of(id);
  const Loc& loc = locations_.loc(id);
  return object.kind == ObjectKind::kGlobal && object.site->getName() == lock.global && loc.offset >= lock.offset &&
         loc.offset < lock.offset + lock.bytes;
}

bool DeclarationCheck::HasGlobal(const std::vector<MustLock>& must, const DeclaredLock& lock, bool for_reading) const {
  return std::any_of(must.begin(), must.end(), [&](const MustLock& held) {
    return IsGlobalLock(held.loc, lock) && Enough(held.mode, for_reading);
  });
}

void DeclarationCheck::CheckAccess(const Access& access) {
  const Moment& moment = log_.moment(access.moment);
  if (access.fresh || Alone(moment.origins, moment.running)) return;
  bool reads = !access.writes;
  auto wrong = [&](const DeclaredLock& lock) {
    std::string name = LockName(locations_, access.loc);
    Add(fmt::format("`{}` is declared guarded by `{}`, which is not surely held here", name, lock.text), lock,
        reads ? "read" : "write", ChainOf(locksets_, access.context, *access.at), moment.origins, moment.must,
        fmt::format("hold `{}` here", lock.text));
  };
  const Object& object = locations_.object_of(access.loc);
  if (object.kind == ObjectKind::kGlobal) {
    auto guarded = declarations_.guarded.find(object.site->getName().str());
    if (guarded != declarations_.guarded.end()) {
      for (const DeclaredLock& lock : guarded->second) {
        if (!HasGlobal(moment.must, lock, reads) && !Required(access, nullptr, lock, 0)) wrong(lock);
      }
    }
  }
  MemberGuard member = GuardOf(*access.at, declarations_);
  if (member.lock == nullptr) return;
  bool held = false;
  if (!member.lock->global.empty()) {
    held = HasGlobal(moment.must, *member.lock, reads);
  } else {
    const Loc& loc = locations_.loc(access.loc);
    held = HasInside(moment.must, loc.object, loc.offset + member.distance, member.lock->bytes, reads) ||
           std::any_of(access.guards.begin(), access.guards.end(), [&](const Guard& guard) {
             return guard.base == nullptr && guard.distance >= member.distance &&
                    guard.distance < member.distance + member.lock->bytes && Enough(guard.mode, reads);
           });
  }
  held = held || Required(access, llvm::getLoadStorePointerOperand(access.at), *member.lock, member.distance);
  if (!held) wrong(*member.lock);
}

// By what the caller's own code holds at the call, whichever object it is.
bool DeclarationCheck::HasAtCall(const llvm::CallBase& call, const DeclaredLock& lock) const {
  const llvm::Value* base = nullptr;
  if (!lock.global.empty()) {
    base = call.getModule()->getNamedValue(lock.global);
  } else if (static_cast<unsigned>(lock.argument) < call.arg_size()) {
    base = call.getArgOperand(static_cast<unsigned>(lock.argument));
  }
  if (base == nullptr) return false;
  std::vector<Guard> guards = guards_.At(call, base, 0);
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    return guard.base == nullptr && guard.distance >= lock.offset && guard.distance < lock.offset + lock.bytes &&
           Enough(guard.mode, lock.shared);
  });
}

bool DeclarationCheck::HasAtEntry(const Context& context, const DeclaredLock& lock) const {
  const State& entry = locksets_.states()[context.entry];
  if (!lock.global.empty()) return HasGlobal(entry.must, lock, lock.shared);
  auto number = static_cast<unsigned>(lock.argument);
  if (number >= context.function->arg_size()) return false;
  LocSet targets = Evaluator(locksets_.facts(), context).Of(context.function->getArg(number));
  if (targets.size() != 1) return false;
  const Loc& loc = locations_.loc(*targets.begin());
  return HasInside(entry.must, loc.object, loc.offset + lock.offset, lock.bytes, lock.shared);
}

void DeclarationCheck::CheckCalls(const llvm::Function& function, const std::vector<DeclaredLock>& locks) {
  for (ContextId id = 0; id < locksets_.contexts().size(); ++id) {
    const Context& context = locksets_.contexts()[id];
    if (context.function != &function || context.entry == kNoState) continue;
    const State& entry = locksets_.states()[context.entry];
    const std::set<OriginId>& origins = locksets_.OriginsOf(id);
    if (origins.empty() || Alone(origins, locksets_.Running(entry))) continue;
    for (const DeclaredLock& lock : locks) {
      if (HasAtEntry(context, lock)) continue;
      // Calls in the same state share the context: each one is asked what it holds.
      bool called = false;
      for (const llvm::User* user : function.users()) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
        if (call == nullptr || call->getCalledOperand() != &function) continue;
        for (ContextId caller : context.callers) {
          if (locksets_.contexts()[caller].function != call->getFunction()) continue;
          called = true;
          if (HasAtCall(*call, lock)) continue;
          AddCall(function, lock, ChainOf(locksets_, caller, *call), origins, entry.must);
        }
      }
      if (!called) {
        AddCall(function, lock, ChainOf(locksets_, id, function.getEntryBlock().front()), origins, entry.must);
      }
    }
  }
}

void DeclarationCheck::AddCall(const llvm::Function& function, const DeclaredLock& lock, Stack stack,
                               const std::set<OriginId>& origins, const std::vector<MustLock>& must) {
  Add(fmt::format("`{}` is declared to require `{}`, which is not surely held at this call", FunctionName(function),
                  lock.text),
      lock, "call", std::move(stack), origins, must, fmt::format("hold `{}` around the call", lock.text));
}

// What the function around the access requires of its callers is taken as held: the calls are looked at.
bool DeclarationCheck::Required(const Access& access, const llvm::Value* pointer, const DeclaredLock& lock,
                                int64_t distance) const {
  auto required = declarations_.required.find(access.at->getFunction()->getName().str());
  if (required == declarations_.required.end() || (pointer == nullptr && lock.global.empty())) return false;
  return std::any_of(required->second.begin(), required->second.end(), [&](const DeclaredLock& has) {
    if (has.shared && access.writes) return false;
    if (!lock.global.empty()) return has.global == lock.global && has.offset == lock.offset;
    if (has.argument < 0) return false;
    AddressName name = NameAddress(*access.at->getModule(), pointer);
    return name.index == nullptr &&
           name.root == access.at->getFunction()->getArg(static_cast<unsigned>(has.argument)) &&
           has.offset - name.offset == distance;
  });
}

void DeclarationCheck::CheckOrder(const Wait& wait) {
  if (wait.kind != WaitKind::kLock && wait.kind != WaitKind::kRelock) return;
  const State& before = locksets_.states()[wait.before];
  for (const auto& [first, second] : declarations_.order) {
    bool waits = wait.locks.size() == 1 && std::all_of(wait.locks.begin(), wait.locks.end(),
                                                       [&, &lock = first](LocId id) { return IsGlobalLock(id, lock); });
    if (!waits || !HasGlobal(before.must, second, true)) continue;
    Add(fmt::format("`{}` is declared to be acquired before `{}`, which is held here", first.text, second.text), first,
        "lock", ChainOf(locksets_, wait.context, *wait.call), locksets_.OriginsOf(wait.context), before.must,
        fmt::format("acquire `{}` first", first.text));
  }
}

void DeclarationCheck::Add(const std::string& message, const DeclaredLock& lock, const std::string& what, Stack stack,
                           const std::set<OriginId>& origins, const std::vector<MustLock>& must,
                           const std::string& help) {
  const Frame* frame = UserFrame(stack);
  std::string key =
      fmt::format("{}:{:09}:{}", frame == nullptr ? "" : frame->file, frame == nullptr ? 0 : frame->line, message);
  auto [place, fresh] = found_.try_emplace(key);
  findings::Finding& finding = place->second;
  if (!fresh) {
    ++finding.count;
    return;
  }
  finding.kind = findings::Kind::kProperty;
  finding.status = findings::FindingStatus::kPossible;
  finding.status_note = "static, by the attributes of the source";
  finding.message = message;
  finding.help = help;
  findings::ThreadInfo thread;
  const Origin* origin = origins.empty() ? nullptr : &locksets_.origins()[*origins.begin()];
  bool main = origin == nullptr || (origin->create == nullptr && !origin->anytime);
  thread.id = main ? "T0" : "T1";
  if (origin != nullptr) thread.name = ThreadName(*origin);
  if (origin != nullptr && origin->create != nullptr) thread.creation_stack = PlaceOf(*origin->create);
  findings::Step step;
  step.site = 1;
  step.thread = thread.id;
  step.what = what;
  step.operand = what == "lock" ? lock.text : "";
  step.stack = std::move(stack);
  for (const MustLock& held : must) {
    if (!locksets_.transfer().IsThread(held.loc) && !locksets_.IsHandoff(held.loc)) {
      step.locks.push_back(LockName(locations_, held.loc));
    }
  }
  finding.threads.push_back(std::move(thread));
  finding.steps.push_back(std::move(step));
}

}  // namespace heddle::deadlock
