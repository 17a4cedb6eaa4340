// Variables that the linker puts side by side, so that the program finds them without their names: an attribute names
// their section, and the linker defines __start_SECTION and __stop_SECTION.
#pragma once

#include <set>

namespace llvm {
class GlobalVariable;
class Module;
}  // namespace llvm

namespace heddle::deadlock {

// Makes one array, or one structure, of the variables of a section whose start or end the program declares.
void JoinSections(llvm::Module& module);

// Variables in other sections that the program names itself: somebody may find them by where they are.
std::set<const llvm::GlobalVariable*> FoundByPlace(const llvm::Module& module);

}  // namespace heddle::deadlock
