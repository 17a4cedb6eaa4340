#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>

#include "litmus/lock/lock.h"
#include "litmus/syntax/c_unit.h"

// Reads a pair. Of a C file the functions are found by their names, preprocessor lines are blanked (constants of
// #define are put in), and the words memory_order_... inside the functions are the orders that may be made stronger. A
// pair in an assembly language is two lists of lines.
namespace heddle::litmus {
namespace {

bool IsWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The text with each word replaced that `words` has.
std::string ReplaceWords(const std::string& text, const std::map<std::string, std::string>& words) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && IsWordChar(text[end])) ++end;
    if (end == i) {
      out += text[i++];
      continue;
    }
    std::string word = text.substr(i, end - i);
    auto found = words.find(word);
    out += found == words.end() ? word : found->second;
    i = end;
  }
  return out;
}

Result<std::string> Preprocess(const std::string& file, const std::string& text) {
  std::string out;
  std::map<std::string, std::string> constants;
  std::istringstream lines(BlankComments(text, 0, text.size(), false, true));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos || line[first] != '#') {
      out += ReplaceWords(line, constants) + "\n";
      continue;
    }
    std::istringstream words(line.substr(first + 1));
    std::string directive;
    std::string name;
    std::string value;
    words >> directive >> name;
    std::getline(words, value);
    out += "\n";
    if (directive != "define") continue;
    if (name.find('(') != std::string::npos || line.ends_with('\\')) {
      return MakeError(ErrorCode::kUnsupported, file + ":" + std::to_string(number) +
                                                    ": macros with arguments are not supported: write a function");
    }
    constants[name] = value;
  }
  return out;
}

// A word of `words` in the name of a function.
bool Has(const std::string& name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

using Functions = std::map<std::string, CFunction>;

// The only function for which `is` holds; empty when there is none or more than one.
template <typename F>
std::string Only(const Functions& functions, F&& is) {
  std::string found;
  for (const auto& [name, function] : functions) {
    if (!is(Lower(name))) continue;
    if (!found.empty()) return "";
    found = name;
  }
  return found;
}

bool Releases(const std::string& name) { return Has(name, {"unlock", "release", "leave", "exit", "end"}); }
bool Acquires(const std::string& name) {
  return !Releases(name) && !Has(name, {"try", "init", "destroy"}) && Has(name, {"lock", "acquire", "enter", "begin"});
}

Status FindFunctions(const std::string& file, const LockNames& names, const Functions& functions, LockPair& pair) {
  auto read = [](const std::string& name) { return Has(name, {"read"}); };
  auto retry = [&](const std::string& name) { return read(name) && Has(name, {"retry", "valid", "end", "unlock"}); };
  bool reader = std::any_of(functions.begin(), functions.end(), [&](const auto& f) { return retry(Lower(f.first)); });
  if (names.lock.empty() && names.unlock.empty() && reader) {
    pair.sequence = true;
    pair.functions = {Only(functions, [&](const auto& n) { return !read(n) && Acquires(n); }),
                      Only(functions, [&](const auto& n) { return !read(n) && Releases(n); }),
                      Only(functions, [&](const auto& n) { return read(n) && Acquires(n) && !retry(n); }),
                      Only(functions, retry)};
  } else {
    pair.functions = {names.lock.empty() ? Only(functions, Acquires) : names.lock,
                      names.unlock.empty() ? Only(functions, Releases) : names.unlock};
  }
  for (const std::string& name : pair.functions) {
    if (functions.contains(name)) continue;
    std::string known;
    for (const auto& [other, function] : functions) known += (known.empty() ? "" : ", ") + other;
    return MakeError(
        ErrorCode::kBadInput,
        file + ": error: " +
            (name.empty() ? "cannot tell which functions are lock and unlock" : "no function `" + name + "`") +
            "; there are: " + (known.empty() ? "none" : known) + "\n  help: --lock NAME --unlock NAME");
  }
  return {};
}

int LineOf(const std::string& text, size_t offset) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

// Stronger orders that the call may have: a load cannot release, a store cannot acquire.
std::vector<std::string> Stronger(const std::string& call, const std::string& was) {
  bool load = call.find("load") != std::string::npos;
  bool store = call.find("store") != std::string::npos || call.find("clear") != std::string::npos;
  std::vector<std::string> orders;
  if (was == "relaxed" && !store) orders.push_back("acquire");
  if (was == "relaxed" && !load) orders.push_back("release");
  if (was != "acq_rel" && was != "seq_cst" && !load && !store) orders.push_back("acq_rel");
  if (was != "seq_cst") orders.push_back("seq_cst");
  for (std::string& order : orders) order = "memory_order_" + order;
  return orders;
}

void FindOrders(const CFunction& function, LockPair& pair) {
  static constexpr std::string_view kPrefix = "memory_order_";
  std::string call;
  for (size_t at = function.begin; at < function.end;) {
    size_t end = at;
    while (end < function.end && IsWordChar(pair.code[end])) ++end;
    if (end == at) {
      ++at;
      continue;
    }
    std::string word = pair.code.substr(at, end - at);
    if (word.starts_with("atomic_")) call = word;
    if (word.starts_with(kPrefix)) {
      OrderSlot slot{at, word.size(), LineOf(pair.code, at), call, word, Stronger(call, word.substr(kPrefix.size()))};
      // The second order of compare-exchange is that of a failure.
      bool failure = call.find("compare_exchange") != std::string::npos && !pair.orders.empty() &&
                     pair.orders.back().call == call && pair.orders.back().line >= slot.line - 1 &&
                     pair.code.substr(pair.orders.back().offset, at - pair.orders.back().offset).find("atomic_") ==
                         std::string::npos;
      if (failure) slot.orders.clear();
      pair.orders.push_back(std::move(slot));
    }
    at = end;
  }
}

Result<LockPair> ReadC(const std::string& file, const std::string& text, const LockNames& names) {
  LockPair pair;
  pair.name = std::filesystem::path(file).stem().string();
  Result<std::string> code = Preprocess(file, text);
  if (!code) return code.error();
  pair.code = *code;
  SourceMap sources;
  uint32_t number = sources.Add(file, pair.code);
  Cursor cursor(sources, number, pair.code, 0, pair.code.size());
  Test scratch;
  CUnit unit;
  if (Status status = ParseCUnit(cursor, scratch, unit); !status) return status.error();
  if (!cursor.AtEnd()) return cursor.Wrong("expected a declaration or a function, found " + cursor.Shown());
  if (Status status = FindFunctions(file, names, unit.functions, pair); !status) return status.error();
  for (size_t i = 0; i < pair.functions.size(); ++i) {
    const CFunction& function = unit.functions.at(pair.functions[i]);
    FindOrders(function, pair);
    bool end = i == 0 || i == 2;
    bool acquires = pair.sequence ? i >= 2 : i == 0;
    std::string order = acquires ? "acquire" : "release";
    size_t at = end ? function.end - 1 : function.begin;
    pair.fences.push_back(
        {std::string(end ? "at the end of " : "at the start of ") + pair.functions[i] + " (line " +
             std::to_string(LineOf(pair.code, at)) + ")",
         {"atomic_thread_fence(memory_order_" + order + ");", "atomic_thread_fence(memory_order_seq_cst);"}});
  }
  return pair;
}

struct FenceWords {
  Arch arch;
  std::string_view word;
  std::vector<std::string> after_lock;
  std::vector<std::string> before_unlock;
};

const std::vector<FenceWords>& Fences() {
  static const std::vector<FenceWords> kFences = {
      {Arch::kGpuPtx, "GPU_PTX", {"membar.gl"}, {"membar.gl"}},
      {Arch::kPtx, "PTX", {"fence.acq_rel.gpu", "fence.sc.gpu"}, {"fence.acq_rel.gpu", "fence.sc.gpu"}},
      {Arch::kAArch64, "AArch64", {"DMB LD", "DMB SY"}, {"DMB SY"}},
      {Arch::kRiscv, "RISCV", {"fence r,rw", "fence rw,rw"}, {"fence rw,w", "fence rw,rw"}},
      {Arch::kPpc, "PPC", {"lwsync", "sync"}, {"lwsync", "sync"}},
      {Arch::kX86_64, "X86_64", {"mfence"}, {"mfence"}},
  };
  return kFences;
}

std::string Trim(const std::string& text) {
  size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r;") + 1 - begin);
}

Result<LockPair> ReadAssembly(const std::string& file, const std::string& text) {
  std::string clean = BlankComments(BlankComments(text, 0, text.size(), true, false), 0, text.size(), false, true);
  LockPair pair;
  std::istringstream lines(clean);
  std::string line;
  int number = 1;
  std::getline(lines, line);
  std::istringstream head(line);
  std::string language;
  head >> language >> pair.name;
  const auto& fences = Fences();
  auto words = std::find_if(fences.begin(), fences.end(), [&](const FenceWords& f) { return f.word == language; });
  auto wrong = [&](const std::string& what) {
    return MakeError(ErrorCode::kBadInput, file + ":" + std::to_string(number) + ":1: error: " + what);
  };
  if (words == fences.end()) {
    return wrong("expected GPU_PTX, PTX, AArch64, RISCV, PPC or X86_64 and a name, or a C file (.c)");
  }
  pair.arch = words->arch;
  if (pair.name.empty()) pair.name = std::filesystem::path(file).stem().string();
  int part = -1;
  bool braces = false;
  int starts[2] = {0, 0};
  int last[2] = {0, 0};
  while (std::getline(lines, line)) {
    ++number;
    std::string row = Trim(line);
    if (row.empty()) continue;
    if (part < 0 && (row[0] == '{' || braces)) {
      braces = true;
      bool close = row.find('}') != std::string::npos;
      std::erase_if(row, [](char c) { return c == '{' || c == '}'; });
      std::istringstream entries(row);
      for (std::string entry; std::getline(entries, entry, ';');) {
        if (!Trim(entry).empty()) pair.init.push_back(Trim(entry));
      }
      if (close) braces = false;
    } else if (row == "lock" || row == "unlock") {
      part = row == "lock" ? 0 : 1;
      starts[part] = number;
    } else if (part < 0) {
      return wrong("expected { initial state } or a line `lock`, found `" + row + "`");
    } else {
      pair.rows[part].push_back(row);
      last[part] = number;
    }
  }
  if (starts[0] == 0 || starts[1] == 0) return wrong("the pair needs a line `lock` and a line `unlock`");
  if (pair.rows[0].empty() || pair.rows[1].empty()) return wrong("lock or unlock has no instructions");
  pair.fences.push_back({"at the end of lock (after line " + std::to_string(last[0]) + ")", words->after_lock});
  pair.fences.push_back(
      {"at the start of unlock (after line " + std::to_string(starts[1]) + ")", words->before_unlock});
  return pair;
}

}  // namespace

Result<LockPair> ReadLockPair(const std::string& file, const std::string& text, const LockNames& names) {
  std::string extension = std::filesystem::path(file).extension().string();
  bool c = extension == ".c" || extension == ".h" || extension == ".cpp" || extension == ".cc";
  return c ? ReadC(file, text, names) : ReadAssembly(file, text);
}

}  // namespace heddle::litmus
