// The tokens of CSP_M. See docs/csp-design.md, "Syntax".
#pragma once

#include <cstdint>
#include <string>

#include "base/source.h"

namespace heddle::csp {

// Each token: its enumerator and how messages spell it.
// clang-format off
#define HEDDLE_CSP_TOKENS(X)                                                                                      \
  X(kEnd, "end of file") X(kName, "a name") X(kNumber, "a number") X(kString, "a string") X(kChar, "a character") \
  X(kLParen, "(") X(kRParen, ")") X(kLBrace, "{") X(kRBrace, "}") X(kLBracket, "[") X(kRBracket, "]")             \
  X(kLChan, "{|") X(kRChan, "|}") X(kLMap, "(|") X(kRMap, "|)") X(kLRename, "[[") X(kRRename, "]]")               \
  X(kLPar, "[|") X(kRPar, "|]") X(kRExc, "|>") X(kLSyncExt, "[+") X(kRSyncExt, "+]") X(kLSyncInt, "/+")           \
  X(kRSyncInt, "+\\") X(kRefine, "a refinement operator") X(kExt, "[]") X(kInt, "|~|") X(kInterleave, "|||")      \
  X(kAlphaPar, "||") X(kHide, "\\") X(kProject, "|\\") X(kInterrupt, "/\\") X(kSlide, "[>") X(kSemi, ";")         \
  X(kAmp, "&") X(kArrow, "->") X(kBackArrow, "<-") X(kLink, "<->") X(kMapTo, "=>") X(kQuery, "?") X(kBang, "!")   \
  X(kDollar, "$") X(kDot, ".") X(kDotDot, "..") X(kColon, ":") X(kDoubleColon, "::") X(kComma, ",") X(kBar, "|")  \
  X(kAt, "@") X(kAtAt, "@@") X(kUnderscore, "_") X(kAssign, "=") X(kEq, "==") X(kNe, "!=") X(kLt, "<")            \
  X(kGt, ">") X(kLe, "<=") X(kGe, ">=") X(kPlus, "+") X(kMinus, "-") X(kStar, "*") X(kSlash, "/")                 \
  X(kPercent, "%") X(kHash, "#") X(kCaret, "^") X(kAnd, "and") X(kOr, "or") X(kNot, "not") X(kIf, "if")           \
  X(kThen, "then") X(kElse, "else") X(kLet, "let") X(kWithin, "within") X(kTrue, "true") X(kFalse, "false")       \
  X(kChannel, "channel") X(kDatatype, "datatype") X(kSubtype, "subtype") X(kNametype, "nametype")                 \
  X(kAssert, "assert") X(kTransparent, "transparent") X(kExternal, "external") X(kPrint, "print")                 \
  X(kInclude, "include") X(kModule, "module") X(kExports, "exports") X(kEndModule, "endmodule")                   \
  X(kInstance, "instance") X(kTimed, "Timed")
// clang-format on

enum class Tok : uint8_t {
#define X(name, text) name,
  HEDDLE_CSP_TOKENS(X)
#undef X
};

// How the token is spelt in messages, for example "`[]`" or "a name".
std::string TokenName(Tok kind);

struct Token {
  Tok kind = Tok::kEnd;
  bool newline_before = false;  // a line break lies between the previous token and this one
  Span span;
  std::string text;    // the name, the string's contents, or the model of a refinement operator
  int64_t number = 0;  // kNumber, kChar
};

}  // namespace heddle::csp
