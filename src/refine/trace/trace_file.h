// Traces as files. Little endian:
//
//   "HDLREFN2"                                     magic
//   thread, build, target, source, reason          strings: u32 length, bytes
//   u8 end                                         RunEnd
//   u32 count, symbols: name, u64 address, u32 base, u32 size, then for each byte
//                       u8 initial, u32 location, u8 mask, u8 content, u8 unit, u8 volatile
//   u32 count, locks: strings
//   u64 count, events: 16 bytes each (trace.h)
//   u64 XXH3 of all bytes before it
//
// A file that is cut, changed or not ours is refused with a message; nothing that the reader accepts can make the
// checker read outside of its tables.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "refine/trace/trace.h"

namespace heddle::refine {

std::string EncodeTrace(const Trace& trace);
// `name` is for messages.
Result<Trace> DecodeTrace(const std::string& name, std::string_view bytes);

Result<Trace> LoadTrace(const std::string& path);
Status SaveTrace(const Trace& trace, const std::string& path);

// One line for each symbol and event, for people and for `diff`.
std::string TraceText(const Trace& trace);

}  // namespace heddle::refine
