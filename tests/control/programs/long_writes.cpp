// Writes of more than a pipe or a socket holds, to a reader in the same process: the writer waits in the middle of a
// call. What comes out is what went in.
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr size_t kBytes = 3'000'000;

// Into as many pieces as the kernel takes.
ssize_t ReadPieces(int fd, char* buffer, size_t bytes) {
  constexpr size_t kPieces = 1024;
  iovec pieces[kPieces];
  for (size_t i = 0; i < kPieces; ++i) pieces[i] = {buffer + i * (bytes / kPieces), bytes / kPieces};
  return readv(fd, pieces, kPieces);
}

unsigned ReadAll(int fd, size_t* bytes) {
  unsigned hash = 1;
  char buffer[51'200];
  for (ssize_t n = 0; (n = ReadPieces(fd, buffer, sizeof buffer)) > 0;) {
    for (ssize_t i = 0; i < n; ++i) hash = hash * 31 + static_cast<unsigned char>(buffer[i]);
    *bytes += static_cast<size_t>(n);
  }
  return hash;
}

template <typename Write>
void Pass(const char* name, int in, int out, Write write_all) {
  std::vector<char> data(kBytes);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i * 7 + i / 1000);
  unsigned hash = 1;
  for (char c : data) hash = hash * 31 + static_cast<unsigned char>(c);
  size_t bytes = 0;
  unsigned got = 0;
  std::thread reader([&] { got = ReadAll(in, &bytes); });
  ssize_t written = write_all(out, data);
  close(out);
  reader.join();
  close(in);
  printf("%s: wrote %zd, read %zu, %s\n", name, written, bytes, got == hash ? "equal" : "DIFFERENT");
}

}  // namespace

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  Pass("write", ends[0], ends[1], [](int fd, auto& data) { return write(fd, data.data(), data.size()); });
  if (pipe(ends) != 0) return 1;
  Pass("writev", ends[0], ends[1], [](int fd, auto& data) {
    std::vector<iovec> pieces;
    for (size_t at = 0; at < data.size(); at += 3000) pieces.push_back({data.data() + at, 3000});
    return writev(fd, pieces.data(), static_cast<int>(pieces.size()));
  });
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  Pass("send", ends[0], ends[1], [](int fd, auto& data) { return send(fd, data.data(), data.size(), MSG_NOSIGNAL); });
  return 0;
}
