// The other side of gdb's remote protocol: a replay that gdb can run backwards. `heddle replay --gdb --reverse` starts
// gdb with it (docs/record-replay.md).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "analysis/debug/packets.h"
#include "analysis/debug/timeline.h"
#include "base/result.h"

namespace heddle::analysis {

class DebugStub {
 public:
  // `show`: is given what the program printed, each part once, however often it is run.
  DebugStub(const Launch& launch, std::function<void(std::string_view)> show);

  // Runs the program to the finding (or its end, or a fatal signal). Errors: it cannot be started.
  Status Begin();

  // Talks to gdb on a connected socket until gdb leaves.
  void Serve(int connection);

  // The answer to one packet. `over`: gdb leaves.
  std::string Answer(std::string_view packet, bool& over);

 private:
  LiveExecution& now() { return static_cast<LiveExecution&>(timeline_.now()); }
  std::string Query(std::string_view packet);
  std::string Transfer(const std::string& content, std::string_view range);
  std::string ReadMemory(std::string_view rest);
  std::string WriteMemory(std::string_view rest);
  std::string ReadRegisters();
  std::string WriteRegisters(std::string_view rest);
  std::string OneRegister(std::string_view rest, bool write);
  std::string ChangeStop(std::string_view packet);
  std::string Resume(std::string_view packet);
  std::string Backwards(bool step);
  std::string StopText(const Stop& stop, std::string_view extra = "");
  std::string ThreadList();
  std::string ThreadName(std::string_view rest);
  LogicalThread Selected();
  void ShowOutput();

  Launch launch_;
  std::function<void(std::string_view)> show_;
  Timeline timeline_;
  Stop last_;
  uint64_t selected_ = 0;  // gdb's number of the thread whose registers it asks for; 0: the running one
  std::set<uint64_t> breakpoints_;
  std::set<Watch> watches_;
  uint64_t shown_ = 0;
  int connection_ = -1;
  PacketReader reader_;
};

}  // namespace heddle::analysis
