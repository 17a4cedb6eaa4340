#include "refine/gen/csmith.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/file.h"
#include "refine/gen/random.h"
#include "refine/trace/command.h"

namespace heddle::refine {
namespace {

constexpr double kSeconds = 60;

// What the check does not cover or cannot compare is switched off: constants (the environment must not write them),
// volatile structures (copied by pieces of any size), addresses of locals in globals.
std::vector<std::string> Command(uint64_t seed, const GenOptions& options, const std::string& output) {
  std::vector<std::string> command = {"csmith", "--seed", fmt::format("{}", seed % 0xffff'ffff), "-o", output};
  for (const char* flag : {"--nomain",
                           "--no-checksum",
                           "--no-argc",
                           "--no-consts",
                           "--no-volatiles",
                           "--no-unions",
                           "--no-packed-struct",
                           "--no-jumps",
                           "--no-addr-taken-of-locals",
                           "--concise",
                           "--quiet",
                           "--max-funcs",
                           "3",
                           "--max-block-depth",
                           "2",
                           "--max-expr-complexity",
                           "5",
                           "--max-array-dim",
                           "2",
                           "--max-array-len-per-dim",
                           "6",
                           "--max-pointer-depth",
                           "2",
                           "--max-block-size"}) {
    command.emplace_back(flag);
  }
  command.push_back(fmt::format("{}", std::clamp(options.size / 2, 2U, 20U)));
  return command;
}

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// g_12, func_3, S0: what several threads of a file would have in common.
bool IsShared(std::string_view word) {
  size_t digits = word.starts_with("g_") ? 2 : word.starts_with("func_") ? 5 : word.starts_with("S") ? 1 : word.size();
  if (digits >= word.size()) return false;
  return std::all_of(word.begin() + static_cast<long>(digits), word.end(),
                     [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

std::string Renamed(const std::string& line, const std::string& prefix) {
  std::string out;
  for (size_t i = 0; i < line.size();) {
    size_t end = i;
    while (end < line.size() && IsWord(line[end])) ++end;
    if (end == i) {
      out += line[i++];
      continue;
    }
    std::string_view word = std::string_view(line).substr(i, end - i);
    if (IsShared(word)) out += prefix;
    out += word;
    i = end;
  }
  return out;
}

bool IsGlobal(const std::string& line) {
  size_t name = line.find(" g_");
  size_t star = line.find("*g_");
  bool named = std::min(name, star) < line.find('=');
  return line.starts_with("static ") && named && line.find('(') > std::min(line.find('='), line.size() - 1);
}

bool IsDeclaration(const std::string& line) {
  for (const char* type : {"    struct ", "    int", "    uint", "    const "}) {
    if (line.starts_with(type)) return true;
  }
  return false;
}

// A statement of the outermost block of a function begins here.
bool IsStatement(const std::string& line) {
  if (line.size() < 5 || !line.starts_with("    ") || line[4] == ' ') return false;
  return (IsWord(line[4]) || line[4] == '(' || line[4] == '*' || line[4] == '+' || line[4] == '-') &&
         !line.starts_with("    else") && !IsDeclaration(line);
}

bool IsPlain(const std::string& line) { return line.ends_with(";") && !line.starts_with("    return"); }

class ThreadOf {
 public:
  ThreadOf(uint64_t seed, uint32_t index, const GenOptions& options)
      : random_(seed), index_(index), locks_(options.locks) {
    out_.seed = seed;
    out_.csmith = true;
    out_.function = fmt::format("thread_{}", index);
    out_.prefix = fmt::format("t{}_", index);
  }

  GeneratedThread Run(const std::string& program) {
    for (uint32_t i = 0; i < locks_; ++i) out_.lines.push_back(fmt::format("pthread_mutex_t {};", Lock(i)));
    std::istringstream in(program);
    bool first = false;  // inside of func_1
    for (std::string line; std::getline(in, line);) {
      while (!line.empty() && line.back() == ' ') line.pop_back();
      if (Skipped(line)) continue;
      if (line.starts_with("static ") && line.find(" func_1(") != std::string::npos && !line.ends_with(";")) {
        first = true;
      }
      if (line == "}") first = false;
      if (IsGlobal(line)) line.erase(0, 7);
      Put(line, first);
    }
    out_.lines.push_back(fmt::format("void {}(void) {{", out_.function));
    for (uint32_t i = 0; i < locks_; ++i) Call("lock", i, "  ");
    out_.lines.push_back(fmt::format("  {}func_1();", out_.prefix));
    for (uint32_t i = locks_; i-- > 0;) Call("unlock", i, "  ");
    out_.lines.emplace_back("}");
    return std::move(out_);
  }

 private:
  static bool Skipped(const std::string& line) {
    return line.empty() || line.starts_with("#") || line.starts_with("//") || line.starts_with("/*") ||
           line.find("csmith_sink_") != std::string::npos || line.find("__undefined") != std::string::npos;
  }
  std::string Lock(uint32_t i) const { return fmt::format("lock{}_{}", index_, i); }
  void Call(const char* what, uint32_t lock, const char* indent) {
    out_.lines.push_back(fmt::format("{}pthread_mutex_{}(&{});", indent, what, Lock(lock)));
  }

  void Put(const std::string& line, bool first) {
    std::string renamed = Renamed(line, out_.prefix);
    if (!first || locks_ == 0 || !IsStatement(line) || !random_.Chance(70)) {
      out_.lines.push_back(renamed);
      return;
    }
    uint32_t lock = random_.Below(locks_);
    bool without = IsPlain(line) && random_.Chance(30);
    Call("unlock", lock, "    ");
    if (without) out_.lines.push_back(renamed);
    Call("lock", lock, "    ");
    if (!without) out_.lines.push_back(renamed);
  }

  Random random_;
  uint32_t index_;
  uint32_t locks_;
  GeneratedThread out_;
};

GeneratedThread GaveUp(uint64_t seed, uint32_t index) {
  GeneratedThread thread;
  thread.seed = seed;
  thread.csmith = true;
  thread.function = fmt::format("thread_{}", index);
  thread.prefix = fmt::format("t{}_", index);
  thread.lines = {"void csmith_gave_up(void);", fmt::format("void {}(void) {{ csmith_gave_up(); }}", thread.function)};
  return thread;
}

// Wrapping arithmetic without undefined behaviour: all of it in uint64_t, and divisions that would trap give `a`.
void AddFunctions(std::string& text, int bits, bool is_signed) {
  std::string type = fmt::format("{}int{}_t", is_signed ? "" : "u", bits);
  const char* s = is_signed ? "s" : "u";
  auto function = [&](const std::string& name, const std::string& parameters, const std::string& value) {
    text += fmt::format("static inline {0} safe_{1}({2}) {{ return ({0})({3}); }}\n", type, name, parameters, value);
  };
  std::string two = fmt::format("{0} a, {0} b", type);
  function(fmt::format("unary_minus_func_{}_{}", type, s), type + " a", "0 - (uint64_t)a");
  for (auto [name, sign] : {std::pair{"add", '+'}, {"sub", '-'}, {"mul", '*'}}) {
    function(fmt::format("{}_func_{}_{}_{}", name, type, s, s), two, fmt::format("(uint64_t)a {} (uint64_t)b", sign));
  }
  std::string traps =
      is_signed ? fmt::format("b == 0 || (b == -1 && a == ({})((uint64_t)1 << {}))", type, bits - 1) : "b == 0";
  for (auto [name, sign] : {std::pair{"div", '/'}, {"mod", '%'}}) {
    function(fmt::format("{}_func_{}_{}_{}", name, type, s, s), two, fmt::format("({}) ? a : a {} b", traps, sign));
  }
  for (bool count_signed : {true, false}) {
    std::string parameters = fmt::format("{} a, {} b", type, count_signed ? "int" : "unsigned");
    std::string too_far = fmt::format("{}b >= {}", count_signed ? "b < 0 || " : "", bits);
    const char* t = count_signed ? "s" : "u";
    function(fmt::format("lshift_func_{}_{}_{}", type, s, t), parameters,
             fmt::format("({}) ? (uint64_t)a : (uint64_t)a << b", too_far));
    function(fmt::format("rshift_func_{}_{}_{}", type, s, t), parameters, fmt::format("({}) ? a : a >> b", too_far));
  }
}

}  // namespace

GeneratedThread ThreadOfCsmith(const std::string& program, uint64_t seed, uint32_t index, const GenOptions& options) {
  return ThreadOf(seed, index, options).Run(program);
}

Result<GeneratedThread> CsmithThread(uint64_t seed, uint32_t index, const GenOptions& options) {
  Result<ScratchFolder> folder = ScratchFolder::Make();
  if (!folder) return folder.error();
  std::string path = folder->path() + "/csmith.c";
  Result<CommandResult> ran = RunCommand(Command(seed, options, path), kSeconds);
  if (!ran && ran.error().code == ErrorCode::kLimit) return GaveUp(seed, index);
  if (!ran) {
    if (ran.error().code != ErrorCode::kNotFound) return ran.error();
    return MakeError(ErrorCode::kUnsupported,
                     "`csmith` is missing: install it (Debian: csmith), or leave out --generator csmith");
  }
  if (ran->code != 0) return MakeError(ErrorCode::kBadInput, "csmith failed:\n" + ran->text);
  Result<std::string> program = ReadFile(path);
  if (!program) return program.error();
  return ThreadOfCsmith(*program, seed, index, options);
}

std::string CsmithHead() {
  std::string text;
  for (int bits : {8, 16, 32, 64}) {
    text += fmt::format("typedef __INT{0}_TYPE__ int{0}_t;\ntypedef __UINT{0}_TYPE__ uint{0}_t;\n", bits);
  }
  for (int bits : {8, 16, 32, 64}) {
    AddFunctions(text, bits, true);
    AddFunctions(text, bits, false);
  }
  return text;
}

}  // namespace heddle::refine
