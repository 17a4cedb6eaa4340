// Formats: each conversion is read as the C standard gives it; a letter that is not known ends the look, since the
// arguments behind it cannot be found.
#include "runtime/intercept/ranges.h"

namespace heddle::rt {
namespace {

uint64_t g_state[static_cast<size_t>(State::kCount)];

enum class Length : uint8_t { kInt, kChar, kShort, kLong, kLongDouble };

struct Conversion {
  bool skipped = false;    // scanf's *
  bool allocates = false;  // scanf's m
  int64_t width = -1;
  int64_t precision = -1;
  Length length = Length::kInt;
  char letter = 0;
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

int64_t Number(const char** at) {
  int64_t value = 0;
  for (; IsDigit(**at); ++*at) value = value * 10 + (**at - '0');
  return value;
}

Length ReadLength(const char** at) {
  Length length = Length::kInt;
  for (;; ++*at) {
    switch (**at) {
      case 'h':
        length = length == Length::kShort ? Length::kChar : Length::kShort;
        break;
      case 'l':
      case 'j':
      case 'z':
      case 't':
      case 'q':
        length = Length::kLong;
        break;
      case 'L':
        length = Length::kLongDouble;
        break;
      default:
        return length;
    }
  }
}

int64_t BytesOf(Length length) {
  switch (length) {
    case Length::kChar:
      return 1;
    case Length::kShort:
      return 2;
    case Length::kInt:
      return 4;
    default:
      return 8;
  }
}

struct Arguments {
  va_list list;
};

// A width or precision, which may be an argument.
int64_t Size(const char** at, Arguments& arguments) {
  if (**at != '*') return Number(at);
  ++*at;
  return va_arg(arguments.list, int);
}

Conversion ReadPrintf(const char** at, Arguments& arguments) {
  Conversion found;
  while (**at == '-' || **at == '+' || **at == ' ' || **at == '#' || **at == '0' || **at == '\'') ++*at;
  found.width = Size(at, arguments);
  if (**at == '.') {
    ++*at;
    found.precision = Size(at, arguments);
  }
  found.length = ReadLength(at);
  found.letter = **at;
  return found;
}

void ReadsText(void* pc, const char* text, const Conversion& conversion) {
  if (text == nullptr || conversion.length == Length::kLong) return;
  ReadsRange(pc, text,
             conversion.precision < 0 ? Text(text) : TextWithin(text, static_cast<size_t>(conversion.precision)));
}

// Takes the conversion's argument; false when it is not known.
bool Print(void* pc, const Conversion& conversion, Arguments& arguments) {
  switch (conversion.letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'c':
    case 'C':
      static_cast<void>(conversion.length >= Length::kLong ? va_arg(arguments.list, long)
                                                           : va_arg(arguments.list, int));
      return true;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      static_cast<void>(conversion.length == Length::kLongDouble ? va_arg(arguments.list, long double)
                                                                 : va_arg(arguments.list, double));
      return true;
    case 's':
      ReadsText(pc, va_arg(arguments.list, const char*), conversion);
      return true;
    case 'p':
    case 'S':
      va_arg(arguments.list, void*);
      return true;
    case 'n':
      WritesRange(pc, va_arg(arguments.list, void*), BytesOf(conversion.length));
      return true;
    case 'm':
    case '%':
      return true;
    default:
      return false;
  }
}

Conversion ReadScanf(const char** at) {
  Conversion found;
  if (**at == '*') {
    found.skipped = true;
    ++*at;
  }
  if (IsDigit(**at)) found.width = Number(at);
  if (**at == 'm') {
    found.allocates = true;
    ++*at;
  }
  found.length = ReadLength(at);
  found.letter = **at;
  return found;
}

// To the bracket that ends a set.
void SkipSet(const char** at) {
  ++*at;
  if (**at == '^') ++*at;
  if (**at == ']') ++*at;
  while (**at != '\0' && **at != ']') ++*at;
}

// How much the conversion wrote; -1: it is not known.
int64_t BytesScanned(const Conversion& conversion, const void* to) {
  if (conversion.allocates) return sizeof(char*);
  bool wide = conversion.length == Length::kLong;
  switch (conversion.letter) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'n':
      return BytesOf(conversion.length);
    case 'p':
      return sizeof(void*);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return conversion.length == Length::kLongDouble ? 16 : wide ? 8 : 4;
    case 's':
    case '[':
      return wide ? Text(static_cast<const wchar_t*>(to)) : Text(static_cast<const char*>(to));
    case 'c':
      return (conversion.width < 0 ? 1 : conversion.width) * (wide ? static_cast<int64_t>(sizeof(wchar_t)) : 1);
    default:
      return -1;
  }
}

bool HasNumbers(const char* format) {
  for (const char* at = format; *at != '\0'; ++at) {
    if (*at == '$') return true;
  }
  return false;
}

}  // namespace

void WritesPieces(void* pc, const iovec* pieces, int64_t count, int64_t bytes) {
  for (int64_t i = 0; i < count && bytes > 0; ++i) {
    int64_t part = Min(bytes, pieces[i].iov_len);
    WritesRange(pc, pieces[i].iov_base, part);
    bytes -= part;
  }
}
void ReadsPieces(void* pc, const iovec* pieces, int64_t count) {
  for (int64_t i = 0; i < count; ++i) ReadsRange(pc, pieces[i].iov_base, static_cast<int64_t>(pieces[i].iov_len));
}

void ReadsState(void* pc, State state) { ReadsRange(pc, &g_state[static_cast<size_t>(state)], 8); }
void WritesState(void* pc, State state) { WritesRange(pc, &g_state[static_cast<size_t>(state)], 8); }

void ReadsPrinted(void* pc, const char* format, va_list list) {
  if (format == nullptr || HasNumbers(format)) return;
  ReadsRange(pc, format, Text(format));
  Arguments arguments;
  va_copy(arguments.list, list);
  for (const char* at = format; *at != '\0'; ++at) {
    if (*at != '%') continue;
    ++at;
    Conversion conversion = ReadPrintf(&at, arguments);
    if (!Print(pc, conversion, arguments)) break;
  }
  va_end(arguments.list);
}

void WritesScanned(void* pc, const char* format, va_list list, int converted) {
  if (format == nullptr || HasNumbers(format)) return;
  ReadsRange(pc, format, Text(format));
  Arguments arguments;
  va_copy(arguments.list, list);
  for (const char* at = format; *at != '\0' && converted > 0; ++at) {
    if (*at != '%') continue;
    ++at;
    if (*at == '%') continue;
    Conversion conversion = ReadScanf(&at);
    if (conversion.letter == '[') SkipSet(&at);
    if (*at == '\0') break;
    if (conversion.skipped) continue;
    void* to = va_arg(arguments.list, void*);
    int64_t bytes = BytesScanned(conversion, to);
    if (bytes < 0) break;
    WritesRange(pc, to, bytes);
    if (conversion.letter != 'n') --converted;
  }
  va_end(arguments.list);
}

}  // namespace heddle::rt
