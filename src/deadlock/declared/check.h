// Whether the program keeps to what its thread-safety attributes say.
//
// - GUARDED_BY: each access to the variable or member, of memory that threads share, has the lock surely held; not what
//   is done before the address is handed out, nor while no other thread runs.
// - REQUIRES: each call of the function has it, while other threads may run.
// - ACQUIRED_BEFORE, ACQUIRED_AFTER, of global locks: nobody waits for the first while it surely holds the second.
#pragma once

#include "deadlock/declared/declarations.h"
#include "deadlock/races/accesses.h"
#include "findings/finding.h"

namespace heddle::deadlock {

class DeclarationCheck {
 public:
  DeclarationCheck(const Declarations& declarations, const Locksets& locksets, const AccessLog& log, Guards& guards)
      : declarations_(declarations),
        locksets_(locksets),
        log_(log),
        guards_(guards),
        locations_(locksets.facts().points().locations()) {}

  // One for each place, in the order of the program.
  std::vector<findings::Finding> Run();

 private:
  void CheckAccess(const Access& access);
  void CheckCalls(const llvm::Function& function, const std::vector<DeclaredLock>& locks);
  void CheckOrder(const Wait& wait);
  bool Alone(const std::set<OriginId>& origins, const std::set<OriginId>& running) const;
  // Whether the location is in the lock, which lies in a global variable.
  bool IsGlobalLock(LocId loc, const DeclaredLock& lock) const;
  bool HasGlobal(const std::vector<MustLock>& must, const DeclaredLock& lock, bool for_reading) const;
  // Whether a lock is held between `begin` and `begin + bytes` of the object.
  bool HasInside(const std::vector<MustLock>& must, ObjectId object, int64_t begin, int64_t bytes,
                 bool for_reading) const;
  bool HasAtCall(const llvm::CallBase& call, const DeclaredLock& lock) const;
  bool HasAtEntry(const Context& context, const DeclaredLock& lock) const;
  bool Required(const Access& access, const llvm::Value* pointer, const DeclaredLock& lock, int64_t distance) const;
  void AddCall(const llvm::Function& function, const DeclaredLock& lock, Stack stack, const std::set<OriginId>& origins,
               const std::vector<MustLock>& must);
  void Add(const std::string& message, const DeclaredLock& lock, const std::string& what, Stack stack,
           const std::set<OriginId>& origins, const std::vector<MustLock>& must, const std::string& help);

  const Declarations& declarations_;
  const Locksets& locksets_;
  const AccessLog& log_;
  Guards& guards_;
  const Locations& locations_;
  std::map<std::string, findings::Finding> found_;  // by place and what is wrong there
};

}  // namespace heddle::deadlock
