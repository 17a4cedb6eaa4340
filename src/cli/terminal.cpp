#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace heddle::cli {

bool UseColor(std::FILE* stream) {
  if (isatty(fileno(stream)) == 0) return false;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  return term == nullptr || std::string_view(term) != "dumb";
}

size_t ScreenWidth(std::FILE* stream) {
  constexpr size_t kDefault = 120;
  constexpr size_t kLeast = 40;
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col < kLeast) return kDefault;
  return size.ws_col;
}

}  // namespace heddle::cli
