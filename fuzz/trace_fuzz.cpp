// The trace reader on any bytes: no crash, no hang, and order within what it hands out.
//
// The first byte says what the rest is: `r` a whole file; else what follows the file header, and with `m` the checks of
// its chunks are made right first, because changed bytes do not pass them.
#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "trace/format.h"
#include "trace/memory_file.h"
#include "trace/print.h"
#include "trace/reader.h"

namespace {

using namespace heddle::trace;  // NOLINT: a short program

void MendChunks(std::string* bytes) {
  for (size_t at = kHeaderBytes; at + sizeof(ChunkHeader) <= bytes->size();) {
    ChunkHeader header;
    std::memcpy(&header, &(*bytes)[at], sizeof header);
    header.magic = kChunkMagic;
    uint64_t left = bytes->size() - at - sizeof header;
    if (header.stored_bytes > left) header.stored_bytes = static_cast<uint32_t>(left);
    if (header.codec == Codec::Raw) header.plain_bytes = header.stored_bytes;
    header.payload_check = XXH64(bytes->data() + at + sizeof header, header.stored_bytes, 0);
    header.header_check = HeaderCheck(header);
    std::memcpy(&(*bytes)[at], &header, sizeof header);
    at += (sizeof header + header.stored_bytes + 7) / 8 * 8;
  }
}

// Seeds are small: the padding of the file header is not part of them.
std::string FileOf(const uint8_t* data, size_t size) {
  std::string bytes(kHeaderBytes, '\0');
  FileHeader header{};
  header.magic = kFileMagic;
  header.version = kFileVersion;
  header.header_bytes = kHeaderBytes;
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes.append(reinterpret_cast<const char*>(data), size);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static MemoryFile file;
  bool raw = data[0] == 'r';
  bool mend = data[0] == 'm';
  std::string bytes = raw ? std::string(reinterpret_cast<const char*>(data) + 1, size - 1) : FileOf(data + 1, size - 1);
  if (mend) MendChunks(&bytes);
  if (!file.Set(bytes)) return 0;
  auto reader = TraceReader::Open(file.path());
  if (!reader) return 0;
  Event event;
  uint64_t printed = 0;
  while ((*reader)->Next(&event)) {
    if (!IsKind(static_cast<uint8_t>(event.kind))) __builtin_trap();
    if (event.stack >= (*reader)->stacks().size()) __builtin_trap();
    if (printed++ < 100) (void)PrintEvent(event, (*reader)->info());
  }
  return 0;
}
