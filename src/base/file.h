// Whole files in one call, with errors that name the file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace heddle {

// What is no ordinary file (a pipe, a device) gives at most kMostOfDevice bytes; one that has more is an error.
inline constexpr size_t kMostOfDevice = size_t{256} << 20U;
Result<std::string> ReadFile(const std::string& path);

// Replaces `path` in one step (a temporary file beside it, then rename), so that a reader never sees half of it and a
// full disk leaves the old content in place.
Status WriteFileAtomic(const std::string& path, std::string_view content);

// "path: No such file or directory", with the code that fits the errno.
Error ErrnoError(const std::string& what, int error_number);

}  // namespace heddle
