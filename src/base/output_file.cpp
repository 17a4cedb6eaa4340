#include "base/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"

namespace heddle {
namespace {

constexpr size_t kBufferBytes = 1U << 18U;

}  // namespace

OutputFile::OutputFile(int fd, std::string path, std::string temporary, bool owned)
    : fd_(fd), owned_(owned), path_(std::move(path)), temporary_(std::move(temporary)) {
  buffer_.reserve(kBufferBytes);
}

Result<std::unique_ptr<OutputFile>> OutputFile::Create(const std::string& path) {
  // A rename would put a plain file in the place of a device, a pipe or a link (/dev/stdout is one).
  struct stat existing{};
  bool special = lstat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode);
  std::string temporary = special ? "" : fmt::format("{}.tmp{}", path, getpid());
  int fd = special ? open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC)
                   : open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return ErrnoError(path, errno);
  return std::unique_ptr<OutputFile>(new OutputFile(fd, path, temporary, true));
}

std::unique_ptr<OutputFile> OutputFile::ToDescriptor(int fd, std::string name) {
  return std::unique_ptr<OutputFile>(new OutputFile(fd, std::move(name), "", false));
}

OutputFile::~OutputFile() {
  if (owned_ && fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Status OutputFile::Failed(int error_number) {
  status_ = ErrnoError(path_, error_number);
  return status_;
}

Status OutputFile::Flush() {
  std::string_view left = buffer_;
  while (!left.empty() && status_) {
    ssize_t n = write(fd_, left.data(), left.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed(errno);
    left.remove_prefix(static_cast<size_t>(n));
    written_ += static_cast<uint64_t>(n);
  }
  buffer_.clear();
  return status_;
}

Status OutputFile::Append(std::string_view bytes) {
  if (!status_) return status_;
  buffer_ += bytes;
  return buffer_.size() < kBufferBytes ? status_ : Flush();
}

Status OutputFile::WriteAt(uint64_t offset, std::string_view bytes) {
  if (Status flushed = Flush(); !flushed) return flushed;
  while (!bytes.empty()) {
    ssize_t n = pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed(errno);
    bytes.remove_prefix(static_cast<size_t>(n));
    offset += static_cast<uint64_t>(n);
  }
  return status_;
}

Status OutputFile::Commit() {
  if (Status flushed = Flush(); !flushed || !owned_) return flushed;
  int closed = close(fd_);
  fd_ = -1;
  if (closed != 0) return Failed(errno);
  if (!temporary_.empty() && rename(temporary_.c_str(), path_.c_str()) != 0) return Failed(errno);
  temporary_.clear();
  return status_;
}

}  // namespace heddle
