// Compilers, levels and targets, and building with them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "refine/trace/image.h"

namespace heddle::refine {

struct BuildSpec {
  std::string compiler;  // "gcc", "clang-19", a path
  std::string level;     // "O0"
  const ArchInfo* target = nullptr;
  std::vector<std::string> flags;  // the user's

  bool IsClang() const;
  std::string Label() const;  // "gcc -O3 for aarch64"
};

// What the compiler is asked for beside the user's flags.
enum class BuildKind {
  kReference,  // with all debug information: memory locations
  kOptimised,  // with lines only
  kSanitized,  // undefined behaviour traps
};

std::vector<std::string> CompileCommand(const BuildSpec& spec, BuildKind kind, const std::string& source,
                                        const std::string& object);

// Compiles and links in `folder`, which must be the build's own. kUnsupported when the compiler is missing, kBadInput
// with its messages when it fails.
Result<Image> BuildImage(const BuildSpec& spec, BuildKind kind, const std::string& source, const std::string& folder,
                         std::shared_ptr<const Layouts> layouts);

// The source with its headers and macros, and line markers. Errors as of BuildImage.
Result<std::string> PreprocessedText(const BuildSpec& spec, const std::string& source, const std::string& folder);

// gcc x {O0, O3} x {x86_64, ...}, in this order; for each target and compiler the lowest level first.
Result<std::vector<BuildSpec>> MakeSpecs(const std::string& compilers, const std::string& levels,
                                         const std::string& targets, const std::vector<std::string>& flags);

}  // namespace heddle::refine
