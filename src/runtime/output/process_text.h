// The text chunks of a trace: which modules are loaded, which threads there are, the command line.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::rt {

struct Thread;

// Where the lines go; the trace, unless a mode says otherwise.
// Null: nowhere.
void SetTextSink(void (*sink)(const char* text, size_t bytes));

void WriteProcessText();  // command line and modules
void WriteModulesText();  // modules that were not written yet
void WriteThreadText(const Thread* thread);
void WriteNameText(uint32_t thread, const char* name);
void WriteStringText(uint64_t id, const char* text);

// The calling thread's stack.
void StackRange(void** low, size_t* bytes);

void LockText();  // around fork
void UnlockText();

}  // namespace heddle::rt
