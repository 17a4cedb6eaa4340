#include "litmus/syntax/parse.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/near.h"
#include "litmus/syntax/parse_impl.h"

// The frame of a test: language and name, { initial state }, program, { locations, filter, condition }. The program is
// a table of columns for the assembly languages and a list of functions for C and OpenCL.
namespace heddle::litmus {
namespace {

struct Language {
  std::string_view word;
  Arch arch;
};
constexpr Language kLanguages[] = {
    {"X86", Arch::kX86},       {"x86", Arch::kX86},        {"X86_64", Arch::kX86_64}, {"AArch64", Arch::kAArch64},
    {"RISCV", Arch::kRiscv},   {"riscv", Arch::kRiscv},    {"PPC", Arch::kPpc},       {"ppc", Arch::kPpc},
    {"C", Arch::kC},           {"GPU_PTX", Arch::kGpuPtx}, {"PTX", Arch::kPtx},       {"ptx", Arch::kPtx},
    {"VULKAN", Arch::kVulkan}, {"Vulkan", Arch::kVulkan},  {"vulkan", Arch::kVulkan}, {"OPENCL", Arch::kOpenCl},
    {"OpenCL", Arch::kOpenCl},
};

std::unique_ptr<InstructionParser> ParserFor(Arch arch) {
  switch (arch) {
    case Arch::kX86:
    case Arch::kX86_64:
      return MakeX86Parser(arch);
    case Arch::kAArch64:
      return MakeAArch64Parser();
    case Arch::kRiscv:
      return MakeRiscvParser();
    case Arch::kPpc:
      return MakePpcParser();
    case Arch::kPtx:
      return MakePtxParser();
    case Arch::kVulkan:
      return MakeVulkanParser();
    case Arch::kGpuPtx:
      return MakeThesisPtxParser();
    default:
      return MakeNoParser();
  }
}

Result<Arch> ReadArch(Cursor& cursor) {
  if (cursor.AtEnd()) return cursor.Wrong("the file is empty: expected a language such as X86_64 or C");
  size_t begin = cursor.at();
  std::string_view word = cursor.Word();
  std::vector<std::string_view> known;
  for (const Language& language : kLanguages) {
    if (language.word == word) return language.arch;
    known.push_back(language.word);
  }
  return cursor.WrongAt(begin, std::max(begin + 1, cursor.at()), "unknown language `" + std::string(word) + "`",
                        DidYouMean(word, known));
}

// The word after the language; the file's name when there is none.
std::string ReadName(Cursor& cursor, const std::string& file) {
  std::string_view rest = cursor.Rest();
  std::string_view line = rest.substr(0, rest.find('\n'));
  size_t begin = line.find_first_not_of(" \t\r");
  cursor.Seek(cursor.at() + line.size());
  if (begin == std::string_view::npos) return std::filesystem::path(file).stem().string();
  line = line.substr(begin);
  return std::string(line.substr(0, line.find_first_of(" \t\r{")));
}

// Skips the title and the lines of facts (Cycle=..., "...") up to the initial state.
Status SkipToInit(Cursor& cursor, size_t from) {
  std::string_view rest = cursor.Text(from, cursor.end());
  bool quoted = false;
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '"') quoted = !quoted;
    if (rest[i] != '{' || quoted) continue;
    cursor.Seek(from + i);
    return {};
  }
  size_t brace = rest.find('{');
  if (brace == std::string_view::npos) return cursor.Wrong("there is no initial state { ... }");
  cursor.Seek(from + brace);
  return {};
}

// Whether a thread is placed, as in P0@wg 0, dev 0.
bool HasScopes(std::string_view program) {
  for (size_t at = program.find('P'); at != std::string_view::npos; at = program.find('P', at + 1)) {
    size_t digits = program.find_first_not_of("0123456789", at + 1);
    if (digits == std::string_view::npos || digits == at + 1) continue;
    size_t next = program.find_first_not_of(" \t", digits);
    if (next != std::string_view::npos && program[next] == '@') return true;
  }
  return false;
}

// Where the matching } of the { at `at` is.
size_t CloseOf(std::string_view text, size_t at) {
  int depth = 0;
  for (size_t i = at; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// Vulkan: a second block { ssw 0 1; } after the initial state.
Status ParseSystemSync(Cursor& cursor, Test& test, std::vector<std::pair<int64_t, int64_t>>& pairs) {
  if (test.arch != Arch::kVulkan || cursor.Peek() != '{') return {};
  cursor.Take("{");
  while (!cursor.Take("}")) {
    if (cursor.AtEnd()) return cursor.Wrong("expected `}`");
    if (cursor.Take(";")) continue;
    if (!cursor.TakeWord("ssw")) return cursor.Wrong("expected `ssw` and two threads, found " + cursor.Shown());
    int64_t ends[2];
    for (int64_t& end : ends) {
      if (cursor.Peek() == 'P') cursor.Seek(cursor.at() + 1);
      std::optional<int64_t> number = cursor.Number();
      if (!number) return cursor.Wrong("expected the number of a thread, found " + cursor.Shown());
      end = *number;
    }
    pairs.emplace_back(ends[0], ends[1]);
  }
  cursor.Take(";");
  return {};
}

// A number that does not fit into 64 bits, anywhere in the program.
Status CheckNumbers(const Cursor& cursor, std::string_view text, size_t from) {
  for (size_t at = from; at < text.size(); ++at) {
    auto word = [&](size_t i) {
      return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
    };
    if (!word(at)) continue;
    size_t end = at;
    while (word(end)) ++end;
    std::string_view piece = text.substr(at, end - at);
    bool hex = piece.starts_with("0x") || piece.starts_with("0X");
    std::string_view digits = hex ? piece.substr(2) : piece;
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    std::string_view allowed = hex ? "0123456789abcdefABCDEF" : "0123456789";
    bool number = !digits.empty() && digits.find_first_not_of(allowed) == std::string_view::npos;
    bool large = hex ? digits.size() > 16
                     : digits.size() > 20 || (digits.size() == 20 && digits > std::string_view("18446744073709551615"));
    if (number && large) return cursor.WrongAt(at, end, "this number does not fit into 64 bits");
    at = end;
  }
  return {};
}

Result<Test> Parse(SourceMap& sources, uint32_t file, const std::string& name, const std::string& raw) {
  Test test;
  test.file = name;
  std::string text = raw;
  size_t brace = raw.find('{');
  Cursor head(sources, file, raw, 0, raw.size());
  std::string opening = BlankComments(raw, 0, raw.size(), true, false);
  head = Cursor(sources, file, opening, 0, opening.size());
  Result<Arch> arch = ReadArch(head);
  if (!arch) return arch.error();
  test.arch = *arch;
  size_t after_arch = head.at();
  test.name = ReadName(head, name);
  if (test.arch == Arch::kGpuPtx) {
    std::string clean = BlankComments(raw, 0, raw.size(), true, true);
    Cursor cursor(sources, file, clean, head.at(), clean.size());
    if (Status status = ParseThesisPtx(cursor, test); !status) return status.error();
    return test;
  }
  std::unique_ptr<InstructionParser> parser = ParserFor(test.arch);
  bool is_c = test.arch == Arch::kC || test.arch == Arch::kOpenCl;
  if (Status status = SkipToInit(head, after_arch); !status) return status.error();
  brace = head.at();
  size_t close = CloseOf(opening, brace);
  if (close == std::string_view::npos) return head.WrongAt(brace, brace + 1, "this `{` is not closed");
  if (test.arch == Arch::kC && HasScopes(std::string_view(raw).substr(close))) test.arch = Arch::kOpenCl;
  if (is_c) {
    // Inside functions (* is the start of an expression, not of a comment.
    text = BlankComments(opening.substr(0, close) + raw.substr(close), 0, raw.size(), false, true);
  } else {
    text = BlankComments(opening, close, opening.size(), false, true);
  }
  Cursor cursor(sources, file, text, brace, text.size());
  if (Status status = CheckNumbers(cursor, text, brace); !status) return status.error();
  std::vector<LaterRegister> later;
  if (Status status = ParseInit(cursor, test, *parser, later); !status) return status.error();
  std::vector<std::pair<int64_t, int64_t>> pairs;
  if (Status status = ParseSystemSync(cursor, test, pairs); !status) return status.error();
  Status body = is_c ? ParseC(cursor, test, later) : ParseTable(cursor, test, *parser, later);
  if (!body) return body.error();
  for (const auto& [from, to] : pairs) {
    int a = ThreadNumbered(test, from);
    int b = ThreadNumbered(test, to);
    if (a < 0 || b < 0) return cursor.Wrong("ssw names a thread that the test does not have");
    test.system_sync.emplace_back(a, b);
  }
  std::string tail = is_c ? BlankComments(text, cursor.at(), text.size(), true, false) : text;
  Cursor ending(sources, file, tail, cursor.at(), tail.size());
  if (Status status = ParseEnding(ending, test, *parser); !status) return status.error();
  return test;
}

}  // namespace

Result<Test> ParseLitmus(const std::string& file_name, const std::string& given) {
  SourceMap sources;
  std::string text = given;
  if (text.starts_with("\xef\xbb\xbf")) text.replace(0, 3, 3, ' ');  // the mark that some editors put before UTF-8
  uint32_t file = sources.Add(file_name, text);
  return Parse(sources, file, file_name, text);
}

}  // namespace heddle::litmus
