#include "runtime/memory/snapshot.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/memory/pages.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt {
namespace {

constexpr uint64_t kWords = Snapshot::kPage / sizeof(uint64_t);
uint64_t* AsWords(uint64_t at) { return reinterpret_cast<uint64_t*>(at); }  // NOLINT: a page of the process

// Not memcpy: that is intercepted, and this has to work where nothing else does.
void CopyPage(uint64_t* to, const uint64_t* from) {
  uint64_t count = kWords;
  asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}
void ClearPage(uint64_t* to) {
  uint64_t count = kWords;
  asm volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(0L) : "memory");
}
bool IsZero(const uint64_t* words) {
  uint64_t any = 0;
  for (uint64_t i = 0; i < kWords && any == 0; i += 8) {
    for (uint64_t j = 0; j < 8; ++j) any |= words[i + j];
  }
  return any == 0;
}

bool Protect(uint64_t begin, uint64_t end, int protection) {
  return RawSyscall(SYS_mprotect, static_cast<long>(begin), static_cast<long>(end - begin), protection, 0, 0, 0) == 0;
}

uint64_t ReadHex(const char*& at) {
  uint64_t value = 0;
  for (;; ++at) {
    bool digit = *at >= '0' && *at <= '9';
    if (!digit && !(*at >= 'a' && *at <= 'f')) return value;
    value = value * 16 + static_cast<uint64_t>(digit ? *at - '0' : *at - 'a' + 10);
  }
}

}  // namespace

Snapshot* Snapshot::Make() {
  auto* made = static_cast<Snapshot*>(MapPages(sizeof(Snapshot)));
  if (made != nullptr) made->Spare(made, sizeof(Snapshot));
  return made;
}

void Snapshot::Discard() { RawSyscall(SYS_munmap, reinterpret_cast<long>(this), sizeof(Snapshot), 0, 0, 0, 0); }

long Snapshot::ReadMaps() {
  const char* path = "/proc/self/maps";
  long fd = RawSyscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC, 0, 0, 0);
  if (fd < 0) return -1;
  long used = 0;
  long got = 1;
  while (got > 0 && used < static_cast<long>(kTextBytes) - 1) {
    got = RawSyscall(SYS_read, fd, reinterpret_cast<long>(text_ + used), static_cast<long>(kTextBytes) - 1 - used, 0, 0,
                     0);
    if (got > 0) used += got;
  }
  RawSyscall(SYS_close, fd, 0, 0, 0, 0, 0);
  text_[used] = '\0';
  return got == 0 ? used : -1;  // anything else: there is more than fits
}

void Snapshot::AddRegion(uint64_t begin, uint64_t end, int protection) {
  if (begin >= end || region_count_ == kMaxRegions) return;
  regions_[region_count_++] = {begin, end, protection};
}

void Snapshot::Spare(const void* begin, size_t bytes) {
  if (spared_count_ == kMaxSpared) return;
  auto at = reinterpret_cast<uint64_t>(begin);
  uint32_t i = spared_count_++;
  for (; i > 0 && spared_[i - 1][0] > at; --i) {
    spared_[i][0] = spared_[i - 1][0];
    spared_[i][1] = spared_[i - 1][1];
  }
  spared_[i][0] = at;
  spared_[i][1] = (at + bytes + kPage - 1) & ~(kPage - 1);
}

// The kernel may have joined a spared mapping with its neighbours.
void Snapshot::AddWithoutSpared(uint64_t begin, uint64_t end, int protection) {
  for (uint32_t i = 0; i < spared_count_; ++i) {
    if (spared_[i][1] <= begin || spared_[i][0] >= end) continue;
    AddRegion(begin, spared_[i][0], protection);
    begin = spared_[i][1];
  }
  AddRegion(begin, end, protection);
}

// A line: begin-end rwxp offset device inode path.
bool Snapshot::ReadRegions() {
  static_assert(sizeof(Snapshot) % kPage == 0);
  if (ReadMaps() < 0) return false;
  region_count_ = 0;
  for (const char* at = text_; *at != '\0';) {
    uint64_t begin = ReadHex(at);
    ++at;
    uint64_t end = ReadHex(at);
    ++at;
    bool wanted = at[0] == 'r' && at[1] == 'w' && at[3] == 'p';
    int protection = PROT_READ | PROT_WRITE | (at[2] == 'x' ? PROT_EXEC : 0);
    while (*at != '\0' && *at != '\n') ++at;
    if (*at == '\n') ++at;
    if (wanted) AddWithoutSpared(begin, end, protection);
  }
  return region_count_ < kMaxRegions;
}

bool Snapshot::Take(const void* busy) {
  if (!ReadRegions()) return false;
  page_count_ = 0;
  room_ = copies_;
  for (uint32_t i = 0; i < region_count_; ++i) {
    const Region& region = regions_[i];
    uint64_t hole = reinterpret_cast<uint64_t>(busy) & ~(kPage - 1);
    bool inside = hole >= region.begin && hole < region.end;
    if (inside) Keep(hole);
    int protection = region.protection & ~PROT_WRITE;
    uint64_t until = inside ? hole : region.end;
    if (until > region.begin && !Protect(region.begin, until, protection)) return false;
    if (inside && hole + kPage < region.end && !Protect(hole + kPage, region.end, protection)) return false;
  }
  return true;
}

void Snapshot::Release() {
  for (uint32_t i = 0; i < region_count_; ++i) Protect(regions_[i].begin, regions_[i].end, regions_[i].protection);
  for (uint32_t i = 0; i < page_count_; ++i) *Find(pages_[i].at) = 0;
  page_count_ = region_count_ = 0;
}

const Snapshot::Region* Snapshot::RegionOf(uint64_t at) const {
  uint32_t low = 0;
  uint32_t high = region_count_;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (regions_[middle].end <= at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < region_count_ && regions_[low].begin <= at ? &regions_[low] : nullptr;
}

uint32_t* Snapshot::Find(uint64_t page) {
  auto i = static_cast<uint32_t>((page * 0x9E3779B97F4A7C15ULL) >> 47U);
  while (table_[i] != 0 && pages_[table_[i] - 1].at != page) i = (i + 1) % kTable;
  return &table_[i];
}

void Snapshot::Keep(uint64_t page) {
  uint64_t* kept = nullptr;
  if (!IsZero(AsWords(page))) {
    kept = room_;
    room_ += kWords;
    CopyPage(kept, AsWords(page));
  }
  *Find(page) = page_count_ + 1;
  pages_[page_count_++] = {page, kept};
}

bool Snapshot::Fault(uint64_t address) {
  uint64_t page = address & ~(kPage - 1);
  const Region* region = RegionOf(page);
  if (region == nullptr || *Find(page) != 0 || full()) return false;
  // Programs that write much write neighbours: more at once saves faults and keeps the number of mappings small.
  uint64_t run = page_count_ < 1024 ? 1 : page_count_ < 8192 ? 16 : 256;
  uint64_t end = page;
  while (end < region->end && end < page + run * kPage && !full() && *Find(end) == 0) {
    Keep(end);
    end += kPage;
  }
  return Protect(page, end, region->protection);
}

void Snapshot::Restore() {
  for (uint32_t i = 0; i < page_count_; ++i) {
    if (pages_[i].kept == nullptr) {
      ClearPage(AsWords(pages_[i].at));
    } else {
      CopyPage(AsWords(pages_[i].at), pages_[i].kept);
    }
  }
}

void Snapshot::KeepWord(uint64_t address) {
  uint64_t page = address & ~(kPage - 1);
  uint32_t known = *Find(page);
  if (known == 0 || pages_[known - 1].kept == nullptr || address % sizeof(uint64_t) != 0) return;
  pages_[known - 1].kept[(address - page) / sizeof(uint64_t)] = *AsWords(address);
}

void Snapshot::Zero(uint64_t begin, uint64_t bytes) {
  for (uint64_t page = begin; page < begin + bytes; page += kPage) {
    if (IsZero(AsWords(page))) continue;
    if (*Find(page) == 0) Fault(page);
    ClearPage(AsWords(page));
  }
}

}  // namespace heddle::rt
