#include "deadlock/cycles/names.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "deadlock/input/normalise.h"
#include "deadlock/input/source_code.h"

namespace heddle::deadlock {
namespace {

using llvm::dyn_cast;
using llvm::dyn_cast_or_null;

const llvm::DIType* Plain(const llvm::DIType* type) {
  while (const auto* derived = dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    switch (derived->getTag()) {
      case llvm::dwarf::DW_TAG_typedef:
      case llvm::dwarf::DW_TAG_const_type:
      case llvm::dwarf::DW_TAG_volatile_type:
      case llvm::dwarf::DW_TAG_member:
      case llvm::dwarf::DW_TAG_atomic_type:
        type = derived->getBaseType();
        continue;
      default:
        return type;
    }
  }
  return type;
}

const llvm::DIType* Pointee(const llvm::DIType* type) {
  const auto* derived = dyn_cast_or_null<llvm::DIDerivedType>(Plain(type));
  bool pointer = derived != nullptr && (derived->getTag() == llvm::dwarf::DW_TAG_pointer_type ||
                                        derived->getTag() == llvm::dwarf::DW_TAG_reference_type);
  return pointer ? derived->getBaseType() : nullptr;
}

// Types of locks are not taken apart: their parts are nobody's names.
bool IsLockType(llvm::StringRef name) {
  return name.contains("mutex") || name.contains("lock") || name.contains("once") || name.contains("sem");
}

// Also by the name of a typedef around it: pthread_mutex_t is a union without a name.
bool IsLock(const llvm::DIType* type) {
  while (type != nullptr) {
    if (IsLockType(type->getName()) && type->getTag() != llvm::dwarf::DW_TAG_member) return true;
    const auto* derived = dyn_cast<llvm::DIDerivedType>(type);
    bool wraps = derived != nullptr && derived->getTag() != llvm::dwarf::DW_TAG_pointer_type;
    type = wraps ? derived->getBaseType() : nullptr;
  }
  return false;
}

// ".a.b[3]" for the offset in a value of the type.
std::string MemberPath(const llvm::DIType* type, int64_t offset, bool any_index) {
  if (offset < 0 || (offset == 0 && IsLock(type))) return "";
  type = Plain(type);
  const auto* composite = dyn_cast_or_null<llvm::DICompositeType>(type);
  if (composite == nullptr) return "";
  if (composite->getTag() == llvm::dwarf::DW_TAG_array_type) {
    const llvm::DIType* element = composite->getBaseType();
    int64_t size = element == nullptr ? 0 : static_cast<int64_t>(Plain(element)->getSizeInBits() / 8);
    if (size == 0) return "";
    std::string index = any_index ? "*" : fmt::format("{}", offset / size);
    return fmt::format("[{}]{}", index, MemberPath(element, offset % size, any_index));
  }
  for (const llvm::DINode* node : composite->getElements()) {
    const auto* member = dyn_cast<llvm::DIDerivedType>(node);
    if (member == nullptr || member->isStaticMember()) continue;
    bool base = member->getTag() == llvm::dwarf::DW_TAG_inheritance;
    if (!base && member->getTag() != llvm::dwarf::DW_TAG_member) continue;
    auto begin = static_cast<int64_t>(member->getOffsetInBits() / 8);
    auto size = static_cast<int64_t>(member->getSizeInBits() / 8);
    if (offset < begin || offset >= begin + std::max<int64_t>(size, 1)) continue;
    std::string name = base || member->getName().empty() ? "" : "." + member->getName().str();
    return name + MemberPath(member->getBaseType(), offset - begin, any_index);
  }
  return "";
}

// The source variable that is, or holds, the value.
const llvm::DILocalVariable* VariableOf(const llvm::Value* value) {
  auto* mutable_value = const_cast<llvm::Value*>(value);
  for (llvm::DbgVariableRecord* record : llvm::findDVRDeclares(mutable_value)) return record->getVariable();
  llvm::SmallVector<llvm::DbgVariableIntrinsic*, 2> users;
  llvm::SmallVector<llvm::DbgVariableRecord*, 2> records;
  llvm::findDbgUsers(users, mutable_value, &records);
  for (llvm::DbgVariableRecord* record : records) {
    if (record->getVariable() != nullptr && record->getExpression()->getNumElements() == 0)
      return record->getVariable();
  }
  for (llvm::DbgVariableIntrinsic* user : users) {
    if (user->getExpression()->getNumElements() == 0) return user->getVariable();
  }
  return nullptr;
}

bool Lists(const llvm::NamedMDNode* list, const llvm::DISubprogram* subprogram) {
  if (list == nullptr) return false;
  for (const llvm::MDNode* node : list->operands()) {
    if (node == subprogram) return true;
  }
  return false;
}

// Optimisers that merge two instructions give the result line 0: the nearest line in the block is better than none.
const llvm::DILocation* LocationOf(const llvm::Instruction& instruction) {
  const llvm::DILocation* location = instruction.getDebugLoc().get();
  if (location != nullptr && location->getLine() != 0) return location;
  for (const llvm::Instruction* at = &instruction; at != nullptr; at = at->getPrevNode()) {
    const llvm::DILocation* near = at->getDebugLoc().get();
    if (near != nullptr && near->getLine() != 0) return near;
  }
  for (const llvm::Instruction* at = &instruction; at != nullptr; at = at->getNextNode()) {
    const llvm::DILocation* near = at->getDebugLoc().get();
    if (near != nullptr && near->getLine() != 0) return near;
  }
  return location;
}

std::string WithOffset(std::string name, int64_t offset) {
  return offset == 0 ? name : fmt::format("{}+{}", name, offset);
}

std::string GlobalName(const llvm::GlobalVariable& global, const Loc& loc) {
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> expressions;
  global.getDebugInfo(expressions);
  if (expressions.empty()) return WithOffset(llvm::demangle(global.getName().str()), loc.offset);
  const llvm::DIGlobalVariable* variable = expressions[0]->getVariable();
  return variable->getName().str() + MemberPath(variable->getType(), loc.offset, loc.stride != 0);
}

std::string BlockName(const llvm::Instruction& site, const Loc& loc) {
  const llvm::DILocalVariable* variable = VariableOf(&site);
  if (variable != nullptr) {
    const llvm::DIType* pointee = Pointee(variable->getType());
    std::string path = MemberPath(pointee, loc.offset, loc.stride != 0);
    if (!path.empty() && path[0] == '.') return variable->getName().str() + "->" + path.substr(1);
    if (loc.offset == 0) return "*" + variable->getName().str();
  }
  Stack place = PlaceOf(site);
  const Frame* frame = UserFrame(place);
  std::string where =
      frame == nullptr || frame->line == 0 ? FunctionName(*site.getFunction()) + "()" : ShortPlace(*frame);
  return WithOffset(fmt::format("block from {}", where), loc.offset);
}

std::string StackName(const llvm::AllocaInst& alloca, const Loc& loc) {
  const llvm::DILocalVariable* variable = VariableOf(&alloca);
  if (variable == nullptr)
    return WithOffset(fmt::format("local of {}()", FunctionName(*alloca.getFunction())), loc.offset);
  return variable->getName().str() + MemberPath(variable->getType(), loc.offset, loc.stride != 0);
}

std::string ParameterName(const llvm::Argument& argument, const Loc& loc) {
  const llvm::DILocalVariable* variable = VariableOf(&argument);
  std::string name = variable == nullptr
                         ? fmt::format("{}({})", FunctionName(*argument.getParent()), argument.getArgNo())
                         : variable->getName().str();
  std::string path = variable == nullptr ? "" : MemberPath(Pointee(variable->getType()), loc.offset, loc.stride != 0);
  if (!path.empty() && path[0] == '.') return name + "->" + path.substr(1);
  return WithOffset("*" + name, loc.offset);
}

}  // namespace

std::string FunctionName(const llvm::Function& function) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  std::string name = function.getName().str();
  std::string demangled = llvm::demangle(name);
  if (demangled != name) return demangled;
  return subprogram == nullptr ? name : subprogram->getName().str();
}

std::string LockName(const Locations& locations, LocId id) {
  const Loc& loc = locations.loc(id);
  const Object& object = locations.object(loc.object);
  switch (object.kind) {
    case ObjectKind::kGlobal:
      return GlobalName(*llvm::cast<llvm::GlobalVariable>(object.site), loc);
    case ObjectKind::kStack:
      if (const auto* alloca = dyn_cast<llvm::AllocaInst>(object.site)) return StackName(*alloca, loc);
      return "variable argument";
    case ObjectKind::kHeap:
      return BlockName(*llvm::cast<llvm::Instruction>(object.site), loc);
    case ObjectKind::kThread:
      return "end of the thread";
    case ObjectKind::kCaller:
      return ParameterName(*llvm::cast<llvm::Argument>(object.site), loc);
    case ObjectKind::kExternal:
      if (!object.members.empty())
        return fmt::format("one of {} locks like {}", object.members.size(), LockName(locations, object.members[0]));
      if (object.site == nullptr) return "an unknown lock";
      return WithOffset(fmt::format("memory from {}()", object.site->getName().str()), loc.offset);
    case ObjectKind::kFunction:
      return object.site->getName().str();
  }
  return "?";
}

Stack PlaceOf(const llvm::Instruction& instruction) {
  Stack stack;
  const llvm::DILocation* location = LocationOf(instruction);
  if (location == nullptr) {
    Frame frame;
    frame.function = FunctionName(*instruction.getFunction());
    if (const llvm::DISubprogram* subprogram = instruction.getFunction()->getSubprogram()) {
      if (subprogram->getFile() != nullptr) frame.file = PathOf(*subprogram->getFile());
      frame.line = frame.function_line = subprogram->getLine();
    }
    return {frame};
  }
  const llvm::NamedMDNode* wrappers = instruction.getModule()->getNamedMetadata(kWrapperList);
  for (; location != nullptr; location = location->getInlinedAt()) {
    const llvm::DISubprogram* subprogram = location->getScope()->getSubprogram();
    // A function that only locks for its caller is not where the lock is taken.
    if (stack.empty() && location->getInlinedAt() != nullptr && Lists(wrappers, subprogram)) continue;
    Frame frame;
    std::string linkage = subprogram->getLinkageName().str();
    frame.function = linkage.empty() ? subprogram->getName().str() : llvm::demangle(linkage);
    if (location->getFile() != nullptr) frame.file = PathOf(*location->getFile());
    frame.line = location->getLine() == 0 ? subprogram->getLine() : location->getLine();
    frame.column = location->getColumn();
    frame.function_line = subprogram->getLine();
    frame.inlined = location->getInlinedAt() != nullptr;
    stack.push_back(std::move(frame));
  }
  return stack;
}

}  // namespace heddle::deadlock
