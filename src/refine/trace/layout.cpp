// Flattens the DWARF type of each global variable into its bytes.
//
// Every byte begins as padding. A scalar claims its bytes, which are one location (C11 3.14): compilers store a part of
// one where the rest keeps its value, at -O0 too, and the whole where the source stores a part. Adjacent bit-fields of
// a structure claim their bits and are joined into one location (C11 3.14: only a member of another kind or a field of
// width 0 ends the run; the latter is not in the debug information, but makes the next field begin at an aligned unit
// with unclaimed bits before it, which we do not take for an end: such runs are joined, and a write over the border is
// not noticed). Members of a union claim the same bytes; locations that overlap are joined, and a bit is padding only
// if it is in all of them.
#include "refine/trace/layout.h"

#include <llvm/DebugInfo/DWARF/DWARFCompileUnit.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/DWARF/DWARFDie.h>
#include <llvm/Object/ObjectFile.h>

#include <optional>

namespace heddle::refine {
namespace {

using Binary = llvm::object::OwningBinary<llvm::object::ObjectFile>;

void Ignore(llvm::Error error) { llvm::consumeError(std::move(error)); }

std::unique_ptr<llvm::DWARFContext> Dwarf(const llvm::object::ObjectFile& object) {
  return llvm::DWARFContext::create(object, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "", Ignore,
                                    Ignore);
}

std::optional<uint64_t> Number(const llvm::DWARFDie& die, llvm::dwarf::Attribute attribute) {
  std::optional<llvm::DWARFFormValue> value = die.find(attribute);
  if (!value) return std::nullopt;
  if (std::optional<uint64_t> number = value->getAsUnsignedConstant()) return number;
  if (std::optional<int64_t> number = value->getAsSignedConstant()) return static_cast<uint64_t>(*number);
  return std::nullopt;
}

llvm::DWARFDie TypeOf(const llvm::DWARFDie& die) {
  return die.getAttributeValueAsReferencedDie(llvm::dwarf::DW_AT_type);
}

// Elements of an array, all dimensions. A bound of 255 in one byte is 255 and not -1, for which llvm takes it.
uint64_t Elements(const llvm::DWARFDie& array) {
  uint64_t count = 1;
  for (const llvm::DWARFDie& range : array.children()) {
    if (range.getTag() != llvm::dwarf::DW_TAG_subrange_type) continue;
    if (std::optional<uint64_t> n = Number(range, llvm::dwarf::DW_AT_count)) {
      count *= *n;
    } else if (std::optional<uint64_t> last = Number(range, llvm::dwarf::DW_AT_upper_bound)) {
      count *= *last + 1;
    } else {
      count = 0;
    }
  }
  return count;
}

// In bytes; 0: unknown.
uint64_t SizeOf(llvm::DWARFDie type) {
  for (int depth = 0; type && depth < 32; ++depth, type = TypeOf(type)) {
    if (std::optional<uint64_t> size = Number(type, llvm::dwarf::DW_AT_byte_size)) return *size;
    if (type.getTag() == llvm::dwarf::DW_TAG_array_type) return Elements(type) * SizeOf(TypeOf(type));
    if (type.getTag() == llvm::dwarf::DW_TAG_pointer_type) return 8;
  }
  return 0;
}

class Flattener {
 public:
  explicit Flattener(uint64_t size) : bytes_(size) {
    for (uint32_t i = 0; i < size; ++i) bytes_[i] = {i, 0, ByteInfo::kOther, 1, false};
  }

  // `byte` is where the object begins.
  void Put(llvm::DWARFDie type, uint64_t byte, bool is_volatile, int depth = 0) {
    if (!type || depth > 32) return;
    switch (type.getTag()) {
      case llvm::dwarf::DW_TAG_typedef:
      case llvm::dwarf::DW_TAG_const_type:
      case llvm::dwarf::DW_TAG_restrict_type:
        return Put(TypeOf(type), byte, is_volatile, depth + 1);
      case llvm::dwarf::DW_TAG_volatile_type:
        return Put(TypeOf(type), byte, true, depth + 1);
      case llvm::dwarf::DW_TAG_atomic_type:
        return Atomic(type, byte);
      case llvm::dwarf::DW_TAG_array_type:
        return Array(type, byte, is_volatile, depth);
      case llvm::dwarf::DW_TAG_structure_type:
      case llvm::dwarf::DW_TAG_union_type:
      case llvm::dwarf::DW_TAG_class_type:
        return Members(type, byte, is_volatile, depth);
      default:
        Scalar(type, byte, is_volatile);
    }
  }

  std::vector<ByteInfo> Take() {
    // Joined locations are named by their first byte.
    for (uint32_t i = 0; i < bytes_.size(); ++i) {
      if (bytes_[i].location != i) bytes_[i].location = bytes_[bytes_[i].location].location;
    }
    return std::move(bytes_);
  }

 private:
  static uint8_t ContentOf(const llvm::DWARFDie& type) {
    if (type.getTag() == llvm::dwarf::DW_TAG_pointer_type) return ByteInfo::kPointer;
    if (type.getTag() == llvm::dwarf::DW_TAG_enumeration_type) return ByteInfo::kInteger;
    uint64_t encoding = Number(type, llvm::dwarf::DW_AT_encoding).value_or(0);
    uint64_t size = Number(type, llvm::dwarf::DW_AT_byte_size).value_or(0);
    if (encoding == llvm::dwarf::DW_ATE_boolean) return ByteInfo::kBool;
    if (encoding == llvm::dwarf::DW_ATE_float) {
      return size == 4 ? ByteInfo::kFloat : size == 8 ? ByteInfo::kDouble : ByteInfo::kOther;
    }
    bool integer = encoding == llvm::dwarf::DW_ATE_signed || encoding == llvm::dwarf::DW_ATE_unsigned ||
                   encoding == llvm::dwarf::DW_ATE_signed_char || encoding == llvm::dwarf::DW_ATE_unsigned_char;
    return integer && size <= 8 ? ByteInfo::kInteger : ByteInfo::kOther;
  }

  void Scalar(const llvm::DWARFDie& type, uint64_t byte, bool is_volatile) {
    uint64_t size = Number(type, llvm::dwarf::DW_AT_byte_size).value_or(8);
    uint8_t content = ContentOf(type);
    for (uint64_t i = byte; i < byte + size && i < bytes_.size(); ++i) {
      // Two members of a union that hold different things: the environment leaves them alone.
      bool other = bytes_[i].mask != 0 && (bytes_[i].content != content || bytes_[i].unit != size);
      bytes_[i].mask = 0xff;
      bytes_[i].content = other ? static_cast<uint8_t>(ByteInfo::kOther) : content;
      bytes_[i].unit = static_cast<uint8_t>(std::min<uint64_t>(size, 8));
      bytes_[i].is_volatile |= is_volatile;
    }
    if (size > 0) Join(byte, std::min<uint64_t>(byte + size, bytes_.size()) - 1);
  }

  void Atomic(llvm::DWARFDie type, uint64_t byte) {
    uint64_t size = SizeOf(type);
    for (uint64_t i = byte; i < byte + size && i < bytes_.size(); ++i) {
      bytes_[i].mask = 0xff;
      bytes_[i].content = ByteInfo::kAtomic;
    }
  }

  void Array(const llvm::DWARFDie& type, uint64_t byte, bool is_volatile, int depth) {
    llvm::DWARFDie element = TypeOf(type);
    uint64_t count = Elements(type);
    uint64_t size = SizeOf(element);
    if (size == 0) return;
    for (uint64_t i = 0; i < count && byte + i * size < bytes_.size(); ++i) {
      Put(element, byte + i * size, is_volatile, depth + 1);
    }
  }

  // The first bit of a bit-field from the beginning of its structure; none for other members.
  static std::optional<uint64_t> FirstBit(const llvm::DWARFDie& member) {
    if (!member.find(llvm::dwarf::DW_AT_bit_size)) return std::nullopt;
    if (std::optional<uint64_t> bit = Number(member, llvm::dwarf::DW_AT_data_bit_offset)) return bit;
    // DWARF 3 and before: bits from the most significant end of a storage unit.
    uint64_t byte = Number(member, llvm::dwarf::DW_AT_data_member_location).value_or(0);
    uint64_t storage = Number(member, llvm::dwarf::DW_AT_byte_size).value_or(0);
    if (storage == 0) storage = SizeOf(TypeOf(member));
    uint64_t offset = Number(member, llvm::dwarf::DW_AT_bit_offset).value_or(0);
    uint64_t width = Number(member, llvm::dwarf::DW_AT_bit_size).value_or(0);
    return byte * 8 + storage * 8 - offset - width;
  }

  static bool IsVolatileField(llvm::DWARFDie type) {
    for (int i = 0; type && i < 8; ++i, type = TypeOf(type)) {
      if (type.getTag() == llvm::dwarf::DW_TAG_volatile_type) return true;
    }
    return false;
  }

  // std::atomic, std::atomic_flag and what they derive from are plain structures in the debug information.
  static bool IsAtomicClass(const llvm::DWARFDie& type) {
    const char* name = type.getShortName();
    if (name == nullptr) return false;
    std::string_view text(name);
    return text.starts_with("atomic<") || text.starts_with("__atomic_base<") || text == "atomic_flag";
  }

  void Members(const llvm::DWARFDie& type, uint64_t byte, bool is_volatile, int depth) {
    if (IsAtomicClass(type)) return Atomic(type, byte);
    bool is_union = type.getTag() == llvm::dwarf::DW_TAG_union_type;
    std::optional<uint64_t> run;  // the byte where the run of bit-fields begins
    for (const llvm::DWARFDie& member : type.children()) {
      if (member.getTag() == llvm::dwarf::DW_TAG_inheritance) {
        uint64_t offset = Number(member, llvm::dwarf::DW_AT_data_member_location).value_or(0);
        Put(TypeOf(member), byte + offset, is_volatile, depth + 1);
      }
      if (member.getTag() != llvm::dwarf::DW_TAG_member || member.find(llvm::dwarf::DW_AT_external)) continue;
      std::optional<uint64_t> bit = FirstBit(member);
      if (!bit || is_union) run.reset();
      if (!bit) {
        uint64_t offset = Number(member, llvm::dwarf::DW_AT_data_member_location).value_or(0);
        Put(TypeOf(member), byte + offset, is_volatile, depth + 1);
        continue;
      }
      uint64_t width = Number(member, llvm::dwarf::DW_AT_bit_size).value_or(0);
      bool field_volatile = is_volatile || IsVolatileField(TypeOf(member));
      uint64_t from = byte * 8 + *bit;
      if (!run) run = from / 8;
      for (uint64_t b = from; b < from + width && b / 8 < bytes_.size(); ++b) PutBit(b, field_volatile);
      Join(*run, (from + width - 1) / 8);
    }
  }

  void PutBit(uint64_t bit, bool is_volatile) {
    ByteInfo& info = bytes_[bit / 8];
    if (info.mask == 0) info.content = ByteInfo::kInteger;
    info.mask = static_cast<uint8_t>(info.mask | 1U << (bit % 8));
    info.unit = 1;
    info.is_volatile |= is_volatile;
  }

  void Join(uint64_t first, uint64_t last) {
    if (last >= bytes_.size() || first > last) return;
    uint32_t lowest = bytes_[first].location;
    for (uint64_t i = first; i <= last; ++i) lowest = std::min(lowest, bytes_[i].location);
    for (uint64_t i = first; i <= last; ++i) bytes_[i].location = lowest;
  }

  std::vector<ByteInfo> bytes_;
};

// A structure's padding is what no member claims; unclaimed bytes of an unknown type would look like padding.
void AddVariable(const llvm::DWARFDie& die, Layouts& layouts) {
  llvm::DWARFDie named = die;
  llvm::DWARFDie declared = die.getAttributeValueAsReferencedDie(llvm::dwarf::DW_AT_specification);
  if (declared) named = declared;
  const char* name = named.getLinkageName();
  if (name == nullptr) name = named.getShortName();
  if (name == nullptr || die.find(llvm::dwarf::DW_AT_declaration)) return;
  llvm::DWARFDie type = TypeOf(named) ? TypeOf(named) : TypeOf(die);
  uint64_t size = SizeOf(type);
  if (size == 0 || size > (1U << 24)) return;
  Flattener flat(size);
  flat.Put(type, 0, false);
  layouts[name] = flat.Take();
}

void AddVariables(const llvm::DWARFDie& scope, Layouts& layouts) {
  for (const llvm::DWARFDie& die : scope.children()) {
    if (die.getTag() == llvm::dwarf::DW_TAG_variable) AddVariable(die, layouts);
    if (die.getTag() == llvm::dwarf::DW_TAG_namespace) AddVariables(die, layouts);
  }
}

}  // namespace

Result<Layouts> ReadLayouts(const std::string& path) {
  llvm::Expected<Binary> object = llvm::object::ObjectFile::createObjectFile(path);
  if (!object) return MakeError(ErrorCode::kBadInput, path + ": " + llvm::toString(object.takeError()));
  std::unique_ptr<llvm::DWARFContext> dwarf = Dwarf(*object->getBinary());
  Layouts layouts;
  for (const std::unique_ptr<llvm::DWARFUnit>& unit : dwarf->compile_units()) {
    AddVariables(unit->getUnitDIE(false), layouts);
  }
  return layouts;
}

struct LineTable::Parts {
  Binary object;
  std::unique_ptr<llvm::DWARFContext> dwarf;
};

LineTable::LineTable(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
LineTable::~LineTable() = default;
LineTable::LineTable(LineTable&&) noexcept = default;

Result<LineTable> LineTable::Open(const std::string& path) {
  llvm::Expected<Binary> object = llvm::object::ObjectFile::createObjectFile(path);
  if (!object) return MakeError(ErrorCode::kBadInput, path + ": " + llvm::toString(object.takeError()));
  auto parts = std::make_unique<Parts>();
  parts->object = std::move(*object);
  parts->dwarf = Dwarf(*parts->object.getBinary());
  return LineTable(std::move(parts));
}

uint32_t LineTable::LineOf(uint64_t address) const {
  return parts_->dwarf->getLineInfoForAddress({address, llvm::object::SectionedAddress::UndefSection}).Line;
}

std::string LineTable::FileOf(uint64_t address) const {
  llvm::DILineInfo info = parts_->dwarf->getLineInfoForAddress(
      {address, llvm::object::SectionedAddress::UndefSection},
      llvm::DILineInfoSpecifier(llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath));
  return info.FileName == llvm::DILineInfo::BadString ? "" : info.FileName;
}

}  // namespace heddle::refine
