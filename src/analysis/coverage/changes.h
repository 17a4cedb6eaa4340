// What changed in the source since a revision: files, and in each the lines as they are now.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace heddle::analysis {

struct ChangedLines {
  uint32_t first = 0;  // the first line of the new text; of a deletion, the line before it
  uint32_t count = 0;  // 0: lines were only taken away

  bool operator==(const ChangedLines&) const = default;
};

struct ChangedFile {
  std::string path;                 // absolute
  std::vector<ChangedLines> lines;  // empty: not known, the whole file
  bool outside = false;             // a line that means something beyond its function changed: #define, constexpr

  bool operator==(const ChangedFile&) const = default;
};

// `text` is what `git diff -U0` printed; its paths are relative to `folder`.
std::vector<ChangedFile> ParseDiff(std::string_view text, const std::string& folder);

// From `revision` to the files on disk, and files that git does not know yet. `ignored`: a folder whose files do not
// count (the results). An error when git does not know the revision or there is no repository.
Result<std::vector<ChangedFile>> ChangesSince(const std::string& revision, const std::string& ignored);

}  // namespace heddle::analysis
