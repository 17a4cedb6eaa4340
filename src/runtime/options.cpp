#include "runtime/options.h"

#include <cstdlib>
#include <cstring>

#include "runtime/memory/pages.h"
#include "runtime/message.h"

namespace heddle::rt {

Options g_options;

namespace {

bool Equal(const char* begin, const char* end, const char* name) {
  size_t length = static_cast<size_t>(end - begin);
  return strlen(name) == length && strncmp(begin, name, length) == 0;
}

bool Assign(bool* to, const char* begin, const char* end) {
  bool on = Equal(begin, end, "1") || Equal(begin, end, "true");
  if (!on && !Equal(begin, end, "0") && !Equal(begin, end, "false")) return false;
  *to = on;
  return true;
}

bool Assign(int* to, const char* begin, const char* end) {
  char* stop = nullptr;
  long value = strtol(begin, &stop, 10);
  if (stop != end || begin == end) return false;
  *to = static_cast<int>(value);
  return true;
}

bool Assign(uint64_t* to, const char* begin, const char* end) {
  char* stop = nullptr;
  if (begin == end || *begin < '0' || *begin > '9') return false;
  unsigned long value = strtoul(begin, &stop, 10);
  if (stop != end) return false;
  *to = value;
  return true;
}

// Kept for the life of the process.
bool Assign(const char** to, const char* begin, const char* end) {
  // Not from malloc: an allocator that is just starting may have called us.
  auto bytes = static_cast<size_t>(end - begin);
  auto* copy = static_cast<char*>(MapPages(bytes + 1));
  if (copy != nullptr) memcpy(copy, begin, bytes);
  if (copy == nullptr || begin == end) return false;
  *to = copy;
  return true;
}

bool AssignByName(const char* name, const char* equals, const char* end) {
#define HEDDLE_OPTION(type, option, value, text) \
  if (Equal(name, equals, #option)) return Assign(&g_options.option, equals + 1, end);
#include "runtime/options.inc"
#undef HEDDLE_OPTION
  return false;
}

}  // namespace

void ParseOptions(const char* text) {
  while (text != nullptr && *text != '\0') {
    const char* end = strchrnul(text, ':');
    const char* equals = static_cast<const char*>(memchr(text, '=', static_cast<size_t>(end - text)));
    if (equals == nullptr || !AssignByName(text, equals, end)) {
      Message("HEDDLE_OPTIONS: not an option or not a value: ", text);
    }
    text = *end == ':' ? end + 1 : end;
  }
}

}  // namespace heddle::rt
