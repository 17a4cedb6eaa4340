// Lines of a text that may be larger than memory, from a file, a descriptor or memory.
//
//   std::string_view line;
//   while (input->Next(&line)) ...   // valid until the next call, without its newline
//   if (!input->status()) ...
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace heddle {

class LineInput {
 public:
  static Result<std::unique_ptr<LineInput>> Open(const std::string& path);
  // The descriptor stays the caller's.
  static std::unique_ptr<LineInput> FromDescriptor(int fd, std::string name);
  // The text must outlive the input.
  static std::unique_ptr<LineInput> FromMemory(std::string_view text, std::string name);
  ~LineInput();
  LineInput(const LineInput&) = delete;
  LineInput& operator=(const LineInput&) = delete;

  // False at the end, or after an error, which status() then has. A last line without a newline counts.
  bool Next(std::string_view* line) {
    for (;;) {
      if (const void* newline = std::memchr(at_, '\n', static_cast<size_t>(end_ - at_)); newline != nullptr) {
        const char* stop = static_cast<const char*>(newline);
        *line = std::string_view(at_, static_cast<size_t>(stop - at_));
        at_ = stop + 1;
        ++line_number_;
        return true;
      }
      if (!Fill()) return LastLine(line);
    }
  }

  // The first bytes, at least `bytes` of them if there are so many; only before the first Next.
  std::string_view Peek(size_t bytes);

  const std::string& name() const { return name_; }
  uint64_t line_number() const { return line_number_; }  // of the last line, from 1
  const Status& status() const { return status_; }

  // An error about columns [begin, end) of `line`, the last that Next gave, with the line and a caret under it.
  Error ErrorAt(std::string_view line, size_t begin, size_t end, const std::string& message,
                const std::string& help = "") const;

 private:
  LineInput(int fd, bool owned, std::string name);
  bool Fill();
  bool LastLine(std::string_view* line);

  int fd_;  // -1: from memory
  bool owned_;
  bool at_end_ = false;
  std::string name_;
  std::string buffer_;
  const char* at_ = "";  // what is left of the buffer: [at_, end_)
  const char* end_ = at_;
  uint64_t line_number_ = 0;
  Status status_;
};

}  // namespace heddle
