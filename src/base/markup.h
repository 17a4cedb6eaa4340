// Text inside HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

// `text` with the characters that mean something in markup replaced, also inside attributes with double quotes. XML has
// no way to write most control characters; they become question marks.
inline std::string EscapeMarkup(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

}  // namespace heddle
