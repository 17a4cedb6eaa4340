// Harnesses for GPUs: an OpenCL program around an OPENCL test, a CUDA program around a test of PTX or GPU_PTX.
//
// The threads of the test are placed as its scope tree says: each CTA or work-group of the test is one of the launch,
// and each thread is the first lane of a warp (CUDA) or a work-item of its own (OpenCL). Further groups only disturb
// memory. Each iteration has its own locations. Threads wait for each other before it, but never for ever: a device
// that does not run all groups at once goes on without them. Both programs print lines "count value value ..." like
// harness.h, and end with kNoDevice when there is no device.
#pragma once

#include <string>

#include "base/result.h"
#include "litmus/optcheck/cubin.h"
#include "litmus/run/harness.h"
#include "litmus/syntax/test.h"

namespace heddle::litmus {

inline constexpr int kNoDevice = 77;

Result<std::string> WriteOpenClHarness(const Test& test, const std::string& source, const HarnessOptions& options);
// What optcheck compares the cubin of a CUDA harness with.
std::vector<CubinThread> CubinThreads(const Test& test);
Result<std::string> WriteCudaHarness(const Test& test, const std::string& source, const HarnessOptions& options);

}  // namespace heddle::litmus
