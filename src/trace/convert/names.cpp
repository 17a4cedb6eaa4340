#include "trace/convert/names.h"

#include <xxhash.h>

#include "trace/info.h"

namespace heddle::trace {

bool NameTable::ShortKey(std::string_view name, uint64_t* key) {
  if (name.size() > sizeof *key) return false;
  uint64_t word = 0;
  bool zero = false;
  for (size_t i = 0; i < name.size(); ++i) {
    auto byte = static_cast<unsigned char>(name[i]);
    zero = zero || byte == 0;
    word |= uint64_t{byte} << (8 * i);
  }
  *key = word;
  return !zero;
}

uint32_t NameTable::Number(std::string_view name, bool* added) {
  uint64_t key = 0;
  bool short_name = ShortKey(name, &key);
  if (!short_name) key = XXH3_64bits(name.data(), name.size());
  size_t mask = table_.size() - 1;
  for (size_t i = Place(key) & mask;; i = (i + 1) & mask) {
    Entry& entry = table_[i];
    if (entry.number_plus_1 == 0) {
      names_.emplace_back(name);
      entry = {key, size(), short_name};
      *added = true;
      if (names_.size() * 2 > table_.size()) Grow();
      return size() - 1;
    }
    if (entry.key == key && entry.short_name == short_name && (short_name || names_[entry.number_plus_1 - 1] == name)) {
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
    size_t i = Place(entry.key) & mask;
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
