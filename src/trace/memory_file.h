// A file that is only in memory but has a path, for tests and fuzz targets of what opens files.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace heddle::trace {

class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("heddle", MFD_CLOEXEC)) {}
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // Makes `bytes` the content. False when the system refused.
  bool Set(std::string_view bytes) {
    return ftruncate(fd_, 0) == 0 && pwrite(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

}  // namespace heddle::trace
