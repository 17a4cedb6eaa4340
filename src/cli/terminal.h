// What the screen can do.
#pragma once

#include <cstddef>
#include <cstdio>

namespace heddle::cli {

// Colour only on a terminal, and not with NO_COLOR (no-color.org) or TERM=dumb.
bool UseColor(std::FILE* stream);

// Columns of the terminal behind the stream; 120 when it is none.
size_t ScreenWidth(std::FILE* stream);

}  // namespace heddle::cli
