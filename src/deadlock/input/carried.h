// Bitcode that compiled files carry (wire/embedded_bitcode.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace heddle::deadlock {

// An error of input that names the file.
Error BadFile(const std::string& path, const std::string& what);

// Whether the bytes of a file are an object or a program, not bitcode.
bool IsCompiled(std::string_view bytes);

// The bitcode of each source of the compiled file; views into `bytes`. An error when there is none, or the file is
// damaged.
Result<std::vector<std::string_view>> CarriedBitcode(const std::string& path, std::string_view bytes);

// Links what the program `path` carries and writes it to `output`. Nothing is written when it carries nothing.
Status WriteCarriedBitcode(const std::string& path, const std::string& output);

}  // namespace heddle::deadlock
