// How many columns of a terminal a text takes, without a locale: names in programs are UTF-8 whatever LANG says.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::findings {

// Columns of `text`: combining marks take none, East Asian wide characters and emoji take two, a byte that is not UTF-8
// takes one.
size_t DisplayWidth(std::string_view text);

// `text` with spaces to at least `width` columns.
std::string PadTo(std::string_view text, size_t width);

// At most `width` columns, the last one an ellipsis when something was cut. Never cuts within a character.
std::string CutTo(std::string_view text, size_t width);

// One line (without its newline) as several of at most `width` columns, broken at spaces; those behind the first are
// indented by four more than it is. Colour sequences take no columns. A word that is longer stays whole.
std::string WrapTo(std::string_view line, size_t width);

// Control characters (a thread may be named "\x1b[2J") and bytes that are not UTF-8 become '?'.
std::string Printable(std::string_view text);

}  // namespace heddle::findings
