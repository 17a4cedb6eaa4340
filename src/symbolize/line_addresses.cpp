#include "symbolize/line_addresses.h"

#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/DWARF/DWARFDebugLine.h>
#include <llvm/Object/ObjectFile.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace heddle::symbolize {
namespace {

using Range = Module::Range;
using Ranges = std::vector<std::vector<Range>>;
// Line numbers of one file with their indices among the wanted lines.
using WantedLines = std::multimap<uint32_t, size_t>;

void Ignore(llvm::Error error) { llvm::consumeError(std::move(error)); }

class UnitLines {
 public:
  UnitLines(llvm::DWARFContext& context, llvm::DWARFUnit& unit, uint64_t base, Ranges* found)
      : unit_(unit), table_(context.getLineTableForUnit(&unit)), base_(base), found_(found) {}

  void Find(const std::vector<SourceLine>& lines) {
    if (table_ == nullptr) return;
    ChooseFiles(lines);
    if (files_.empty()) return;
    FindRows();
    FindInlined();
  }

 private:
  void ChooseFiles(const std::vector<SourceLine>& lines) {
    auto count = static_cast<uint64_t>(table_->Prologue.FileNames.size());
    for (uint64_t file = 0; file <= count; ++file) {
      std::string path;
      if (!table_->getFileNameByIndex(file, unit_.getCompilationDir(),
                                      llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, path)) {
        continue;
      }
      for (size_t i = 0; i < lines.size(); ++i) {
        if (SamePath(path, lines[i].file)) files_[file].emplace(lines[i].line, i);
      }
    }
  }

  void Add(uint64_t file, uint32_t line, Range range) {
    auto wanted = files_.find(file);
    if (wanted == files_.end() || range.begin >= range.end) return;
    auto [first, last] = wanted->second.equal_range(line);
    for (; first != last; ++first) (*found_)[first->second].push_back({range.begin + base_, range.end + base_});
  }

  void FindRows() {
    for (size_t i = 0; i + 1 < table_->Rows.size(); ++i) {
      const llvm::DWARFDebugLine::Row& row = table_->Rows[i];
      if (row.EndSequence) continue;
      Add(row.File, row.Line, {row.Address.Address, table_->Rows[i + 1].Address.Address});
    }
  }

  void FindInlined() {
    for (const llvm::DWARFDebugInfoEntry& entry : unit_.dies()) {
      if (entry.getTag() != llvm::dwarf::DW_TAG_inlined_subroutine) continue;
      llvm::DWARFDie die(&unit_, &entry);
      auto file = llvm::dwarf::toUnsigned(die.find(llvm::dwarf::DW_AT_call_file), 0);
      auto line = llvm::dwarf::toUnsigned(die.find(llvm::dwarf::DW_AT_call_line), 0);
      if (files_.count(file) == 0) continue;
      llvm::Expected<llvm::DWARFAddressRangesVector> ranges = die.getAddressRanges();
      if (!ranges) {
        llvm::consumeError(ranges.takeError());
        continue;
      }
      for (const llvm::DWARFAddressRange& range : *ranges) {
        Add(file, static_cast<uint32_t>(line), {range.LowPC, range.HighPC});
      }
    }
  }

  llvm::DWARFUnit& unit_;
  const llvm::DWARFDebugLine::LineTable* table_;
  uint64_t base_;
  Ranges* found_;
  std::map<uint64_t, WantedLines> files_;  // by index in the table
};

void FindIn(const Module& module, const std::vector<SourceLine>& lines, Ranges* found) {
  auto object = llvm::object::ObjectFile::createObjectFile(module.path);
  if (!object) return llvm::consumeError(object.takeError());
  std::unique_ptr<llvm::DWARFContext> context = llvm::DWARFContext::create(
      *object->getBinary(), llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "", Ignore, Ignore);
  for (const std::unique_ptr<llvm::DWARFUnit>& unit : context->compile_units()) {
    UnitLines(*context, *unit, module.load_base, found).Find(lines);
  }
}

void Sort(std::vector<Range>* ranges) {
  std::sort(ranges->begin(), ranges->end(),
            [](const Range& a, const Range& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
  std::vector<Range> joined;
  for (const Range& range : *ranges) {
    if (!joined.empty() && range.begin <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, range.end);
    } else {
      joined.push_back(range);
    }
  }
  *ranges = std::move(joined);
}

}  // namespace

bool SamePath(std::string_view a, std::string_view b) {
  std::string first = std::filesystem::path(a).lexically_normal().string();
  std::string second = std::filesystem::path(b).lexically_normal().string();
  if (first.size() < second.size()) std::swap(first, second);
  if (second.empty() || !first.ends_with(second)) return false;
  return first.size() == second.size() || second[0] == '/' || first[first.size() - second.size() - 1] == '/';
}

std::vector<std::vector<Module::Range>> LineAddresses(const std::vector<Module>& modules,
                                                      const std::vector<SourceLine>& lines) {
  Ranges found(lines.size());
  std::vector<std::string> seen;
  for (const Module& module : modules) {
    // A module has an entry for each of its segments.
    if (std::find(seen.begin(), seen.end(), module.path) != seen.end()) continue;
    seen.push_back(module.path);
    FindIn(module, lines, &found);
  }
  for (std::vector<Range>& ranges : found) Sort(&ranges);
  return found;
}

}  // namespace heddle::symbolize
