#include "analysis/debug/execution.h"

#include <cstring>

namespace heddle::analysis {

Result<std::unique_ptr<LiveExecution>> LiveExecution::Start(const Launch& launch) {
  Result<std::unique_ptr<Inferior>> program = Inferior::Start(launch);
  if (!program) return program.error();
  std::optional<RuntimeView> view = RuntimeView::Find(**program);
  if (!view) {
    return MakeError(ErrorCode::kUnsupported, launch.command[0] + ": the program was not built with heddle cc");
  }
  return std::unique_ptr<LiveExecution>(new LiveExecution(program.Take(), *view));
}

MachineState LiveExecution::State() const {
  constexpr size_t kStackWords = 64;
  Registers registers = program_->GetRegisters();
  MachineState state{registers.general.rip, registers.general.rsp, {}};
  state.words.resize(sizeof registers.general / sizeof(uint64_t) + kStackWords);
  std::memcpy(state.words.data(), &registers.general, sizeof registers.general);
  program_->Read(state.stack, &state.words[state.words.size() - kStackWords], kStackWords * sizeof(uint64_t));
  return state;
}

}  // namespace heddle::analysis
