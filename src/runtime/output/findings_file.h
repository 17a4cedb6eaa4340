// The file in which the detector leaves what it finds, as lines of text (docs/detect.md). Each finding is one write to
// the end of the file, so whatever kills the process later, what was found before is there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/findings_file.h"

namespace heddle::rt {

using wire::FindingLine;

// Lines being put together; what does not fit is left out, and the text stays whole lines. Too large for a stack:
// each user has a static one under its lock.
class FindingsText {
 public:
  void Reset() { used_ = 0; }
  FindingsText& Add(FindingLine line) { return Add(WordOf(line)); }  // the first word of a line
  FindingsText& Add(const char* word);
  FindingsText& Hex(uint64_t value);
  FindingsText& Number(uint64_t value);
  FindingsText& Line();  // ends the line
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
bool CreateFindingsFile(const char* path);
// From now on it creates this file instead: a process of a recording has a folder of its own.
void PlaceFindings(const char* path);
void AppendFindings(const char* text, size_t bytes);
inline void AppendFindings(const FindingsText& text) { AppendFindings(text.data(), text.size()); }
// A line of one word, or of two.
void AppendFindingsLine(FindingLine line, const char* rest = nullptr);
// From now on what would be appended goes there instead.
using FindingsTap = void (*)(const char* text, size_t bytes);
void TapFindings(FindingsTap tap);
int FindingsDescriptor();
void ForgetFindingsFile();  // in a child of fork

}  // namespace heddle::rt
