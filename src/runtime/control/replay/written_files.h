// Files of a recorded program. A replay reads the files that the recording only read, and never touches the ones that
// it wrote: those are written in a place of the replay's own (the folder `files` of its results), and what was read
// from them comes from the recording.
//
// A file counts as written when it is open for writing, or was changed since the recording began, by whomever: one
// rule, which needs no memory of descriptors and paths. In a replay a descriptor of the own place is told by a mark
// that the kernel keeps with the open file, so dup, fork and SCM_RIGHTS keep it.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>

namespace heddle::rt::control {

// Record and play: once, at the start. `calls` is the path of the recorded calls, in the results folder.
void StartWrittenFiles(const char* calls);
// Record: files that were changed since then count as written.
void BeganAt(const timespec& when);

// This process is a replay, or a child of one: no file of the user is written.
void GuardFiles();
bool GuardsFiles();
// The kernel refuses such writes too (Landlock), so that other programs may be executed by a replay.
bool KernelGuardsFiles();

// Whether calls on this regular file or folder are kept (record), or it is in the own place (play).
bool IsWritten(int fd, const struct stat& about);
// Play: whether the descriptor is of the own place.
bool IsOwnPlace(int fd);

// How a replay opens what the recording opened.
enum class OpenHow : uint8_t {
  Again,    // as it was: it is only read
  Own,      // a file in the own place
  StandIn,  // something to which calls are given back
  Folder,   // a folder that the recorded run made
};
// What a recording keeps of an open.
struct OpenedFile {
  OpenHow how;
  uint8_t unused[7];
  int64_t bytes;  // of the file, and its last change: to say when it is another one
  int64_t seconds;
  int64_t nanoseconds;
};
OpenedFile DescribeOpened(int fd);
// Record: `fd` is only read; `path` is about to be changed. The recording keeps the contents of a file that was read
// before it was changed (the folder `originals`), since a replay will not find them.
void FileIsRead(int fd);
void FileChanges(const char* path);
// Play: what the file had, when it is gone or changed; -1 when it was not kept.
int OpenOriginal(const char* path, int flags);

// Whether `fd` is what the recording opened.
bool IsSameFile(int fd, const OpenedFile& recorded);
// Play: opens a file that was only read; says so when it is another one now.
void TellChanged(const char* path);
// Behind the end of a recording, or in a child that replays nothing: a file that would be written, in the own place.
int OpenGuarded(const char* path, int flags);
bool WouldWrite(int flags);
// Play: opens such a one, with the number that it had.
int OpenInReplay(const OpenedFile& recorded, const char* path, int flags, int number);
// Before a file is mapped: of one that is written a recording keeps what will be mapped, and a replay puts it into the
// own place.
void PrepareMapping(int fd, uint64_t bytes, int64_t offset);
// A descriptor that came in a message. A recording keeps all calls on it; a replay puts a stand-in there.
void DescriptorReceived(int fd);
// A socket that is connected to nobody, with that number.
void MakePlaceholder(int fd);
// The descriptor gets that number.
int MoveTo(int fd, int number);

}  // namespace heddle::rt::control
