// Processes that a program leaves behind. heddle adopts orphans (it is their subreaper), so that it can find them: a
// time limit or an interrupt ends all that the program has started, not only its first process.
#pragma once

#include <sys/types.h>

#include <vector>

namespace heddle::analysis {

// From now on, orphaned descendants become children of this process.
void AdoptOrphans();

// Children of heddle that are no orphans.
void NoteChild(pid_t pid);
void ForgetChild(pid_t pid);

// All that descend from this process and are no zombies. Orphans that have ended are waited for.
std::vector<pid_t> LivingDescendants();

// SIGKILL for the process and all its descendants.
void KillTree(pid_t pid);

// The same for every orphan that was adopted. They are waited for.
void KillOrphans();

}  // namespace heddle::analysis
