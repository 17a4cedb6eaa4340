#include "runtime/libc/elf_symbols.h"

#include <cstdint>
#include <cstring>

namespace heddle::rt {
namespace {

// What DT_GNU_HASH points to. Symbols before `first` are those that the module takes from others.
struct GnuHash {
  uint32_t buckets, first, bloom_words, bloom_shift;
};

struct Symbols {
  const ElfW(Sym) * table = nullptr;
  const char* names = nullptr;
  const GnuHash* hash = nullptr;
};

Symbols SymbolsOf(const link_map* module) {
  Symbols found;
  for (const ElfW(Dyn)* entry = module->l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    ElfW(Addr) at = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) found.table = reinterpret_cast<const ElfW(Sym)*>(at);  // NOLINT: from the linker
    if (entry->d_tag == DT_STRTAB) found.names = reinterpret_cast<const char*>(at);       // NOLINT
    if (entry->d_tag == DT_GNU_HASH) found.hash = reinterpret_cast<const GnuHash*>(at);   // NOLINT
  }
  // The kernel's own module has addresses that the linker did not adjust.
  bool usable = found.table != nullptr && found.names != nullptr && found.hash != nullptr &&
                reinterpret_cast<uintptr_t>(found.hash) > module->l_addr;
  return usable ? found : Symbols{};
}

uint32_t HashOf(const char* name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

}  // namespace

const link_map* FindModule(const char* name) {
  for (const link_map* module = _r_debug.r_map; module != nullptr; module = module->l_next) {
    const char* slash = strrchr(module->l_name, '/');
    if (strncmp(slash == nullptr ? module->l_name : slash + 1, name, strlen(name)) == 0) return module;
  }
  return nullptr;
}

void* DefinedIn(const link_map* module, const char* name) {
  Symbols symbols = module == nullptr ? Symbols{} : SymbolsOf(module);
  if (symbols.hash == nullptr || symbols.hash->buckets == 0) return nullptr;
  const auto* bloom = reinterpret_cast<const uint64_t*>(symbols.hash + 1);
  const auto* buckets = reinterpret_cast<const uint32_t*>(bloom + symbols.hash->bloom_words);
  const uint32_t* chains = buckets + symbols.hash->buckets;
  uint32_t hash = HashOf(name);
  for (uint32_t index = buckets[hash % symbols.hash->buckets]; index >= symbols.hash->first && index != 0; ++index) {
    uint32_t link = chains[index - symbols.hash->first];
    const ElfW(Sym)& symbol = symbols.table[index];
    if ((link | 1U) == (hash | 1U) && symbol.st_shndx != SHN_UNDEF && strcmp(symbols.names + symbol.st_name, name) == 0)
      return reinterpret_cast<void*>(module->l_addr + symbol.st_value);  // NOLINT: where the linker put it
    if ((link & 1U) != 0) break;                                         // the chain's last
  }
  return nullptr;
}

bool AnyWanted(const link_map* module, bool (*see)(const char* name, void* context), void* context) {
  Symbols symbols = SymbolsOf(module);
  if (symbols.hash == nullptr) return false;
  for (uint32_t index = 1; index < symbols.hash->first; ++index) {
    const ElfW(Sym)& symbol = symbols.table[index];
    if (symbol.st_shndx == SHN_UNDEF && see(symbols.names + symbol.st_name, context)) return true;
  }
  return false;
}

}  // namespace heddle::rt
