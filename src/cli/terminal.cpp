#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace heddle::cli {
namespace {

enum class Color { kAuto, kAlways, kNever };
Color g_color = Color::kAuto;

// 0: not known.
size_t Columns(std::FILE* stream) {
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* told = std::getenv("COLUMNS");
  return told == nullptr ? 0 : std::strtoul(told, nullptr, 10);
}

}  // namespace

void ChooseColor(std::string_view when) {
  g_color = when == "always" ? Color::kAlways : when == "never" ? Color::kNever : Color::kAuto;
}

bool UseColor(std::FILE* stream) {
  if (g_color != Color::kAuto) return g_color == Color::kAlways;
  if (isatty(fileno(stream)) == 0) return false;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  return term == nullptr || std::string_view(term) != "dumb";
}

bool HasScreenWidth(std::FILE* stream) { return Columns(stream) != 0; }

size_t ScreenWidth(std::FILE* stream) {
  constexpr size_t kDefault = 120;
  constexpr size_t kLeast = 60;
  constexpr size_t kMost = 1000;
  size_t columns = Columns(stream);
  return columns == 0 ? kDefault : std::clamp(columns, kLeast, kMost);
}

}  // namespace heddle::cli
