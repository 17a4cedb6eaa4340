#include "litmus/optcheck/cubin.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

namespace heddle::litmus {
namespace {

struct Word {
  uint64_t low = 0;
  uint64_t high = 0;
  int opcode() const { return static_cast<int>(low & 0xfff); }
  int target() const { return static_cast<int>(low >> 16 & 0xff); }
  int first() const { return static_cast<int>(low >> 24 & 0xff); }
  int second() const { return static_cast<int>(low >> 32 & 0xff); }
  uint32_t immediate() const { return static_cast<uint32_t>(low >> 32); }
};

enum class What { kOther, kLoad, kStore, kAtomic, kBarrier, kMove, kAdd, kBranch };

// Opcodes as ptxas 13.0 writes them.
What Classify(int opcode) {
  switch (opcode) {
    case 0x980:  // LD
    case 0x381:  // LDG
    case 0x981:
    case 0x984:  // LDS
      return What::kLoad;
    case 0x985:  // ST
    case 0x385:
    case 0x386:  // STG
    case 0x986:
    case 0x388:  // STS
    case 0x988:
      return What::kStore;
    case 0x98a:  // ATOM
    case 0x38a:
    case 0x38b:  // ATOM.CAS
    case 0x3a8:  // ATOMG
    case 0x9a8:
    case 0x3a9:  // ATOMG.CAS
    case 0x9a3:
    case 0x38c:  // ATOMS
    case 0x98c:
    case 0x38d:  // ATOMS.CAS
    case 0x98e:  // RED
      return What::kAtomic;
    case 0x992:  // MEMBAR
      return What::kBarrier;
    case 0x202:  // MOV
      return What::kMove;
    case 0x810:  // IADD3 with a number
    case 0x836:  // IADD with a number (Blackwell)
      return What::kAdd;
    case 0x947:  // BRA
    case 0x94d:  // EXIT
    case 0x918:  // NOP
    case 0x98f:  // CCTL
    case 0x9ab:  // ERRBAR
      return What::kBranch;
    default:
      return What::kOther;
  }
}

Result<std::vector<Word>> Kernel(const std::string& file) {
  auto wrong = [] { return MakeError(ErrorCode::kUnsupported, "ptxas wrote something that is not a cubin"); };
  Elf64_Ehdr head;
  if (file.size() < sizeof head) return wrong();
  std::memcpy(&head, file.data(), sizeof head);
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return wrong();
  std::vector<Elf64_Shdr> sections(head.e_shnum);
  if (head.e_shoff > file.size() || file.size() - head.e_shoff < sections.size() * sizeof(Elf64_Shdr)) return wrong();
  std::memcpy(sections.data(), file.data() + head.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  if (head.e_shstrndx >= sections.size()) return wrong();
  for (const Elf64_Shdr& section : sections) {
    uint64_t name = sections[head.e_shstrndx].sh_offset + section.sh_name;
    if (name >= file.size() || std::string_view(file.c_str() + name) != ".text.Run") continue;
    if (section.sh_offset > file.size() || file.size() - section.sh_offset < section.sh_size) return wrong();
    std::vector<Word> words(section.sh_size / sizeof(Word));
    std::memcpy(words.data(), file.data() + section.sh_offset, words.size() * sizeof(Word));
    return words;
  }
  return wrong();
}

struct Found {
  size_t place = 0;  // of the instruction
  What what = What::kOther;
};

constexpr int kNone = 255;  // RZ

// The values that registers hold, by number: each write of a register is a new value, a move hands one on. An access
// is known by the value that it reads or stores, wherever ptxas put the add that links it to its specification.
class Links {
 public:
  explicit Links(const std::vector<Word>& words) {
    for (size_t i = 0; i < words.size(); ++i) Take(i, words[i]);
  }

  // The access with this specification; none: the code has no such add, or it does not add to an access. A value that
  // was read may be stored again, as the harness does with results: then `wanted` says which of the two is meant.
  std::optional<Found> Find(int specification, What wanted) const {
    auto value = linked_.find(specification);
    if (value == linked_.end()) return std::nullopt;
    for (bool store : {wanted == What::kStore, wanted != What::kStore}) {
      const std::map<int, Found>& accesses = store ? stores_ : reads_;
      if (auto access = accesses.find(value->second); access != accesses.end()) return access->second;
    }
    return std::nullopt;
  }
  bool BarrierBetween(size_t begin, size_t end) const {
    auto next = std::upper_bound(barriers_.begin(), barriers_.end(), begin);
    return next != barriers_.end() && *next < end;
  }

 private:
  int ValueOf(int reg) {
    auto [at, fresh] = held_.emplace(reg, values_);
    if (fresh) ++values_;
    return at->second;
  }

  void Take(size_t place, const Word& word) {
    What what = Classify(word.opcode());
    switch (what) {
      case What::kLoad:
      case What::kAtomic:
        if (word.target() == kNone) break;
        held_[word.target()] = values_;
        reads_[values_++] = {place, what};
        break;
      case What::kStore:
        if (word.second() != kNone) stores_.emplace(ValueOf(word.second()), Found{place, what});
        break;
      case What::kBarrier:
        barriers_.push_back(place);
        break;
      case What::kMove:
        if (word.second() == kNone) {
          held_[word.target()] = values_++;
        } else {
          held_[word.target()] = ValueOf(word.second());
        }
        break;
      case What::kAdd:
        if (word.immediate() >> 12 == 0x07f3a) linked_[static_cast<int>(word.immediate())] = ValueOf(word.first());
        held_[word.target()] = values_++;
        break;
      case What::kBranch:
        break;
      case What::kOther:
        held_[word.target()] = values_++;
        break;
    }
  }

  std::map<int, int> held_;      // by register
  std::map<int, Found> reads_;   // by value: the load or atomic that made it
  std::map<int, Found> stores_;  // by value: the first store of it
  std::map<int, int> linked_;    // by specification number: the value
  std::vector<size_t> barriers_;
  int values_ = 0;
};

}  // namespace

Status CheckCubin(const std::string& cubin, const std::vector<CubinThread>& threads) {
  Result<std::vector<Word>> words = Kernel(cubin);
  if (!words) return words.error();
  Links links(*words);
  static constexpr const char* kKinds[] = {"load", "store", "atomic"};
  static constexpr What kWhat[] = {What::kLoad, What::kStore, What::kAtomic};
  for (size_t t = 0; t < threads.size(); ++t) {
    std::optional<size_t> before;
    for (size_t n = 0; n < threads[t].kinds.size(); ++n) {
      int kind = threads[t].kinds[n];
      std::optional<Found> access =
          links.Find(SpecificationNumber(static_cast<int>(t), static_cast<int>(n), kind), kWhat[kind]);
      if (!access) {
        return MakeError(
            ErrorCode::kUnsupported,
            fmt::format("thread {}: access {} ({}) was not found in the code of ptxas", t, n, kKinds[kind]));
      }
      const Found& found = *access;
      if (found.what != kWhat[kind]) {
        return MakeError(ErrorCode::kLimit,
                         fmt::format("ptxas did not keep thread {}: access {} is no {}", t, n, kKinds[kind]));
      }
      if (before && found.place <= *before) {
        return MakeError(ErrorCode::kLimit,
                         fmt::format("ptxas did not keep thread {}: access {} ({}) comes before access {}", t, n,
                                     kKinds[kind], n - 1));
      }
      if (before && threads[t].fences[n] > threads[t].fences[n - 1] && !links.BarrierBetween(*before, found.place)) {
        return MakeError(ErrorCode::kLimit,
                         fmt::format("ptxas did not keep thread {}: no barrier before access {}", t, n));
      }
      before = found.place;
    }
  }
  return {};
}

}  // namespace heddle::litmus
