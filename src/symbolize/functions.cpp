// For each function with code: its line-table rows, without those of functions that were inlined into it, give the
// lines of its own body; all of them give the files that its code comes from. Rows are looked up by address in the
// sorted sequences of the unit's table.
#include "symbolize/functions.h"

#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/DWARF/DWARFDebugLine.h>
#include <llvm/Object/ObjectFile.h>

#include <algorithm>
#include <filesystem>

namespace heddle::symbolize {
namespace {

namespace dwarf = llvm::dwarf;

void Ignore(llvm::Error error) { llvm::consumeError(std::move(error)); }

llvm::DWARFAddressRangesVector RangesOf(const llvm::DWARFDie& die) {
  llvm::Expected<llvm::DWARFAddressRangesVector> ranges = die.getAddressRanges();
  if (ranges) return *ranges;
  llvm::consumeError(ranges.takeError());
  return {};
}

void AddInlined(const llvm::DWARFDie& die, llvm::DWARFAddressRangesVector& inlined) {
  for (const llvm::DWARFDie& child : die.children()) {
    if (child.getTag() == dwarf::DW_TAG_inlined_subroutine) {
      for (const llvm::DWARFAddressRange& range : RangesOf(child)) inlined.push_back(range);
    } else {
      AddInlined(child, inlined);
    }
  }
}

class UnitCode {
 public:
  UnitCode(llvm::DWARFContext& context, llvm::DWARFUnit& unit, ModuleCode& module)
      : unit_(unit), table_(context.getLineTableForUnit(&unit)), module_(module) {}

  void Read() {
    if (table_ == nullptr) return;
    auto count = static_cast<uint64_t>(table_->Prologue.FileNames.size());
    for (uint64_t file = 0; file <= count; ++file) {
      names_.push_back(FileName(file));
      if (!names_.back().empty()) module_.files.insert(names_.back());
    }
    llvm::DWARFDie root = unit_.getUnitDIE();
    std::filesystem::path source = dwarf::toString(root.find(dwarf::DW_AT_name), "");
    const char* folder = unit_.getCompilationDir();
    if (source.is_relative() && folder != nullptr) source = folder / source;
    std::string name = source.lexically_normal().string();
    module_.units.insert(name);
    module_.files.insert(name);
    for (const llvm::DWARFDebugInfoEntry& entry : unit_.dies()) {
      if (entry.getTag() == dwarf::DW_TAG_subprogram) ReadFunction(llvm::DWARFDie(&unit_, &entry));
    }
  }

 private:
  std::string FileName(uint64_t index) const {
    std::string path;
    if (!table_->getFileNameByIndex(index, unit_.getCompilationDir(),
                                    llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, path)) {
      return {};
    }
    return std::filesystem::path(path).lexically_normal().string();
  }

  void ReadFunction(const llvm::DWARFDie& die) {
    llvm::DWARFAddressRangesVector ranges = RangesOf(die);
    FunctionCode function;
    for (const llvm::DWARFAddressRange& range : ranges) {
      if (range.LowPC != 0 && range.LowPC < range.HighPC) function.starts.push_back(range.LowPC);
    }
    if (function.starts.empty()) return;
    llvm::DWARFDie declared = die;
    function.file =
        std::filesystem::path(declared.getDeclFile(llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath))
            .lexically_normal()
            .string();
    function.first = static_cast<uint32_t>(declared.getDeclLine());
    function.last = function.first;
    llvm::DWARFAddressRangesVector inlined;
    AddInlined(die, inlined);
    for (const llvm::DWARFAddressRange& range : ranges) AddRows(range, inlined, function);
    module_.functions.push_back(std::move(function));
  }

  void AddRows(const llvm::DWARFAddressRange& range, const llvm::DWARFAddressRangesVector& inlined,
               FunctionCode& function) const {
    std::vector<uint32_t> rows;
    if (!table_->lookupAddressRange({range.LowPC, range.SectionIndex}, range.HighPC - range.LowPC, rows)) return;
    for (uint32_t index : rows) {
      const llvm::DWARFDebugLine::Row& row = table_->Rows[index];
      if (row.Line == 0 || row.File >= names_.size() || names_[row.File].empty()) continue;
      const std::string& file = names_[row.File];
      function.files.insert(file);
      uint64_t address = row.Address.Address;
      bool own = std::none_of(inlined.begin(), inlined.end(), [&](const llvm::DWARFAddressRange& other) {
        return other.LowPC <= address && address < other.HighPC;
      });
      if (own && file == function.file) function.last = std::max(function.last, row.Line);
    }
  }

  llvm::DWARFUnit& unit_;
  const llvm::DWARFDebugLine::LineTable* table_;
  ModuleCode& module_;
  std::vector<std::string> names_;  // by index in the table
};

}  // namespace

Result<ModuleCode> FunctionsOf(const std::string& path) {
  auto object = llvm::object::ObjectFile::createObjectFile(path);
  if (!object) {
    llvm::consumeError(object.takeError());
    return MakeError(ErrorCode::kBadInput, path + ": cannot be read as a program");
  }
  std::unique_ptr<llvm::DWARFContext> context = llvm::DWARFContext::create(
      *object->getBinary(), llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "", Ignore, Ignore);
  ModuleCode module;
  for (const std::unique_ptr<llvm::DWARFUnit>& unit : context->compile_units()) {
    UnitCode(*context, *unit, module).Read();
  }
  return module;
}

}  // namespace heddle::symbolize
