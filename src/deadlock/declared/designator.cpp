#include "deadlock/declared/designator.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <cctype>

#include "base/frame.h"

namespace heddle::deadlock {
namespace {

using llvm::dyn_cast;
using llvm::dyn_cast_or_null;

struct Part {
  std::string name;
  bool behind = false;  // a pointer: "->" came before it
};

// "&s->a.b": s, then ->a, then .b. Empty when it is anything else.
std::vector<Part> PartsOf(const std::string& text) {
  std::vector<Part> parts;
  size_t at = 0;
  while (at < text.size() && (text[at] == '&' || text[at] == ' ')) ++at;
  bool behind = false;
  while (at < text.size()) {
    size_t begin = at;
    while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_')) ++at;
    if (at == begin) return {};
    parts.push_back({text.substr(begin, at - begin), behind});
    if (at == text.size()) break;
    behind = text.compare(at, 2, "->") == 0;
    if (!behind && text[at] != '.') return {};
    at += behind ? 2 : 1;
    if (at == text.size()) return {};
  }
  return parts;
}

struct Member {
  const llvm::DIType* type = nullptr;
  int64_t offset = 0;
};

std::optional<Member> FindMember(const llvm::DICompositeType* type, const std::string& name) {
  for (const llvm::DINode* element : type->getElements()) {
    const auto* member = dyn_cast<llvm::DIDerivedType>(element);
    if (member == nullptr) continue;
    auto offset = static_cast<int64_t>(member->getOffsetInBits()) / kByteBits;
    if (member->getTag() == llvm::dwarf::DW_TAG_member && member->getName() == name && !member->isStaticMember()) {
      return Member{Plain(member->getBaseType()), offset};
    }
    const auto* inside = dyn_cast_or_null<llvm::DICompositeType>(Plain(member->getBaseType()));
    bool unnamed = member->getTag() == llvm::dwarf::DW_TAG_inheritance || member->getName().empty();
    if (!unnamed || inside == nullptr) continue;
    if (std::optional<Member> found = FindMember(inside, name)) return Member{found->type, offset + found->offset};
  }
  return std::nullopt;
}

// The parts from `first` on, inside of `at`.
std::optional<Member> Follow(Member at, const std::vector<Part>& parts, size_t first) {
  for (size_t i = first; i < parts.size(); ++i) {
    const auto* type = dyn_cast_or_null<llvm::DICompositeType>(at.type);
    if (type == nullptr || parts[i].behind) return std::nullopt;
    std::optional<Member> next = FindMember(type, parts[i].name);
    if (!next) return std::nullopt;
    at = {next->type, at.offset + next->offset};
  }
  return at;
}

// A lock lies there itself, not behind a pointer.
std::optional<DeclaredLock> LockAt(const std::optional<Member>& member, const std::string& text) {
  if (!member || !llvm::isa_and_nonnull<llvm::DICompositeType>(member->type)) return std::nullopt;
  DeclaredLock lock;
  lock.text = text;
  lock.offset = member->offset;
  lock.bytes = static_cast<int64_t>(member->type->getSizeInBits()) / kByteBits;
  return lock.bytes > 0 ? std::optional(lock) : std::nullopt;
}

std::optional<DeclaredLock> InGlobal(const llvm::Module& module, const std::string& text,
                                     const std::vector<Part>& parts, const AttributePlace& place) {
  std::optional<DeclaredLock> found;
  bool here = false, ambiguous = false;
  for (const llvm::GlobalVariable& global : module.globals()) {
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> infos;
    global.getDebugInfo(infos);
    for (const llvm::DIGlobalVariableExpression* info : infos) {
      const llvm::DIGlobalVariable* variable = info->getVariable();
      if (variable->getName() != parts[0].name) continue;
      std::optional<DeclaredLock> lock = LockAt(Follow({Plain(variable->getType()), 0}, parts, 1), text);
      bool same_file = FileName(variable->getFile()) == place.file;
      if (!lock || (here && !same_file)) continue;
      ambiguous = found && here == same_file && found->global != global.getName();
      here = same_file;
      found = lock;
      found->global = global.getName().str();
    }
  }
  return ambiguous ? std::nullopt : found;
}

// Behind a parameter of the function.
std::optional<DeclaredLock> BehindArgument(const llvm::Function& function, const std::string& text,
                                           const std::vector<Part>& parts) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  if (subprogram == nullptr || parts.size() < 2 || !parts[1].behind) return std::nullopt;
  for (const llvm::DINode* node : subprogram->getRetainedNodes()) {
    const auto* variable = dyn_cast<llvm::DILocalVariable>(node);
    if (variable == nullptr || variable->getArg() == 0 || variable->getName() != parts[0].name) continue;
    const auto* pointer = dyn_cast_or_null<llvm::DIDerivedType>(Plain(variable->getType()));
    if (pointer == nullptr) return std::nullopt;
    std::vector<Part> inside = parts;
    inside[1].behind = false;
    std::optional<DeclaredLock> lock = LockAt(Follow({Plain(pointer->getBaseType()), 0}, inside, 1), text);
    if (lock) lock->argument = static_cast<int>(variable->getArg()) - 1;
    return lock;
  }
  return std::nullopt;
}

}  // namespace

const llvm::DIType* Plain(const llvm::DIType* type) {
  while (const auto* derived = dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    unsigned tag = derived->getTag();
    bool same = tag == llvm::dwarf::DW_TAG_typedef || tag == llvm::dwarf::DW_TAG_const_type ||
                tag == llvm::dwarf::DW_TAG_volatile_type || tag == llvm::dwarf::DW_TAG_atomic_type;
    if (!same) break;
    type = derived->getBaseType();
  }
  return type;
}

std::string FileName(const llvm::DIScope* scope) {
  return scope == nullptr ? "" : Basename(scope->getFilename().str());
}

std::vector<std::string> SplitArguments(const std::string& text) {
  std::vector<std::string> arguments(1);
  int depth = 0;
  for (char c : text) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      arguments.emplace_back();
    } else if (c != ' ' && c != '\t') {
      arguments.back() += c;
    }
  }
  std::erase(arguments, "");
  return arguments;
}

std::optional<DeclaredLock> FindLock(const llvm::Module& module, const std::string& text, const AttributePlace& place) {
  std::vector<Part> parts = PartsOf(text);
  if (!parts.empty() && parts[0].name == "this") {
    parts.erase(parts.begin());
    if (!parts.empty()) parts[0].behind = false;
  }
  if (parts.empty()) return std::nullopt;
  if (place.type != nullptr && FindMember(place.type, parts[0].name)) {
    std::optional<DeclaredLock> lock = LockAt(Follow({place.type, 0}, parts, 0), text);
    if (!lock) return std::nullopt;
    lock->offset -= place.member_offset;
    if (place.function != nullptr) lock->argument = 0;  // this
    return lock;
  }
  if (place.function != nullptr) {
    if (std::optional<DeclaredLock> lock = BehindArgument(*place.function, text, parts)) return lock;
  }
  return InGlobal(module, text, parts, place);
}

}  // namespace heddle::deadlock
