// A file that is written piece by piece and appears in one step: a temporary file beside it until Commit renames it, so
// that a failure on the way (a full disk, a wrong input) leaves what was there before. Devices, pipes and
// links are written directly.
//
// Errors stick: after the first one every call returns it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace heddle {

class OutputFile {
 public:
  static Result<std::unique_ptr<OutputFile>> Create(const std::string& path);
  // Writes to a descriptor that stays the caller's (standard output); nothing to rename, no WriteAt.
  static std::unique_ptr<OutputFile> ToDescriptor(int fd, std::string name);

  // Removes the temporary file if Commit was not called or failed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  Status Append(std::string_view bytes);
  // Over bytes that were appended before.
  Status WriteAt(uint64_t offset, std::string_view bytes);
  Status Flush();
  Status Commit();

  const std::string& name() const { return path_; }
  uint64_t bytes() const { return written_ + buffer_.size(); }

 private:
  OutputFile(int fd, std::string path, std::string temporary, bool owned);
  Status Failed(int error_number);

  int fd_;
  bool owned_;
  std::string path_;
  std::string temporary_;  // empty when there is nothing to rename
  std::string buffer_;
  uint64_t written_ = 0;
  Status status_;
};

}  // namespace heddle
