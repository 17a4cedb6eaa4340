#include "symbolize/member_path.h"

#include <fmt/format.h>
#include <llvm/DebugInfo/DWARF/DWARFCompileUnit.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/DWARF/DWARFDie.h>
#include <llvm/DebugInfo/DWARF/DWARFUnit.h>

#include <optional>
#include <vector>

namespace heddle::symbolize {
namespace {

using llvm::DWARFDie;
namespace dwarf = llvm::dwarf;

constexpr int kMaxDepth = 16;  // of nested types; damaged debug info may nest for ever

std::optional<uint64_t> Number(const DWARFDie& die, dwarf::Attribute attribute) {
  return dwarf::toUnsigned(die.find(attribute));
}

// The type itself, without typedefs and qualifiers.
DWARFDie Stripped(DWARFDie type) {
  for (int depth = 0; type && depth < kMaxDepth; ++depth) {
    switch (type.getTag()) {
      case dwarf::DW_TAG_typedef:
      case dwarf::DW_TAG_const_type:
      case dwarf::DW_TAG_volatile_type:
      case dwarf::DW_TAG_atomic_type:
      case dwarf::DW_TAG_restrict_type:
        type = type.getAttributeValueAsReferencedDie(dwarf::DW_AT_type);
        break;
      default:
        return type.resolveTypeUnitReference();
    }
  }
  return {};
}

DWARFDie TypeOf(const DWARFDie& die) { return Stripped(die.getAttributeValueAsReferencedDie(dwarf::DW_AT_type)); }

std::optional<uint64_t> SizeOf(DWARFDie type) {
  return type ? type.getTypeSize(type.getDwarfUnit()->getAddressByteSize()) : std::nullopt;
}

bool IsRecord(dwarf::Tag tag) {
  return tag == dwarf::DW_TAG_structure_type || tag == dwarf::DW_TAG_class_type || tag == dwarf::DW_TAG_union_type;
}

class Walk {
 public:
  explicit Walk(uint64_t size) : size_(size) {}

  // Goes down from a type at `offset` into it; the path grows.
  std::string From(const DWARFDie& type, uint64_t offset, int depth = 0) const {
    if (!type || depth > kMaxDepth) return {};
    if (IsRecord(type.getTag())) return Record(type, offset, depth);
    return type.getTag() == dwarf::DW_TAG_array_type ? Array(type, offset, depth) : std::string();
  }

 private:
  std::string Record(const DWARFDie& record, uint64_t offset, int depth) const {
    // The members of a union share their place: naming one would be a guess.
    if (record.getTag() == dwarf::DW_TAG_union_type) return {};
    for (const DWARFDie& child : record.children()) {
      bool base = child.getTag() == dwarf::DW_TAG_inheritance;
      if (child.getTag() != dwarf::DW_TAG_member && !base) continue;
      // A virtual base has no fixed place, a bit field no address, a static member lies elsewhere.
      if (child.find({dwarf::DW_AT_virtuality, dwarf::DW_AT_external, dwarf::DW_AT_bit_size})) continue;
      uint64_t begin = Number(child, dwarf::DW_AT_data_member_location).value_or(0);
      DWARFDie type = TypeOf(child);
      uint64_t length = SizeOf(type).value_or(0);
      if (offset < begin || offset - begin + size_ > length) continue;
      const char* name = child.getName(llvm::DINameKind::ShortName);
      std::string here = base || name == nullptr ? "" : fmt::format(".{}", name);
      return here + From(type, offset - begin, depth + 1);
    }
    return {};
  }

  std::string Array(const DWARFDie& array, uint64_t offset, int depth) const {
    DWARFDie element = TypeOf(array);
    uint64_t length = SizeOf(element).value_or(0);
    if (length == 0 || offset % length + size_ > length) return {};
    std::vector<uint64_t> dimensions;
    for (const DWARFDie& child : array.children()) {
      if (child.getTag() != dwarf::DW_TAG_subrange_type) continue;
      std::optional<uint64_t> count = Number(child, dwarf::DW_AT_count);
      if (!count) {
        std::optional<uint64_t> last = Number(child, dwarf::DW_AT_upper_bound);
        if (last) count = *last + 1;
      }
      dimensions.push_back(count.value_or(0));
    }
    return Indices(offset / length, dimensions) + From(element, offset % length, depth + 1);
  }

  // The index in each dimension; an unknown first one ("extern int x[]") takes what is left.
  static std::string Indices(uint64_t index, const std::vector<uint64_t>& dimensions) {
    std::string text;
    for (size_t i = dimensions.size(); i-- > 1;) {
      if (dimensions[i] == 0) return {};
      text.insert(0, fmt::format("[{}]", index % dimensions[i]));
      index /= dimensions[i];
    }
    return fmt::format("[{}]", index) + text;
  }

  uint64_t size_;
};

}  // namespace

std::string MemberPath(llvm::DWARFContext& context, uint64_t variable, uint64_t offset, uint64_t size) {
  llvm::DWARFCompileUnit* unit = context.getCompileUnitForDataAddress(variable);
  DWARFDie die = unit == nullptr ? DWARFDie() : unit->getVariableForAddress(variable);
  // A definition may leave its type to the declaration (C++ static members).
  if (die && !die.find(dwarf::DW_AT_type)) die = die.getAttributeValueAsReferencedDie(dwarf::DW_AT_specification);
  return die ? Walk(size == 0 ? 1 : size).From(TypeOf(die), offset) : std::string();
}

}  // namespace heddle::symbolize
