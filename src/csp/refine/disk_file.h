// Files of records of one size, written from front to back and read by position; and the folder they stand in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::csp {

// Thrown when the disk is full or does not answer.
struct DiskFailed {
  std::string reason;
};

// A new folder below the given one. Gone, with what is in it, when this object is.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& below);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string NewFile();  // the path of a file that does not exist yet

 private:
  std::string path_;
  uint64_t files_ = 0;
};

// Removed when this object goes. What was pushed last may still be in memory: Read knows.
class RecordFile {
 public:
  RecordFile(std::string path, size_t record_bytes);
  ~RecordFile();
  RecordFile(RecordFile&& other) noexcept;
  RecordFile& operator=(RecordFile&& other) noexcept;

  void Push(const void* record);
  // `count` records from the one at `first` on, all of which have been pushed.
  void Read(uint64_t first, uint64_t count, void* to);
  uint64_t size() const { return size_; }

 private:
  void Flush();

  std::string path_;
  size_t record_bytes_;
  int fd_;
  uint64_t size_ = 0;
  uint64_t written_ = 0;  // bytes in the file
  std::vector<char> buffer_;
};

}  // namespace heddle::csp
