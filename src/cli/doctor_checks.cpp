#include "cli/doctor_checks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/file.h"
#include "wire/environment.h"

namespace heddle::cli {
namespace {

Check Ok(std::string name, std::string detail) { return {std::move(name), CheckResult::kOk, std::move(detail), ""}; }

// The full path of a program on PATH, empty when there is none.
std::string OnPath(const std::string& program) {
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0 ? program : "";
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    size_t end = std::min(rest.find(':'), rest.size());
    std::string candidate = std::string(rest.substr(0, end)) + "/" + program;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

// First line of `PROGRAM --version`; only for fixed names and files found by OnPath.
std::string VersionOf(const std::string& path) {
  std::FILE* pipe = popen(fmt::format("'{}' --version 2>/dev/null", path).c_str(), "r");  // NOLINT
  if (pipe == nullptr) return {};
  std::array<char, 256> line{};
  bool any = std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr;
  pclose(pipe);
  std::string text = any ? line.data() : "";
  text.erase(text.find_last_not_of("\n\r ") + 1);
  return text;
}

Check Tool(const std::string& name, const std::string& program, CheckResult if_missing, const std::string& fix) {
  std::string path = OnPath(program);
  if (path.empty() || path.find('\'') != std::string::npos) return {name, if_missing, program + " is not on PATH", fix};
  return Ok(name, fmt::format("{} ({})", path, VersionOf(path)));
}

Check Platform() {
  utsname name{};
  uname(&name);
  std::string detail = fmt::format("{} {} {}", name.sysname, name.release, name.machine);
  if (std::string_view(name.sysname) == "Linux" && std::string_view(name.machine) == "x86_64") {
    return Ok("platform", detail);
  }
  return {"platform", CheckResult::kMissing, detail, "heddle runs on x86-64 Linux"};
}

Check PartOfHeddle(const std::string& name, const std::string& lib_folder, const std::string& file) {
  std::string path = lib_folder + "/" + file;
  if (access(path.c_str(), R_OK) == 0) return Ok(name, path);
  return {name, CheckResult::kMissing, path + " is not there", "install or build heddle again: cmake --build build"};
}

// Tries the switch and puts it back: a container's seccomp filter may forbid it.
Check AddressRandomisation() {
  constexpr unsigned long kQuery = 0xffffffff;
  int before = personality(kQuery);
  bool works = before >= 0 && personality(static_cast<unsigned long>(before) | ADDR_NO_RANDOMIZE) >= 0 &&
               (personality(kQuery) & ADDR_NO_RANDOMIZE) != 0;
  if (before >= 0) personality(static_cast<unsigned long>(before));
  if (works) return Ok("personality", "address randomisation can be switched off");
  return {"personality", CheckResult::kMissing, "address randomisation cannot be switched off",
          "run the container with --security-opt seccomp=unconfined; replay and exploration need the same addresses"};
}

Check FsGsBase() {
  constexpr unsigned long kFsGsBase = 2;  // HWCAP2_FSGSBASE
  if ((getauxval(AT_HWCAP2) & kFsGsBase) != 0) return Ok("fsgsbase", "user code may set its TLS base");
  return {"fsgsbase", CheckResult::kHint, "the kernel does not allow wrfsbase (before Linux 5.9, or nofsgsbase)",
          "use --carrier os; the fiber carrier would need a system call for each switch"};
}

Check LibcDebugInfo() {
  std::error_code failure;
  if (std::filesystem::exists("/usr/lib/debug/.build-id", failure)) return Ok("debug info", "/usr/lib/debug/.build-id");
  return {"debug info", CheckResult::kHint, "no separate debug info for the system's libraries",
          "apt-get install libc6-dbg names the functions inside libc; your own code does not need it"};
}

Check LargeReservation() {
  constexpr size_t kReserve = size_t{1} << 40U;
  void* place = mmap(nullptr, kReserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place != MAP_FAILED) {
    munmap(place, kReserve);
    return Ok("address space", "1 TiB can be reserved");
  }
  return {"address space", CheckResult::kHint, "1 TiB of address space cannot be reserved",
          "ulimit -v unlimited; shadow memory needs it"};
}

// Seconds to write `size` bytes to a new file in `folder`; negative when that fails.
double WriteTime(const std::string& folder, size_t size) {
  std::string path = fmt::format("{}/heddle-doctor-{}", folder, getpid());
  int fd = open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  unlink(path.c_str());
  std::string block(1U << 20U, 'x');
  auto begin = std::chrono::steady_clock::now();
  bool good = true;
  for (size_t done = 0; done < size && good; done += block.size()) {
    good = write(fd, block.data(), block.size()) == static_cast<ssize_t>(block.size());
  }
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  close(fd);
  return good ? took.count() : -1;
}

Check SharedMemory() {
  constexpr size_t kSize = size_t{16} << 20U;
  constexpr double kMega = 1048576.0;
  struct statvfs info{};
  std::string fix = "mount a tmpfs on /dev/shm of 256 MiB or more (docker run --shm-size=1g)";
  if (statvfs("/dev/shm", &info) != 0) return {"/dev/shm", CheckResult::kHint, "not there", fix};
  double free_mega = static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize) / kMega;
  double seconds = WriteTime("/dev/shm", kSize);
  if (seconds < 0) return {"/dev/shm", CheckResult::kHint, "cannot be written", fix};
  double rate = static_cast<double>(kSize) / kMega / std::max(seconds, 1e-9);
  std::string detail = fmt::format("{:.0f} MiB free, {:.0f} MiB/s", free_mega, rate);
  if (free_mega < 256 || rate < 200) return {"/dev/shm", CheckResult::kHint, detail, fix};
  return Ok("/dev/shm", detail);
}

struct Limit {
  const char* name;
  int resource;
  rlim_t least;
  const char* flag;
  rlim_t unit;  // of ulimit, in bytes or pieces
};

Check OneLimit(const Limit& limit) {
  rlimit value{};
  getrlimit(static_cast<__rlimit_resource_t>(limit.resource), &value);
  std::string shown = value.rlim_cur == RLIM_INFINITY ? "unlimited" : fmt::format("{}", value.rlim_cur);
  if (value.rlim_cur >= limit.least) return Ok(limit.name, shown);
  return {limit.name, CheckResult::kHint, fmt::format("{}, {} is better", shown, limit.least),
          fmt::format("ulimit {} {}", limit.flag, limit.least / limit.unit)};
}

}  // namespace

std::string LibFolder() {
  std::error_code failure;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failure);
  return failure ? std::string() : (self.parent_path().parent_path() / "lib").string();
}

std::vector<Check> RunChecks(const std::string& lib_folder) {
  const char* chosen = std::getenv(wire::variable::kCc);
  std::string compiler = chosen != nullptr && *chosen != '\0' ? chosen : "clang-19";
  std::vector<Check> checks = {
      Platform(),
      Tool("compiler", compiler, CheckResult::kMissing, "apt-get install clang-19, or set HEDDLE_CC"),
      Tool("gcc", "gcc", CheckResult::kHint, "apt-get install gcc, to build with HEDDLE_CC=gcc"),
      PartOfHeddle("runtime", lib_folder, "libheddle_rt.so"),
      PartOfHeddle("pass plugin", lib_folder, "heddle_pass.so"),
      AddressRandomisation(),
      FsGsBase(),
      LargeReservation(),
      SharedMemory(),
      Tool("gdb", "gdb", CheckResult::kHint, "apt-get install gdb, for heddle replay --gdb"),
      LibcDebugInfo(),
  };
  static constexpr std::array<Limit, 3> kLimits = {{{"open files", RLIMIT_NOFILE, 1024, "-n", 1},
                                                    {"processes", RLIMIT_NPROC, 4096, "-u", 1},
                                                    {"stack", RLIMIT_STACK, 8U << 20U, "-s", 1024}}};
  for (const Limit& limit : kLimits) checks.push_back(OneLimit(limit));
  return checks;
}

}  // namespace heddle::cli
