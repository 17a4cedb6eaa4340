// Internal to the reader of tests: the parts that all languages have.
#pragma once

#include <memory>

#include "litmus/syntax/builder.h"

namespace heddle::litmus {

std::unique_ptr<InstructionParser> MakeX86Parser(Arch arch);
std::unique_ptr<InstructionParser> MakeAArch64Parser();
std::unique_ptr<InstructionParser> MakeRiscvParser();
std::unique_ptr<InstructionParser> MakePpcParser();
std::unique_ptr<InstructionParser> MakePtxParser();
std::unique_ptr<InstructionParser> MakeVulkanParser();
std::unique_ptr<InstructionParser> MakeThesisPtxParser();
// Registers of C are variables: any name.
std::unique_ptr<InstructionParser> MakeNoParser();

// { x=0; 0:EAX=1; int y[2]; ... } at the cursor. Registers of threads that are not known yet are kept in `later`.
struct LaterRegister {
  int thread;
  std::string name;
  int64_t value;
};
Status ParseInit(Cursor& cursor, Test& test, const InstructionParser& parser, std::vector<LaterRegister>& later);

// P0 | P1 ; and the rows of instructions under it.
Status ParseTable(Cursor& cursor, Test& test, InstructionParser& parser, const std::vector<LaterRegister>& later);
// P0 (int* x) { ... } P1 ...; the text with C comments blanked out.
Status ParseC(Cursor& cursor, Test& test, const std::vector<LaterRegister>& later);
// What follows the name of a test in the format of GPU_PTX.
Status ParseThesisPtx(Cursor& cursor, Test& test);

// locations [...], filter, exists ... to the end of the text.
Status ParseEnding(Cursor& cursor, Test& test, const InstructionParser& parser);
// A condition without quantifier; the proposition's number.
Result<int> ParseProp(Cursor& cursor, Test& test, const InstructionParser& parser);
// "@cta 0,gpu 0" after the name of a thread.
Status ParseScopes(Cursor& cursor, Scope& scope);
int ThreadNumbered(const Test& test, int64_t number);  // index of thread P<number>, -1: none
bool AtEnding(Cursor& cursor);

}  // namespace heddle::litmus
