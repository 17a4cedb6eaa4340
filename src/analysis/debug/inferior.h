// A program under ptrace that is replayed on fibers: all its logical threads run on its first OS thread, which is the
// one that is stopped, stepped and looked at here. Its other OS threads only wait, and are let go on whatever they do.
// All calls come from the thread that started it (ptrace wants that).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/debug/registers.h"
#include "base/result.h"

namespace heddle::analysis {

struct Launch {
  std::vector<std::string> command;
  std::vector<std::string> environment;  // NAME=VALUE, added to ours
  std::string output;                    // a file for standard output and error; emptied at the start
};

struct Stop {
  enum class Kind {
    kStep,        // one instruction was performed
    kBreakpoint,  // stands at one, before its instruction
    kWatch,       // the instruction before wrote to watched memory
    kMarker,      // the runtime's own trap
    kSignal,      // one was sent to the program; it is not delivered yet
    kEnd,         // the process is about to end; its memory is still there
    kGone,        // it has ended
    kInterrupt,   // the caller asked for it
  };
  Kind kind = Kind::kStep;
  int signal = 0;
  uint64_t address = 0;  // kWatch: where
};

struct Watch {
  uint64_t address = 0;
  uint64_t bytes = 0;
  bool reads = false;  // stop at reads as well
  bool operator<(const Watch& other) const {
    return std::tie(address, bytes, reads) < std::tie(other.address, other.bytes, other.reads);
  }
};

class Inferior {
 public:
  // Runs up to the program's entry, behind the constructors of its libraries.
  static Result<std::unique_ptr<Inferior>> Start(const Launch& launch);
  ~Inferior();
  Inferior(const Inferior&) = delete;
  Inferior& operator=(const Inferior&) = delete;

  // `signal` is delivered when it goes on; 0: none. `interrupted` is asked while it runs.
  Stop Continue(int signal = 0);
  Stop Step(int signal = 0);
  void OnWait(std::function<bool()> interrupted) { interrupted_ = std::move(interrupted); }

  // Breakpoints do not show in what is read. The number of bytes that could be read.
  size_t Read(uint64_t address, void* bytes, size_t count) const;
  bool Write(uint64_t address, const void* bytes, size_t count);
  template <typename T>
  std::optional<T> Get(uint64_t address) const {
    T value{};
    if (Read(address, &value, sizeof value) != sizeof value) return std::nullopt;
    return value;
  }

  Registers GetRegisters() const;
  bool SetRegisters(const Registers& registers);
  uint64_t Pc() const;

  // Those in memory that is not mapped yet are put in at a later stop.
  void SetBreakpoints(const std::set<uint64_t>& addresses);
  // At most four, of 1, 2, 4 or 8 aligned bytes. False when the machine cannot.
  bool SetWatches(const std::set<Watch>& watches);

  // The file and the address at which it is mapped, of the module whose path ends so; nothing when there is none.
  std::optional<std::pair<std::string, uint64_t>> FindModule(std::string_view ending) const;
  std::string Auxv() const;
  pid_t pid() const { return pid_; }

 private:
  explicit Inferior(pid_t pid);
  Status RunToEntry();
  Stop Resume(bool step, int signal);
  std::optional<Stop> Understand(int status, bool step);
  Stop TrapStop(bool step);
  void LetGo(pid_t other, int status);
  void HandleFork(pid_t child);
  int Await(bool step);
  void PutIn();
  bool Poke(uint64_t address, unsigned char byte, unsigned char* old);

  pid_t pid_;
  int memory_ = -1;  // /proc/PID/mem
  bool gone_ = false;
  bool ending_ = false;
  std::set<uint64_t> wanted_;
  std::map<uint64_t, unsigned char> inserted_;  // what was there before
  std::vector<Watch> watches_;
  std::function<bool()> interrupted_;
};

}  // namespace heddle::analysis
