#include "deadlock/pointers/access_tags.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TypeBasedAliasAnalysis.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Metadata.h>

#include <algorithm>

namespace heddle::deadlock {
namespace {

// The access type of a tag is its second operand; characters may be anything.
bool IsCharacter(const llvm::MDNode& tag) {
  const auto* type = tag.getNumOperands() < 2 ? nullptr : llvm::dyn_cast<llvm::MDNode>(tag.getOperand(1));
  if (type == nullptr || type->getNumOperands() == 0) return true;
  const auto* name = llvm::dyn_cast<llvm::MDString>(type->getOperand(0));
  return name == nullptr || name->getString() == "omnipotent char";
}

}  // namespace

struct AccessTags::Oracle {
  llvm::TargetLibraryInfoImpl library_calls;
  llvm::TargetLibraryInfo library{library_calls};
  llvm::AAResults all{library};
  llvm::TypeBasedAAResult types;
};

AccessTags::AccessTags() : oracle_(std::make_unique<Oracle>()) { tags_.push_back(nullptr); }

AccessTags::~AccessTags() = default;

TagId AccessTags::Intern(const llvm::MDNode* tag) {
  auto [place, fresh] = index_.emplace(tag, static_cast<TagId>(tags_.size()));
  if (fresh) tags_.push_back(tag);
  return place->second;
}

TagId AccessTags::Of(const llvm::Instruction& access) {
  const llvm::MDNode* tag = access.getMetadata(llvm::LLVMContext::MD_tbaa);
  if (tag == nullptr || IsCharacter(*tag)) return kAnyTag;
  // The type that is accessed, not the structure around it: more tags cost more than they tell apart.
  llvm::LLVMContext& context = access.getContext();
  llvm::Metadata* type = tag->getOperand(1);
  auto* zero = llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), 0));
  return Intern(llvm::MDNode::get(context, {type, type, zero}));
}

bool AccessTags::Ask(const llvm::MDNode* a, const llvm::MDNode* b) {
  // The rule looks at the tags only.
  auto location = [](const llvm::MDNode* tag) {
    llvm::AAMDNodes nodes;
    nodes.TBAA = const_cast<llvm::MDNode*>(tag);
    return llvm::MemoryLocation(nullptr, llvm::LocationSize::precise(8), nodes);
  };
  llvm::SimpleAAQueryInfo query(oracle_->all);
  return oracle_->types.alias(location(a), location(b), query, nullptr) != llvm::AliasResult::NoAlias;
}

bool AccessTags::Meet(TagId a, TagId b) {
  if (a == b || a == kAnyTag || b == kAnyTag) return true;
  if (a > b) std::swap(a, b);
  auto [place, fresh] = meet_.emplace((uint64_t{a} << 32) | b, false);
  if (fresh) place->second = Ask(tags_[a], tags_[b]);
  return place->second;
}

}  // namespace heddle::deadlock
