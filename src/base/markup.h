// Text inside HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

// `text` with the characters that mean something in markup replaced, also inside attributes with double quotes.
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
        out += c;
    }
  }
  return out;
}

}  // namespace heddle
