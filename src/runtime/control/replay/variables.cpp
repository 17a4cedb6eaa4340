#include "runtime/control/replay/variables.h"

#include <cstdlib>
#include <cstring>

#include "runtime/control/replay/demo.h"
#include "runtime/memory/pages.h"
#include "wire/environment.h"

namespace heddle::rt::control {
namespace {

char* g_kept[kMaxKept];
int g_kept_count = 0;
bool g_hidden = false;

bool IsOwn(const char* entry) { return strncmp(entry, "HEDDLE_", 7) == 0; }

size_t CountOf(char* const* environment) {
  size_t count = 0;
  while (environment != nullptr && environment[count] != nullptr) ++count;
  return count;
}

}  // namespace

void KeepVariables() {
  for (char** entry = environ; *entry != nullptr && g_kept_count < kMaxKept; ++entry) {
    if (IsOwn(*entry)) g_kept[g_kept_count++] = *entry;
  }
}

// The others keep their order and end where all ended: the kernel's auxiliary vector is looked for behind them.
void HideVariables() {
  if (g_demo == Demo::Off || g_kept_count == 0) return;
  size_t to = CountOf(environ);
  for (size_t i = to; i > 0; --i) {
    if (!IsOwn(environ[i - 1])) environ[--to] = environ[i - 1];
  }
  for (size_t i = 0; i < to && i < static_cast<size_t>(g_kept_count); ++i) environ[i] = g_kept[i];
  environ += to;
  g_hidden = true;
}

const char* Variable(const char* name) {
  size_t length = strlen(name);
  for (int i = 0; g_hidden && i < g_kept_count; ++i) {
    if (strncmp(g_kept[i], name, length) == 0 && g_kept[i][length] == '=') return g_kept[i] + length + 1;
  }
  return getenv(name);
}

int KeptVariables() { return g_hidden ? g_kept_count : 0; }

bool AddKept(char* const* environment, char** room) {
  int count = 0;
  for (; environment != nullptr && environment[count] != nullptr; ++count) {
    if (strncmp(environment[count], wire::variable::kOwner, strlen(wire::variable::kOwner)) == 0) return false;
    room[count] = environment[count];
  }
  for (int i = 0; i < g_kept_count; ++i) room[count++] = g_kept[i];
  room[count] = nullptr;
  return true;
}

ShownVariables::ShownVariables() {
  if (KeptVariables() == 0) return;
  bytes_ = (CountOf(environ) + static_cast<size_t>(KeptVariables()) + 1) * sizeof(char*);
  room_ = static_cast<char**>(MapPages(bytes_));
  if (room_ == nullptr) return;
  before_ = environ;
  if (AddKept(environ, room_)) environ = room_;
}

ShownVariables::~ShownVariables() {
  if (room_ == nullptr) return;
  if (environ == room_) environ = before_;  // else the program has changed it meanwhile: that stays
  UnmapPages(static_cast<void*>(room_), bytes_);
}

}  // namespace heddle::rt::control
