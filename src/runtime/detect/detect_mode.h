// Detect mode: threads run freely, every access is checked against what other threads did (docs/detect.md).
#pragma once

namespace heddle::rt {

// Creates the file for findings and describes the process in it. False when that failed; the mode is then off.
bool StartDetect(const char* path);

}  // namespace heddle::rt
