// What the instructions of model programs are to a search: their objects, halves and conditions. For tests.
#pragma once

#include <map>
#include <string>

#include "explore/model_program.h"

namespace heddle::explore {

// Cells, locks and so on have numbers of their own: the key makes them different objects.
uint64_t Key(Instruction::What what, uint32_t object);
uint64_t RoundKey(uint32_t barrier, uint32_t round);

// The second half of an operation that has two.
Instruction::What SecondOf(Instruction::What what);

bool Awaits(const Instruction& instruction);
void SetAwait(ExploredEvent& event, const Instruction& instruction);
wire::Condition AwaitCondition(Instruction::What what);

// An access to cells, which are neighbours of four bytes.
void SetMemory(ExploredEvent& event, const Instruction& instruction, std::map<uint32_t, uint32_t>& cells);
// What nobody looks at commutes.
void SetCommutes(ExploredEvent& event, const Instruction& instruction);
// An operation that writes or not did.
void SetWrites(ExploredEvent& event, bool writes);

// C11: the same for the same graph, in whatever order its events came.
std::string GraphText(const sched::C11Graph& graph, const Execution& execution);

}  // namespace heddle::explore
