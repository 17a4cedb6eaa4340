// Destructor functions: main begins with __cxa_atexit(f, null, null) for each function of llvm.global_dtors and of the
// section .fini_array.
//
// Exceptions: __cxa_throw(object, type, f), and __cxa_init_primary_exception of std::make_exception_ptr, keep f and the
// object in two global variables; each __cxa_end_catch, and
// each end of a std::exception_ptr, may call what is there first, in its thread and with what that holds.
//
// Allocation functions: `operator new`, malloc and their like are known by name, as functions that return new memory.
// If the program defines one, its body is called before the known function: f(n) becomes body(n); f(n).
#include "deadlock/input/hidden_calls.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace heddle::deadlock {
namespace {

using llvm::CallBase;
using llvm::Function;

std::vector<CallBase*> CallsOf(Function* function) {
  std::vector<CallBase*> calls;
  for (llvm::User* user : function->users()) {
    auto* call = llvm::dyn_cast<CallBase>(user);
    if (call != nullptr && call->getCalledFunction() == function) calls.push_back(call);
  }
  return calls;
}

void AddFunctions(const llvm::Constant* constant, std::vector<Function*>* functions) {
  if (auto* function = llvm::dyn_cast<Function>(const_cast<llvm::Constant*>(constant)->stripPointerCasts())) {
    if (!function->isDeclaration()) functions->push_back(function);
    return;
  }
  if (!llvm::isa<llvm::ConstantAggregate>(constant)) return;
  for (const llvm::Use& part : constant->operands()) AddFunctions(llvm::cast<llvm::Constant>(part), functions);
}

void RunDestructorsAtExit(llvm::Module& module) {
  Function* main = module.getFunction("main");
  if (main == nullptr || main->isDeclaration()) return;
  std::vector<Function*> functions;
  for (const llvm::GlobalVariable& global : module.globals()) {
    bool at_exit = global.getName() == "llvm.global_dtors" || global.getSection().starts_with(".fini_array") ||
                   global.getSection().starts_with(".dtors");
    if (at_exit && global.hasInitializer()) AddFunctions(global.getInitializer(), &functions);
  }
  if (functions.empty()) return;
  llvm::Type* pointer = llvm::PointerType::getUnqual(module.getContext());
  llvm::FunctionCallee keep = module.getOrInsertFunction("__cxa_atexit", llvm::Type::getInt32Ty(module.getContext()),
                                                         pointer, pointer, pointer);
  llvm::Value* null = llvm::Constant::getNullValue(pointer);
  llvm::IRBuilder<> builder(&*main->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (Function* function : functions) builder.CreateCall(keep, {function, null, null});
}

llvm::GlobalVariable* NewVariable(llvm::Module& module, llvm::Type* type, const char* name) {
  return new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                                  llvm::Constant::getNullValue(type), name);
}

// The end of a handler, or of a pointer to the exception, as a function: perhaps destroys the exception object.
Function* MakeEnd(llvm::Module& module, Function* end, llvm::GlobalVariable* object, llvm::GlobalVariable* destroy) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  Function* made =
      Function::Create(end->getFunctionType(), llvm::GlobalValue::InternalLinkage, "heddle_last_use", module);
  llvm::GlobalVariable* choice = NewVariable(module, llvm::Type::getInt1Ty(context), "heddle_last_handler");
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(context, "", made);
  llvm::BasicBlock* last = llvm::BasicBlock::Create(context, "", made);
  llvm::BasicBlock* leave = llvm::BasicBlock::Create(context, "", made);
  llvm::IRBuilder<> builder(entry);
  builder.CreateCondBr(builder.CreateLoad(builder.getInt1Ty(), choice, true), last, leave);
  builder.SetInsertPoint(last);
  llvm::Value* what = builder.CreateLoad(pointer, destroy);
  builder.CreateCall(llvm::FunctionType::get(builder.getVoidTy(), {pointer}, false), what,
                     {builder.CreateLoad(pointer, object)});
  builder.CreateBr(leave);
  builder.SetInsertPoint(leave);
  std::vector<llvm::Value*> arguments;
  for (llvm::Argument& argument : made->args()) arguments.push_back(&argument);
  builder.CreateCall(end->getFunctionType(), end, arguments);
  builder.CreateRetVoid();
  return made;
}

void DestroyExceptions(llvm::Module& module) {
  std::vector<Function*> ends;
  for (const char* name : {"__cxa_end_catch", "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"}) {
    Function* end = module.getFunction(name);
    if (end != nullptr && end->isDeclaration() && end->getReturnType()->isVoidTy()) ends.push_back(end);
  }
  std::vector<CallBase*> throws;
  for (const char* name : {"__cxa_throw", "__cxa_init_primary_exception"}) {
    Function* makes = module.getFunction(name);
    for (CallBase* call : makes == nullptr ? std::vector<CallBase*>{} : CallsOf(makes)) {
      const auto* destructor = llvm::dyn_cast<Function>(call->getArgOperand(2)->stripPointerCasts());
      if (destructor != nullptr && !destructor->isDeclaration()) throws.push_back(call);
    }
  }
  if (throws.empty() || ends.empty()) return;
  llvm::Type* pointer = llvm::PointerType::getUnqual(module.getContext());
  llvm::GlobalVariable* object = NewVariable(module, pointer, "heddle_thrown_object");
  llvm::GlobalVariable* destroy = NewVariable(module, pointer, "heddle_thrown_destructor");
  for (CallBase* call : throws) {
    llvm::IRBuilder<> builder(call);
    builder.CreateStore(call->getArgOperand(0), object);
    builder.CreateStore(call->getArgOperand(2), destroy);
  }
  for (Function* end : ends) {
    std::vector<CallBase*> calls = CallsOf(end);
    Function* made = MakeEnd(module, end, object, destroy);
    for (CallBase* call : calls) {
      call->setCalledFunction(made);
      call->removeFnAttr(llvm::Attribute::Memory);
    }
  }
}

constexpr const char* kOwnName = "heddle_own_";

bool IsAllocation(llvm::StringRef name) {
  for (const char* known : {"malloc", "calloc", "realloc", "free", "aligned_alloc", "memalign", "posix_memalign"}) {
    if (name == known) return true;
  }
  return name.starts_with("_Znw") || name.starts_with("_Zna") || name.starts_with("_Zdl") || name.starts_with("_Zda");
}

void CallOwnAllocation(llvm::Module& module) {
  std::vector<Function*> own;
  for (Function& function : module) {
    if (!function.isDeclaration() && IsAllocation(function.getName())) own.push_back(&function);
  }
  if (!own.empty()) module.getOrInsertNamedMetadata(kOwnAllocation);
  for (Function* function : own) {
    std::string name = function->getName().str();
    function->setName(kOwnName + name);
    Function* known = Function::Create(function->getFunctionType(), llvm::GlobalValue::ExternalLinkage, name, module);
    known->setAttributes(function->getAttributes());
    function->replaceAllUsesWith(known);
    for (CallBase* call : CallsOf(known)) {
      std::vector<llvm::Value*> arguments(call->arg_begin(), call->arg_end());
      llvm::CallInst* body = llvm::CallInst::Create(function, arguments, "", call->getIterator());
      body->setDebugLoc(call->getDebugLoc());
    }
  }
}

}  // namespace

bool IsOwnAllocation(const llvm::Function& function) { return function.getName().starts_with(kOwnName); }

void ShowHiddenCalls(llvm::Module& module) {
  RunDestructorsAtExit(module);
  DestroyExceptions(module);
  CallOwnAllocation(module);
}

}  // namespace heddle::deadlock
