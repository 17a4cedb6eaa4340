// The file in which the detector leaves what it finds, as lines of text (docs/detect.md). Each finding is one write to
// the end of the file, so whatever kills the process later, what was found before is there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::rt {

// Lines being put together; what does not fit is left out, and the text stays whole lines. Too large for a stack:
// each user has a static one under its lock.
class RecordText {
 public:
  void Reset() { used_ = 0; }
  RecordText& Add(const char* word);
  RecordText& Hex(uint64_t value);
  RecordText& Number(uint64_t value);
  RecordText& Line();  // ends the line
  const char* data() const { return data_; }
  size_t size() const { return used_; }

 private:
  void Put(char c) {
    if (used_ + 1 < sizeof data_) data_[used_++] = c;
  }
  char data_[24576] = {};
  size_t used_ = 0;
};

// Creates `path`, or path.PID if it is taken. False, with a message, when that is not possible.
bool CreateRecord(const char* path);
void AppendRecord(const char* text, size_t bytes);
inline void AppendRecord(const RecordText& text) { AppendRecord(text.data(), text.size()); }
// From now on what would be appended goes there instead.
using RecordTap = void (*)(const char* text, size_t bytes);
void TapRecord(RecordTap tap);
int RecordDescriptor();
void ForgetRecord();  // in a child of fork

}  // namespace heddle::rt
