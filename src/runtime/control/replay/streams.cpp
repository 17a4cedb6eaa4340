#include "runtime/control/replay/streams.h"

#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/control/replay/demo.h"
#include "runtime/raw_syscall.h"
#include "runtime/spin.h"

namespace heddle::rt::control {
namespace {

struct Stream {
  FILE* file = nullptr;  // null: free
  int fd = -1;
  FILE* child = nullptr;  // what popen made, which stays open behind it
};
constexpr uint32_t kMaxStreams = 256;
Stream g_streams[kMaxStreams];
SpinLock g_streams_lock;

Stream* FindStream(const FILE* file) {
  for (Stream& stream : g_streams) {
    if (stream.file == file) return &stream;
  }
  return nullptr;
}

int DescriptorOf(const void* cookie) { return static_cast<const Stream*>(cookie)->fd; }

// As the program: visible operations, recorded or given back.
ssize_t ReadStream(void* cookie, char* to, size_t bytes) { return read(DescriptorOf(cookie), to, bytes); }
ssize_t WriteStream(void* cookie, const char* from, size_t bytes) {
  ssize_t n = write(DescriptorOf(cookie), from, bytes);
  return n < 0 ? 0 : n;  // what libc takes for an error here
}
int SeekStream(void* cookie, off64_t* place, int from) {
  off64_t now = lseek(DescriptorOf(cookie), *place, from);
  if (now < 0) return -1;
  *place = now;
  return 0;
}
int CloseStream(void* cookie) {
  auto* stream = static_cast<Stream*>(cookie);
  int fd = stream->fd;
  {
    SpinHolder hold(g_streams_lock);
    *stream = {};
  }
  return close(fd);
}

Stream* TakeStream(int fd) {
  SpinHolder hold(g_streams_lock);
  Stream* stream = FindStream(nullptr);
  if (stream == nullptr) {
    errno = EMFILE;
    return nullptr;
  }
  stream->fd = fd;
  stream->file = reinterpret_cast<FILE*>(stream);  // taken, until it is known
  return stream;
}

}  // namespace

bool NeedsStream(int fd, const char* mode) {
  // What is only written goes where the descriptor goes; its place in the file is known when that begins empty.
  bool reads = mode[0] != 'w' || strchr(mode, '+') != nullptr;
  return g_demo != Demo::Off && reads && IsRecorded(fd);
}

FILE* MakeStream(int fd, const char* mode) {
  Stream* stream = TakeStream(fd);
  if (stream == nullptr) return nullptr;
  cookie_io_functions_t functions{};
  functions.read = ReadStream;
  functions.write = WriteStream;
  functions.seek = SeekStream;
  functions.close = CloseStream;
  FILE* file = fopencookie(stream, mode, functions);
  SpinHolder hold(g_streams_lock);
  stream->file = file;
  if (file == nullptr) return nullptr;
  // A thread that waits for its turn inside must not hold a lock that the scheduler does not see.
  __fsetlocking(file, FSETLOCKING_BYCALLER);
  return file;
}

void ReplaceStandardInput() {
  if (FILE* file = MakeStream(STDIN_FILENO, "r"); file != nullptr) stdin = file;
}

FILE* ReplaceChildStream(FILE* file, const char* mode) {
  if (file == nullptr || g_demo == Demo::Off) return file;
  int fd = static_cast<int>(Sys(SYS_fcntl, fileno(file), F_DUPFD_CLOEXEC, 0));
  FILE* ours = fd < 0 ? nullptr : MakeStream(fd, mode[0] == 'r' ? "r" : "w");
  if (ours == nullptr) return file;
  SpinHolder hold(g_streams_lock);
  FindStream(ours)->child = file;
  return ours;
}

FILE* CloseChildStream(FILE* file) {
  FILE* child = nullptr;
  {
    SpinHolder hold(g_streams_lock);
    const Stream* stream = FindStream(file);
    if (stream != nullptr) child = stream->child;
  }
  if (child == nullptr) return file;
  fclose(file);
  return child;
}

void LockStreams() { g_streams_lock.Lock(); }
void UnlockStreams() { g_streams_lock.Unlock(); }

int StreamDescriptor(const FILE* file) {
  if (file == nullptr || g_demo == Demo::Off) return -1;
  SpinHolder hold(g_streams_lock);
  const Stream* stream = FindStream(file);
  return stream == nullptr ? -1 : stream->fd;
}

}  // namespace heddle::rt::control
