// What the screen can do.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string_view>

namespace heddle::cli {

// What --color says: "always", "never", or "auto".
void ChooseColor(std::string_view when);

// "auto": colour only on a terminal, and not with NO_COLOR (no-color.org) or TERM=dumb.
bool UseColor(std::FILE* stream);

// Whether ScreenWidth is known: what a program reads is not wrapped.
bool HasScreenWidth(std::FILE* stream);

// Columns of the terminal behind the stream; when it is none, what COLUMNS says, else 120. At least 60: what is
// narrower wraps.
size_t ScreenWidth(std::FILE* stream);

}  // namespace heddle::cli
