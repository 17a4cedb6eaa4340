#include "deadlock/pointers/object_types.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "deadlock/pointers/constraint_builder.h"

namespace heddle::deadlock {

using llvm::dyn_cast;
using llvm::MDNode;

namespace {

// A structure's node is its name, then a type and an offset for each member; a scalar's has one parent.
struct Member {
  const MDNode* type;
  int64_t offset;
};

std::string NameOf(const MDNode& type) {
  const auto* name = type.getNumOperands() == 0 ? nullptr : llvm::dyn_cast_or_null<llvm::MDString>(type.getOperand(0));
  return name == nullptr ? "" : name->getString().str();
}

std::vector<Member> Members(const MDNode& type) {
  std::vector<Member> members;
  for (unsigned i = 1; i + 1 < type.getNumOperands(); i += 2) {
    const auto* member = llvm::dyn_cast_or_null<MDNode>(type.getOperand(i));
    const auto* offset = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(type.getOperand(i + 1));
    if (member == nullptr || offset == nullptr) return {};
    members.push_back({member, offset->getSExtValue()});
  }
  return members;
}

bool IsCharacter(const MDNode& type) { return NameOf(type) == "omnipotent char"; }

// A scalar has its parent as its only member, at offset 0; so has a structure of one member, which then is followed.
bool IsScalar(const MDNode& type) {
  std::vector<Member> members = Members(type);
  if (members.empty()) return true;
  std::string parent = NameOf(*members[0].type);
  return members.size() == 1 && (parent == "omnipotent char" || parent.ends_with("TBAA"));
}

// The member that `offset` is in, as an array or not.
const MDNode* MemberAt(const MDNode& type, int64_t offset) {
  const MDNode* found = nullptr;
  for (const Member& member : Members(type)) {
    if (member.offset <= offset) found = member.type;
  }
  return found;
}

}  // namespace

void ObjectTypes::ReadSizes(const llvm::Module& module) {
  llvm::DebugInfoFinder finder;
  finder.processModule(module);
  for (const llvm::DIType* type : finder.types()) {
    const auto* record = dyn_cast<llvm::DICompositeType>(type);
    if (record == nullptr || record->isForwardDecl() || record->getName().empty()) continue;
    if (record->getTag() != llvm::dwarf::DW_TAG_structure_type) continue;
    auto bytes = static_cast<int64_t>(record->getSizeInBits() / 8);
    auto [place, fresh] = sizes_.emplace(record->getName().str(), bytes);
    if (!fresh && place->second != bytes) place->second = -1;
  }
}

bool ObjectTypes::HasSize(const MDNode* type, int64_t bytes) const {
  std::string name = NameOf(*type);
  auto found = sizes_.find(name);
  if (found != sizes_.end()) return found->second == bytes;
  // Without a name: by its last member, if that is one word at most.
  std::vector<Member> members = Members(*type);
  return name.empty() && !members.empty() && IsScalar(*members.back().type) && members.back().offset < bytes &&
         bytes <= (members.back().offset + 8) / 8 * 8;
}

ObjectTypes::Path ObjectTypes::Read(const llvm::Instruction& access) {
  const MDNode* tag = access.getMetadata(llvm::LLVMContext::MD_tbaa);
  if (tag == nullptr || tag->getNumOperands() < 3) return {};
  const auto* base = dyn_cast<MDNode>(tag->getOperand(0));
  const auto* offset = llvm::mdconst::dyn_extract<llvm::ConstantInt>(tag->getOperand(2));
  if (base == nullptr || offset == nullptr || base == tag->getOperand(1) || IsScalar(*base)) return {};
  return {base, offset->getSExtValue()};
}

PathId ObjectTypes::PathOf(const llvm::Instruction& access) { return Intern(Read(access)); }

PathId ObjectTypes::Intern(const Path& path) {
  if (path.base == nullptr) return kNoPath;
  auto [place, fresh] = index_.emplace(path, static_cast<PathId>(paths_.size()));
  if (fresh) paths_.push_back(path);
  return place->second;
}

namespace {

// Where control surely goes on after the block, if `value` is an address.
const llvm::BasicBlock* Onward(const llvm::BasicBlock& block, const llvm::Value* value) {
  if (const llvm::BasicBlock* only = block.getSingleSuccessor()) return only;
  const auto* branch = dyn_cast<llvm::BranchInst>(block.getTerminator());
  const auto* test =
      branch == nullptr || !branch->isConditional() ? nullptr : dyn_cast<llvm::ICmpInst>(branch->getCondition());
  bool null = test != nullptr && test->isEquality() && test->getOperand(0) == value &&
              llvm::isa<llvm::ConstantPointerNull>(test->getOperand(1));
  if (!null) return nullptr;
  return branch->getSuccessor(test->getPredicate() == llvm::ICmpInst::ICMP_EQ ? 1 : 0);
}

}  // namespace

PathId ObjectTypes::Expected(const llvm::Value* value) {
  if (types_.empty() || !value->getType()->isPointerTy()) return kNoPath;
  constexpr int kFar = 60;  // instructions
  const auto* argument = dyn_cast<llvm::Argument>(value);
  const auto* defined = dyn_cast<llvm::Instruction>(value);
  if (argument == nullptr && defined == nullptr) return kNoPath;
  const llvm::BasicBlock* block = argument != nullptr ? &argument->getParent()->getEntryBlock() : defined->getParent();
  const llvm::Instruction* at = argument != nullptr ? &block->front() : defined->getNextNode();
  const llvm::DataLayout& layout = block->getModule()->getDataLayout();
  for (int left = kFar; left > 0 && at != nullptr; --left) {
    const llvm::Value* address = llvm::getLoadStorePointerOperand(at);
    if (address != nullptr) {
      llvm::APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
      Path path = Read(*at);
      if (path.base != nullptr && address->stripAndAccumulateConstantOffsets(layout, offset, true) == value)
        return Intern({path.base, path.offset - offset.getSExtValue()});
    }
    if (llvm::isa<llvm::CallBase>(at) && !at->willReturn()) return kNoPath;
    at = at->getNextNode();
    if (at != nullptr) continue;
    block = Onward(*block, value);
    if (block != nullptr) at = &block->front();
  }
  return kNoPath;
}

bool ObjectTypes::HasInside(const MDNode* outer, const MDNode* inner) {
  if (outer == inner || IsCharacter(*outer)) return true;  // characters: a union, or bytes for anything
  if (IsScalar(*outer)) return false;
  auto known = inside_.find({outer, inner});
  if (known != inside_.end()) return known->second;
  std::vector<Member> members = Members(*outer);
  bool has = std::any_of(members.begin(), members.end(), [&](const Member& m) { return HasInside(m.type, inner); });
  inside_[{outer, inner}] = has;
  return has;
}

bool ObjectTypes::HasAt(const MDNode* outer, int64_t offset, const MDNode* inner) {
  if (outer == inner && offset == 0) return true;
  const MDNode* member = MemberAt(*outer, offset);
  return member != nullptr && HasInside(member, inner);
}

// The type that contains all others, if there is one.
const MDNode* ObjectTypes::Outermost(const std::vector<Use>& uses) {
  for (const Use& outer : uses) {
    if (outer.begin != 0) continue;
    bool all =
        std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return HasAt(outer.type, use.begin, use.type); });
    if (all) return outer.type;
  }
  return nullptr;
}

ObjectTypes::ObjectTypes(llvm::Module& module, const Primitives& primitives) {
  paths_.push_back({});
  if (module.debug_compile_units().empty()) return;
  for (const llvm::DICompileUnit* unit : module.debug_compile_units()) {
    if (llvm::dwarf::isCPlusPlus(static_cast<llvm::dwarf::SourceLanguage>(unit->getSourceLanguage()))) return;
  }
  ReadSizes(module);
  const llvm::DataLayout& layout = module.getDataLayout();
  std::unordered_map<const llvm::Value*, std::vector<Use>> uses;
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& at : llvm::instructions(function)) {
      const llvm::Value* address = llvm::getLoadStorePointerOperand(&at);
      Path path = address == nullptr ? Path{} : Read(at);
      if (path.base == nullptr) continue;
      llvm::APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
      const llvm::Value* root = address->stripAndAccumulateConstantOffsets(layout, offset, true);
      if (llvm::isa<llvm::CallBase>(root)) uses[root].push_back({path.base, offset.getSExtValue() - path.offset});
    }
  }
  for (const auto& [root, list] : uses) {
    const auto& call = llvm::cast<llvm::CallBase>(*root);
    const llvm::Function* callee = call.getCalledFunction();
    const Primitive* primitive = callee == nullptr ? nullptr : primitives.Find(callee->getName().str());
    if (primitive == nullptr || primitive->action != Action::kAlloc || primitive->handle >= 0) continue;
    const MDNode* type = Outermost(list);
    if (type != nullptr && HasSize(type, AllocatedBytes(call))) types_[root] = type;
  }
}

const MDNode* ObjectTypes::Of(const llvm::Value* site) const {
  auto found = types_.find(site);
  return found == types_.end() ? nullptr : found->second;
}

bool ObjectTypes::Allows(const MDNode* type, const Loc& loc, PathId path) {
  if (type == nullptr || path == kNoPath) return true;
  const Path& of = paths_[path];
  if (loc.stride != 0) return HasInside(type, of.base);
  return loc.offset >= of.offset && HasAt(type, loc.offset - of.offset, of.base);
}

bool ObjectTypes::AllowsUnion(const MDNode* type, const Loc& loc) {
  if (type == nullptr || loc.stride != 0) return true;
  const MDNode* at = type;
  int64_t offset = loc.offset;
  while (!IsScalar(*at)) {
    const MDNode* inner = nullptr;
    int64_t begin = 0;
    for (const Member& member : Members(*at)) {
      if (member.offset > offset) continue;
      inner = member.type;
      begin = member.offset;
    }
    if (inner == nullptr) return true;
    // The element of an array of structures: somewhere inside.
    if (!IsScalar(*inner) && offset != begin) return true;
    at = inner;
    offset -= begin;
  }
  return IsCharacter(*at);
}

}  // namespace heddle::deadlock
