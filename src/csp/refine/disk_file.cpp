#include "csp/refine/disk_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "csp/large_stack.h"

namespace heddle::csp {
namespace {

constexpr size_t kBuffer = size_t{1} << 18;

[[noreturn]] void Fail(const std::string& what, int error) {
  AboutToThrow();
  throw DiskFailed{fmt::format("{}: {}", what, std::strerror(error))};
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& below) {
  std::string pattern = below + "/heddle-csp-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) Fail(below, errno);
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::NewFile() { return fmt::format("{}/{}", path_, files_++); }

RecordFile::RecordFile(std::string path, size_t record_bytes)
    : path_(std::move(path)),
      record_bytes_(record_bytes),
      fd_(open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {
  if (fd_ < 0) Fail(path_, errno);
}

RecordFile::~RecordFile() {
  if (fd_ < 0) return;
  close(fd_);
  unlink(path_.c_str());
}

RecordFile::RecordFile(RecordFile&& other) noexcept
    : path_(std::move(other.path_)),
      record_bytes_(other.record_bytes_),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      written_(other.written_),
      buffer_(std::move(other.buffer_)) {}

RecordFile& RecordFile::operator=(RecordFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(record_bytes_, other.record_bytes_);
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  std::swap(written_, other.written_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

void RecordFile::Push(const void* record) {
  const char* bytes = static_cast<const char*>(record);
  buffer_.insert(buffer_.end(), bytes, bytes + record_bytes_);
  ++size_;
  if (buffer_.size() >= kBuffer) Flush();
}

void RecordFile::Flush() {
  for (size_t done = 0; done < buffer_.size();) {
    ssize_t n = pwrite(fd_, buffer_.data() + done, buffer_.size() - done, static_cast<off_t>(written_));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) Fail(path_, n < 0 ? errno : ENOSPC);
    done += static_cast<size_t>(n);
    written_ += static_cast<uint64_t>(n);
  }
  buffer_.clear();
}

void RecordFile::Read(uint64_t first, uint64_t count, void* to) {
  if (!buffer_.empty()) {
    Flush();
    buffer_ = {};
  }
  char* out = static_cast<char*>(to);
  size_t bytes = count * record_bytes_;
  for (size_t done = 0; done < bytes;) {
    ssize_t n = pread(fd_, out + done, bytes - done, static_cast<off_t>(first * record_bytes_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) Fail(path_, n < 0 ? errno : EIO);
    done += static_cast<size_t>(n);
  }
}

}  // namespace heddle::csp
