// Texts that CMake puts into the binary (src/stream/CMakeLists.txt).
#pragma once

namespace heddle::stream {

extern const char kStandardLibrary[];
extern const char kPaperLibrary[];
extern const char kValueHeader[];
extern const char kTreeHeader[];
extern const char kPrintHeader[];
extern const char kPrimitivesHeader[];
extern const char kAbiHeader[];

}  // namespace heddle::stream
