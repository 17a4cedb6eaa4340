#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/output_file.h"

namespace heddle {

Error ErrnoError(const std::string& what, int error_number) {
  ErrorCode code = error_number == ENOENT || error_number == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo;
  return MakeError(code, fmt::format("{}: {}", what, strerror(error_number)));  // NOLINT: glibc's is thread-safe
}

Result<std::string> ReadFile(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoError(path, errno);
  std::string text;
  struct stat info{};
  bool ordinary = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  if (ordinary && info.st_size > 0) text.reserve(static_cast<size_t>(info.st_size) + 1);
  char buffer[65536];
  for (;;) {
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      Error error = ErrnoError(path, errno);
      close(fd);
      return error;
    }
    if (n == 0) break;
    text.append(buffer, static_cast<size_t>(n));
    if (ordinary || text.size() <= kMostOfDevice) continue;
    close(fd);
    return MakeError(ErrorCode::kBadInput,
                     fmt::format("{}: not an ordinary file, and more than {} MiB of it", path, kMostOfDevice >> 20U));
  }
  close(fd);
  return text;
}

Status WriteFileAtomic(const std::string& path, std::string_view content) {
  Result<std::unique_ptr<OutputFile>> file = OutputFile::Create(path);
  if (!file) return file.error();
  if (Status status = (*file)->Append(content); !status) return status;
  return (*file)->Commit();
}

}  // namespace heddle
