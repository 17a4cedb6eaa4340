#include "trace/convert/names.h"

#include <xxhash.h>

#include "trace/info.h"

namespace heddle::trace {

uint32_t NameTable::Number(std::string_view name, bool* added) {
  uint64_t hash = XXH3_64bits(name.data(), name.size());
  size_t mask = table_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    Entry& entry = table_[i];
    if (entry.number_plus_1 == 0) {
      names_.emplace_back(name);
      entry = {hash, size()};
      *added = true;
      if (names_.size() * 2 > table_.size()) Grow();
      return size() - 1;
    }
    if (entry.hash == hash && names_[entry.number_plus_1 - 1] == name) {
      *added = false;
      return entry.number_plus_1 - 1;
    }
  }
}

void NameTable::Grow() {
  std::vector<Entry> old(table_.size() * 2);
  old.swap(table_);
  size_t mask = table_.size() - 1;
  for (const Entry& entry : old) {
    if (entry.number_plus_1 == 0) continue;
    size_t i = entry.hash & mask;
    while (table_[i].number_plus_1 != 0) i = (i + 1) & mask;
    table_[i] = entry;
  }
}

uint32_t NamedObjects::Thread(std::string_view name) {
  bool added = false;
  uint32_t number = threads_.Number(name, &added);
  if (added) info_->threads[number].id = name;
  return number;
}

uint64_t NamedObjects::Object(NameTable* table, uint64_t base, std::string_view name) {
  bool added = false;
  uint64_t address = base + uint64_t{8} * table->Number(name, &added);
  if (added) info_->symbols[address] = name;
  return address;
}

}  // namespace heddle::trace
