// The code of one event: captures its fields and calls the runtime.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>

#include "instrument/pass/aspect_target.h"

namespace heddle::instrument {

// What the fields of an event are taken from. Only what the join-point has is set.
struct JoinPointValues {
  llvm::CallBase* call = nullptr;          // call: arguments, and the result after it
  llvm::Function* body = nullptr;          // body: arguments
  llvm::Value* returned = nullptr;         // after a body; null: it returns nothing
  llvm::Value* address = nullptr;          // of an access
  llvm::Value* bytes = nullptr;            // of an access, i64
  llvm::Value* value = nullptr;            // of an access, when it is known at this point; null: what memory has
  const llvm::Function* callee = nullptr;  // whose types the debug information may tell
};

void EmitEvent(llvm::IRBuilder<>& builder, const WeaveOrder& order, const JoinPointValues& values);

// Tells the runtime of all events that may come, when the module is loaded.
void DeclareEvents(llvm::Module& module, const std::vector<WeaveOrder>& orders);

}  // namespace heddle::instrument
