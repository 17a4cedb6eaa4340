// Descriptors of a checkpoint: described before the copy is made (which would share their
// places with the program that goes on), and made again by the process that takes it up
// (docs/checkpoints.md).
#pragma once

#include "runtime/control/replay/image.h"

namespace heddle::rt::control {

// Into the work: all that are open but the first three and `own`.
void DescribeDescriptors(ImageWork* work, const int* own, int count);
// In the process that took it up, as a replay. Its own descriptors must have other numbers.
void MakeDescriptors(const ImageWork* work);

}  // namespace heddle::rt::control
