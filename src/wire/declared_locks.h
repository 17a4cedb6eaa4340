// How clang's thread-safety attributes come into bitcode, where they would not be: while `heddle cc --bitcode`
// compiles, each of these attributes is a macro that makes it `annotate("heddle:WORD:" "ARGUMENTS")`, which clang
// keeps. The other side is deadlock/declared/declarations.h.
#pragma once

#include <string_view>

namespace heddle::wire {

inline constexpr std::string_view kDeclaredPrefix = "heddle:";

struct DeclaredAttribute {
  std::string_view attribute;  // as clang knows it
  std::string_view word;
};

inline constexpr std::string_view kGuardedBy = "guarded_by";   // accessed only with the lock held
inline constexpr std::string_view kRequires = "requires";      // called only with the lock held
inline constexpr std::string_view kRequiresShared = "shared";  // the same, for reading at least
inline constexpr std::string_view kAcquiredBefore = "before";  // this lock before the arguments
inline constexpr std::string_view kAcquiredAfter = "after";    // this lock after the arguments

inline constexpr DeclaredAttribute kDeclaredAttributes[] = {
    {"guarded_by", kGuardedBy},
    {"requires_capability", kRequires},
    {"exclusive_locks_required", kRequires},
    {"requires_shared_capability", kRequiresShared},
    {"shared_locks_required", kRequiresShared},
    {"acquired_before", kAcquiredBefore},
    {"acquired_after", kAcquiredAfter},
};

}  // namespace heddle::wire
