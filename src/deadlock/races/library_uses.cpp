// The table: a line for each function, and behind its name what it accesses:
//   r1 w0          reads what argument 1 points to, writes what argument 0 points to, as far as that goes
//   w1:2           as many bytes as argument 2 says; w0:1*2: the product of two arguments
//   w0=8           eight bytes
//   p2             argument 2 is a format of printf: the strings behind it are read
//   s1             argument 1 is a format of scanf: what is behind it is written
// A length that is not a constant is as far as that goes, which is more than is accessed, never less.
#include "deadlock/races/library_uses.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_map>

#include "deadlock/pointers/locations.h"

namespace heddle::deadlock {
namespace {

constexpr std::string_view kTable = R"(
memcpy w0:2 r1:2
memmove w0:2 r1:2
mempcpy w0:2 r1:2
__memcpy_chk w0:2 r1:2
__memmove_chk w0:2 r1:2
__mempcpy_chk w0:2 r1:2
memset w0:2
__memset_chk w0:2
explicit_bzero w0:1
bzero w0:1
bcopy w1:2 r0:2
memcmp r0:2 r1:2
bcmp r0:2 r1:2
memchr r0:2
memrchr r0:2
strcpy w0 r1
stpcpy w0 r1
strncpy w0:2 r1:2
stpncpy w0:2 r1:2
strcat w0 r1
strncat w0 r1
__strcpy_chk w0 r1
__strncpy_chk w0:2 r1:2
__strcat_chk w0 r1
__stpcpy_chk w0 r1
strlcpy w0:2 r1
strlcat w0:2 r1
strlen r0
strnlen r0:1
strcmp r0 r1
strncmp r0:2 r1:2
strcasecmp r0 r1
strncasecmp r0:2 r1:2
strcoll r0 r1
strchr r0
strrchr r0
strstr r0 r1
strcasestr r0 r1
strpbrk r0 r1
strspn r0 r1
strcspn r0 r1
strtok w0 r1
strtok_r w0 r1 w2=8
strsep w0=8 r1
strdup r0
strndup r0:1
atoi r0
atol r0
atoll r0
atof r0
strtol r0 w1=8
strtoul r0 w1=8
strtoll r0 w1=8
strtoull r0 w1=8
strtod r0 w1=8
strtof r0 w1=8
__isoc23_strtol r0 w1=8
__isoc23_strtoul r0 w1=8
__isoc23_strtoll r0 w1=8
__isoc23_strtoull r0 w1=8
puts r0
fputs r0
fwrite r0:1*2
fread w0:1*2
fgets w0:1
__fgets_chk w0:2
gets w0
getline w0=8 w1=8
getdelim w0=8 w1=8
read w1:2
__read_chk w1:2
write r1:2
pread w1:2
pread64 w1:2
pwrite r1:2
pwrite64 r1:2
recv w1:2
recvfrom w1:2
send r1:2
sendto r1:2
readlink r0 w1:2
getcwd w0:1
realpath r0 w1
gethostname w0:1
getrandom w0:1
printf p0
fprintf p1
dprintf p1
sprintf w0 p1
snprintf w0:1 p2
__printf_chk p1
__fprintf_chk p2
__sprintf_chk w0 p3
__snprintf_chk w0:1 p4
vsprintf w0
vsnprintf w0:1
__vsnprintf_chk w0:1
__vsprintf_chk w0
asprintf w0=8 p1
vasprintf w0=8
scanf s0
fscanf s1
sscanf r0 s1
__isoc99_scanf s0
__isoc99_fscanf s1
__isoc99_sscanf r0 s1
__isoc23_scanf s0
__isoc23_fscanf s1
__isoc23_sscanf r0 s1
time w0=8
gettimeofday w0=16
clock_gettime w1=16
clock_getres w1=16
nanosleep r0=16 w1=16
localtime r0=8
gmtime r0=8
localtime_r r0=8 w1=56
gmtime_r r0=8 w1=56
mktime w0=56
strftime w0:1 r2 r3=56
asctime_r r0=56 w1=26
ctime_r r0=8 w1=26
stat r0 w1=144
stat64 r0 w1=144
lstat r0 w1=144
lstat64 r0 w1=144
fstat w1=144
fstat64 w1=144
fstatat w2=144
getrusage w1=144
times w0=32
uname w0=390
pipe w0=8
pipe2 w0=8
socketpair w3=8
wait w0=4
waitpid w1=4
getsockname w2=4
getpeername w2=4
accept w2=4
accept4 w2=4
getsockopt w4=4
rand_r w0=4
sem_getvalue w1=4
clock_nanosleep r2=16
poll w0
select w1=128 w2=128 w3=128 w4=16
sigemptyset w0=128
sigfillset w0=128
sigaddset w0=128
sigdelset w0=128
sigismember r0=128
free w0
cfree w0
realloc w0
reallocarray w0
_ZdlPv w0
_ZdlPvm w0
_ZdaPv w0
_ZdaPvm w0
_ZdlPvSt11align_val_t w0
_ZdlPvmSt11align_val_t w0
)";

struct Use {
  char how = 'r';  // r, w, p, s
  unsigned argument = 0;
  int64_t bytes = Locations::kUnbounded;
  int length = -1, factor = -1;  // arguments
};
using Table = std::unordered_map<std::string_view, std::vector<Use>>;

template <typename Number>
std::string_view Take(std::string_view word, Number* number) {
  auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), *number);
  return word.substr(static_cast<size_t>(end - word.data()));
}

Use ReadUse(std::string_view word) {
  Use use;
  use.how = word[0];
  word = Take(word.substr(1), &use.argument);
  if (word.starts_with("=")) Take(word.substr(1), &use.bytes);
  if (word.starts_with(":")) word = Take(word.substr(1), &use.length);
  if (word.starts_with("*")) Take(word.substr(1), &use.factor);
  return use;
}

Table ReadTable() {
  Table table;
  std::string_view text = kTable.substr(1);
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text = text.substr(line.size() + 1);
    size_t end = line.find(' ');
    std::vector<Use>& uses = table[line.substr(0, end)];
    while (end != std::string_view::npos) {
      size_t begin = end + 1;
      end = line.find(' ', begin);
      uses.push_back(ReadUse(line.substr(begin, end == std::string_view::npos ? end : end - begin)));
    }
  }
  return table;
}

const Table& Uses() {
  static const Table table = ReadTable();
  return table;
}

// The number that the argument is; kUnbounded when it is not a constant.
int64_t Constant(const llvm::CallBase& call, int number) {
  if (number < 0 || static_cast<unsigned>(number) >= call.arg_size()) return Locations::kUnbounded;
  const auto* value = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(static_cast<unsigned>(number)));
  if (value == nullptr || value->getBitWidth() > 64 || value->isNegative()) return Locations::kUnbounded;
  return value->getSExtValue();
}

int64_t BytesOf(const llvm::CallBase& call, const Use& use) {
  if (use.length < 0) return use.bytes;
  int64_t bytes = Constant(call, use.length);
  if (use.factor < 0 || bytes == Locations::kUnbounded) return bytes;
  int64_t factor = Constant(call, use.factor);
  bool far = factor == Locations::kUnbounded || (factor != 0 && bytes > Locations::kUnbounded / factor);
  return far ? Locations::kUnbounded : bytes * factor;
}

// One conversion of a format: `%*5ld` has the letter d, two bytes more for `l`, and is not stored.
struct Conversion {
  char letter = 0;
  int64_t bytes = Locations::kUnbounded;
  bool skipped = false;
  bool width_argument = false;  // printf's *
};

int64_t SizeOf(char letter, std::string_view length) {
  if (letter == 's' || letter == '[' || letter == 'c') return Locations::kUnbounded;
  if (letter == 'p' || length == "l" || length == "ll" || length == "z" || length == "j" || length == "t") return 8;
  if (length == "L") return 16;
  return length == "hh" ? 1 : length == "h" ? 2 : 4;
}

std::vector<Conversion> Conversions(std::string_view format) {
  std::vector<Conversion> list;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    Conversion one;
    size_t begin = ++i;
    i = std::min(format.find_first_not_of("0123456789*$+-# .'m", i), format.size());
    one.skipped = format.substr(begin, i - begin).find('*') != std::string_view::npos;
    one.width_argument = one.skipped;
    size_t length = i;
    i = std::min(format.find_first_not_of("hlLzjtq", i), format.size());
    if (i == format.size()) break;
    one.letter = format[i];
    if (one.letter == '%') continue;
    one.bytes = SizeOf(one.letter, format.substr(length, i - length));
    if (one.letter == '[') i = std::min(format.find(']', i + 2), format.size() - 1);
    list.push_back(one);
  }
  return list;
}

void AddFormatted(const llvm::CallBase& call, const Use& use, std::vector<LibraryAccess>* all) {
  bool scans = use.how == 's';
  unsigned next = use.argument + 1;
  llvm::StringRef format;
  if (use.argument >= call.arg_size() || !llvm::getConstantStringInfo(call.getArgOperand(use.argument), format)) {
    // Not known: everything that scanf gets may be written.
    for (; scans && next < call.arg_size(); ++next) all->push_back({next, Locations::kUnbounded, true});
    return;
  }
  for (const Conversion& one : Conversions(std::string_view(format.data(), format.size()))) {
    if (scans && one.skipped) continue;
    if (!scans && one.width_argument) ++next;
    if (scans) all->push_back({next, one.bytes, true});
    if (!scans && one.letter == 's') all->push_back({next, Locations::kUnbounded, false});
    if (!scans && one.letter == 'n') all->push_back({next, one.bytes, true});
    ++next;
  }
}

// Strings and streams of the C++ library.
constexpr std::string_view kCxxClasses[] = {"St7__cxx1112basic_string",
                                            "Ss",
                                            "So",
                                            "Si",
                                            "Sd",
                                            "St9basic_ios",
                                            "St8ios_base",
                                            "St15basic_streambuf",
                                            "St13basic_ostream",
                                            "St13basic_istream",
                                            "St14basic_iostream",
                                            "St7__cxx1115basic_stringbuf",
                                            "St7__cxx1118basic_stringstream",
                                            "St7__cxx1119basic_ostringstream",
                                            "St7__cxx1119basic_istringstream",
                                            "St13basic_filebuf",
                                            "St14basic_ofstream",
                                            "St14basic_ifstream",
                                            "St13basic_fstream"};

int64_t ReferredBytes(const llvm::CallBase& call, unsigned argument) {
  uint64_t bytes = call.getParamDereferenceableBytes(argument);
  if (bytes == 0) bytes = call.getCalledFunction()->getParamDereferenceableBytes(argument);
  return bytes == 0 ? Locations::kUnbounded : static_cast<int64_t>(bytes);
}

// Member functions access the object, and read what other arguments refer to: a const one reads the object, any other
// writes it. Swapping and moving write the other one too. What is stored elsewhere for the object (the characters of a
// long string) is accessed only together with it.
std::vector<LibraryAccess> UsesOfMember(const llvm::CallBase& call, std::string_view name) {
  if (!name.starts_with("_ZN")) return {};
  bool reads = name.starts_with("_ZNK");
  std::string_view rest = name.substr(reads ? 4 : 3);
  const auto* known = std::find_if(std::begin(kCxxClasses), std::end(kCxxClasses),
                                   [&](std::string_view one) { return rest.starts_with(one); });
  if (known == std::end(kCxxClasses)) return {};
  bool both = name.find("4swapER") != std::string_view::npos || name.find("EOS") != std::string_view::npos;
  bool copies_out = name.find("4copyEP") != std::string_view::npos;
  std::vector<LibraryAccess> all;
  bool object = true;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (!call.getArgOperand(i)->getType()->isPointerTy() || call.paramHasAttr(i, llvm::Attribute::StructRet)) continue;
    all.push_back({i, ReferredBytes(call, i), object ? !reads : both || copies_out});
    object = false;
  }
  return all;
}

// Operators and functions of streams: `stream << text`, getline.
std::vector<LibraryAccess> UsesOfStreamFunction(const llvm::CallBase& call, std::string_view name) {
  bool out = name.starts_with("_ZStls") || name.starts_with("_ZSt16__ostream_insert");
  bool in = name.starts_with("_ZStrs") || name.starts_with("_ZSt7getline");
  if (!out && !in) return {};
  std::vector<LibraryAccess> all;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (call.getArgOperand(i)->getType()->isPointerTy()) all.push_back({i, ReferredBytes(call, i), i == 0 || in});
  }
  return all;
}

}  // namespace

std::vector<LibraryAccess> CxxLibraryUses(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return {};
  std::string_view name(callee->getName().data(), callee->getName().size());
  std::vector<LibraryAccess> all = UsesOfMember(call, name);
  return all.empty() ? UsesOfStreamFunction(call, name) : all;
}

bool KnowsUsesOf(const llvm::Function& external) {
  return Uses().count(std::string_view(external.getName().data(), external.getName().size())) != 0;
}

std::vector<LibraryAccess> LibraryUses(const llvm::CallBase& call) {
  std::vector<LibraryAccess> all;
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return all;
  auto found = Uses().find(std::string_view(callee->getName().data(), callee->getName().size()));
  if (found == Uses().end()) return all;
  for (const Use& use : found->second) {
    if (use.how == 'p' || use.how == 's') {
      AddFormatted(call, use, &all);
    } else {
      all.push_back({use.argument, BytesOf(call, use), use.how == 'w'});
    }
  }
  std::erase_if(all, [&](const LibraryAccess& one) {
    return one.argument >= call.arg_size() || !call.getArgOperand(one.argument)->getType()->isPointerTy();
  });
  return all;
}

}  // namespace heddle::deadlock
