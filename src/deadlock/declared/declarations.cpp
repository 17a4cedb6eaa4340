#include "deadlock/declared/declarations.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>

#include <optional>

#include "base/frame.h"
#include "deadlock/declared/designator.h"
#include "wire/declared_locks.h"

namespace heddle::deadlock {
namespace {

using llvm::dyn_cast;

constexpr const char* kMark = "heddle.guarded";  // of an access: number of the lock, distance
constexpr const char* kAnnotations = "llvm.global.annotations";

std::string TextOf(const llvm::Value* value) {
  const auto* global = dyn_cast<llvm::GlobalVariable>(value->stripPointerCasts());
  if (global == nullptr || !global->hasInitializer()) return "";
  const auto* data = dyn_cast<llvm::ConstantDataSequential>(global->getInitializer());
  return data != nullptr && data->isCString() ? data->getAsCString().str() : "";
}

struct Said {
  std::string word;
  std::vector<std::string> arguments;
};

// "heddle:guarded_by:mu"; nothing when it is an annotation of the program's own.
std::optional<Said> Parse(const std::string& text) {
  if (!text.starts_with(wire::kDeclaredPrefix)) return std::nullopt;
  size_t colon = text.find(':', wire::kDeclaredPrefix.size());
  if (colon == std::string::npos) return std::nullopt;
  return Said{text.substr(wire::kDeclaredPrefix.size(), colon - wire::kDeclaredPrefix.size()),
              SplitArguments(text.substr(colon + 1))};
}

class Reader {
 public:
  explicit Reader(llvm::Module& module) : module_(module) { finder_.processModule(module); }

  Declarations Take() {
    TakeGlobals();
    TakeMembers();
    return std::move(declarations_);
  }

 private:
  void TakeGlobals() {
    llvm::GlobalVariable* all = module_.getGlobalVariable(kAnnotations);
    if (all == nullptr || !all->hasInitializer()) return;
    if (const auto* list = dyn_cast<llvm::ConstantArray>(all->getInitializer())) {
      for (const llvm::Use& use : list->operands()) {
        if (const auto* entry = dyn_cast<llvm::ConstantStruct>(use.get())) AddGlobal(*entry);
      }
    }
    // Nobody reads it at run time, and it would be a use of every function in it.
    all->eraseFromParent();
    for (llvm::GlobalObject& global : module_.global_objects()) global.removeDeadConstantUsers();
  }

  void AddGlobal(const llvm::ConstantStruct& entry) {
    std::optional<Said> said = Parse(TextOf(entry.getOperand(1)));
    if (!said) return;
    const llvm::Value* about = entry.getOperand(0)->stripPointerCasts();
    AttributePlace place;
    place.file = Basename(TextOf(entry.getOperand(2)));
    const auto* function = dyn_cast<llvm::Function>(about);
    if (function != nullptr) {
      place.function = function;
      const llvm::DISubprogram* subprogram = function->getSubprogram();
      if (subprogram != nullptr) place.type = llvm::dyn_cast_or_null<llvm::DICompositeType>(subprogram->getScope());
      if (subprogram != nullptr) place.file = FileName(subprogram->getFile());
    }
    for (const std::string& argument : said->arguments) {
      std::optional<DeclaredLock> lock = FindLock(module_, argument, place);
      if (!lock) {
        ++declarations_.not_understood;
      } else if (function != nullptr) {
        AddRequired(*function, *said, *lock);
      } else if (const auto* variable = dyn_cast<llvm::GlobalVariable>(about)) {
        AddVariable(*variable, *said, *lock);
      }
    }
  }

  void AddRequired(const llvm::Function& function, const Said& said, DeclaredLock lock) {
    lock.shared = said.word == wire::kRequiresShared;
    if (lock.shared || said.word == wire::kRequires) {
      declarations_.required[function.getName().str()].push_back(std::move(lock));
    }
  }

  void AddVariable(const llvm::GlobalVariable& variable, const Said& said, const DeclaredLock& lock) {
    if (said.word == wire::kGuardedBy) {
      declarations_.guarded[variable.getName().str()].push_back(lock);
      return;
    }
    DeclaredLock own;
    own.text = own.global = variable.getName().str();
    own.bytes = static_cast<int64_t>(module_.getDataLayout().getTypeAllocSize(variable.getValueType()));
    if (said.word == wire::kAcquiredBefore) declarations_.order.emplace_back(own, lock);
    if (said.word == wire::kAcquiredAfter) declarations_.order.emplace_back(lock, own);
  }

  void TakeMembers() {
    std::vector<llvm::CallBase*> calls;
    for (llvm::Function& function : module_) {
      for (llvm::Instruction& at : llvm::instructions(function)) {
        auto* call = dyn_cast<llvm::IntrinsicInst>(&at);
        if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::ptr_annotation) calls.push_back(call);
      }
    }
    for (llvm::CallBase* call : calls) {
      std::optional<Said> said = Parse(TextOf(call->getArgOperand(1)));
      if (said && said->word == wire::kGuardedBy) {
        for (const std::string& argument : said->arguments) AddMember(*call, argument);
      }
      call->replaceAllUsesWith(call->getArgOperand(0));
      call->eraseFromParent();
    }
  }

  // The annotation has the place of the member's declaration, which the debug info has too.
  void AddMember(const llvm::CallBase& call, const std::string& argument) {
    const auto* line = dyn_cast<llvm::ConstantInt>(call.getArgOperand(3));
    std::string file = Basename(TextOf(call.getArgOperand(2)));
    std::tuple key(file, line == nullptr ? 0 : line->getZExtValue(), argument);
    auto [known, fresh] = known_.try_emplace(key, kNone);
    if (fresh) {
      std::optional<DeclaredLock> lock = FindMemberLock(file, static_cast<unsigned>(std::get<1>(key)), argument);
      if (lock) {
        known->second = declarations_.members.size();
        declarations_.members.push_back(*lock);
      } else {
        ++declarations_.not_understood;
      }
    }
    if (known->second != kNone) Mark(call, known->second, 0);
  }

  // All members that are declared on that line must agree.
  std::optional<DeclaredLock> FindMemberLock(const std::string& file, unsigned line, const std::string& argument) {
    std::optional<DeclaredLock> found;
    for (const llvm::DIType* type : finder_.types()) {
      const auto* composite = dyn_cast<llvm::DICompositeType>(type);
      if (composite == nullptr || FileName(composite->getFile()) != file) continue;
      for (const llvm::DINode* element : composite->getElements()) {
        const auto* member = dyn_cast<llvm::DIDerivedType>(element);
        if (member == nullptr || member->getTag() != llvm::dwarf::DW_TAG_member || member->getLine() != line) continue;
        AttributePlace place{composite, static_cast<int64_t>(member->getOffsetInBits()) / kByteBits, nullptr, file};
        std::optional<DeclaredLock> lock = FindLock(module_, argument, place);
        bool same = lock && (!found || (lock->global == found->global && lock->offset == found->offset));
        if (!same) return std::nullopt;
        found = lock;
      }
    }
    return found;
  }

  // The loads and stores through the address, or through a part of the member at a constant offset.
  void Mark(const llvm::Value& address, size_t lock, int64_t distance) {
    for (const llvm::User* user : address.users()) {
      auto* at = dyn_cast<llvm::Instruction>(const_cast<llvm::User*>(user));  // NOLINT: gets a mark
      if (at == nullptr) continue;
      if (const auto* part = dyn_cast<llvm::GetElementPtrInst>(at)) {
        llvm::APInt offset(64, 0);
        if (part->accumulateConstantOffset(module_.getDataLayout(), offset)) {
          Mark(*part, lock, distance + offset.getSExtValue());
        }
        continue;
      }
      const llvm::Value* pointer = llvm::getLoadStorePointerOperand(at);
      if (pointer != &address) continue;
      auto number = [&](int64_t value) {
        return llvm::ConstantAsMetadata::get(
            llvm::ConstantInt::getSigned(llvm::Type::getInt64Ty(module_.getContext()), value));
      };
      at->setMetadata(kMark,
                      llvm::MDNode::get(module_.getContext(), {number(static_cast<int64_t>(lock)), number(distance)}));
    }
  }

  static constexpr size_t kNone = SIZE_MAX;

  llvm::Module& module_;
  llvm::DebugInfoFinder finder_;
  Declarations declarations_;
  std::map<std::tuple<std::string, uint64_t, std::string>, size_t> known_;
};

}  // namespace

Declarations TakeDeclarations(llvm::Module& module) { return Reader(module).Take(); }

MemberGuard GuardOf(const llvm::Instruction& access, const Declarations& declarations) {
  const llvm::MDNode* mark = access.getMetadata(kMark);
  if (mark == nullptr) return {};
  auto number = [&](unsigned i) {
    return llvm::mdconst::extract<llvm::ConstantInt>(mark->getOperand(i))->getSExtValue();
  };
  const DeclaredLock& lock = declarations.members[static_cast<size_t>(number(0))];
  return {&lock, lock.offset - number(1)};
}

}  // namespace heddle::deadlock
