#include <fmt/format.h>

#include "litmus/run/body.h"
#include "litmus/run/gpu_harness.h"
#include "litmus/run/gpu_placement.h"

namespace heddle::litmus {
namespace {

constexpr const char* kOpenclKernelTail = R"(
__kernel void Run(__global int* memory, __global long* results, __global atomic_int* arrived, __global int* scratch,
                  int patience, uint seed) {
  int group = (int)get_group_id(0);
  int lane = (int)get_local_id(0);
  uint random = seed * 2654435761u + (uint)get_global_id(0) * 40503u + 1u;
  if (group >= GROUPS) {
    // Disturbs memory until the threads of the test are done, or for a while.
    for (int i = 0; i < 4096; ++i) {
      random = random * 1664525u + 1013904223u;
      scratch[random % SCRATCH] = (int)random;
    }
    return;
  }
  LOCAL_BEGIN
  int thread = -1;
  WHICH
  if (thread >= 0) {
    for (int i = 0; i < ROUND; ++i) {
      atomic_fetch_add_explicit(&arrived[i], 1, memory_order_relaxed, memory_scope_device);
      for (int turns = 0; turns < patience; ++turns) {
        if (atomic_load_explicit(&arrived[i], memory_order_relaxed, memory_scope_device) >= THREADS) break;
      }
      random = random * 1664525u + 1013904223u;
      for (volatile uint wait = random >> 28; wait > 0; --wait) {}
      BODIES
    }
  }
  LOCAL_END
}
)";

constexpr const char* kOpenclHost = R"(
#define CHECK(call, what) \
  do { cl_int code_ = (call); if (code_ != CL_SUCCESS) { fprintf(stderr, "OpenCL: %s: error %d\n", what, code_); exit(6); } } while (0)

int main(int count, char** arguments) {
  long iterations = count > 1 ? atol(arguments[1]) : 100000;
  double seconds = count > 2 ? atof(arguments[2]) : 0;
  unsigned seed = count > 3 ? (unsigned)atol(arguments[3]) : 1;
  cl_platform_id platforms[16];
  cl_uint platform_count = 0;
  cl_device_id device = NULL;
  if (clGetPlatformIDs(16, platforms, &platform_count) != CL_SUCCESS) platform_count = 0;
  for (cl_uint i = 0; i < platform_count && i < 16 && device == NULL; ++i) {
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) device = NULL;
  }
  if (device == NULL) return 77;
  cl_int code = 0;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  CHECK(code, "context");
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
  CHECK(code, "queue");
  cl_program program = clCreateProgramWithSource(context, 1, &kKernel, NULL, &code);
  CHECK(code, "program");
  if (clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL) != CL_SUCCESS) {
    static char log[20000];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fprintf(stderr, "%s\n", log);
    return 6;
  }
  cl_kernel kernel = clCreateKernel(program, "Run", &code);
  CHECK(code, "kernel");
  cl_uint units = 1;
  clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  size_t memory_size = sizeof(int) * ROUND * CELLS * STRIDE_INTS;
  size_t results_size = sizeof(cl_long) * ROUND * OBSERVED;
  int* start = calloc(1, memory_size);
  int* memory = malloc(memory_size);
  cl_long* results = calloc(1, results_size);
  int* zero = calloc(ROUND, sizeof(int));
  if (start == NULL || memory == NULL || results == NULL || zero == NULL) return 5;
  Prepare(start);
  cl_mem buffers[4];
  buffers[0] = clCreateBuffer(context, CL_MEM_READ_WRITE, memory_size, NULL, &code);
  CHECK(code, "memory");
  buffers[1] = clCreateBuffer(context, CL_MEM_READ_WRITE, results_size, NULL, &code);
  CHECK(code, "memory");
  buffers[2] = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(int) * ROUND, NULL, &code);
  CHECK(code, "memory");
  buffers[3] = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(int) * SCRATCH, NULL, &code);
  CHECK(code, "memory");
  // Groups that do not run at once cannot wait for each other; nor can the items of a group that one processor runs.
  int together = units >= GROUPS && LANES == 1;
  cl_int patience = together ? 100000 : 200;
  size_t groups = GROUPS + (units > GROUPS ? STRESS : 0);
  size_t local = LANES;
  size_t global = groups * local;
  double end = Now() + seconds;
  for (long done = 0; done < iterations; done += ROUND) {
    CHECK(clEnqueueWriteBuffer(queue, buffers[0], CL_TRUE, 0, memory_size, start, 0, NULL, NULL), "write");
    CHECK(clEnqueueWriteBuffer(queue, buffers[2], CL_TRUE, 0, sizeof(int) * ROUND, zero, 0, NULL, NULL), "write");
    cl_uint mine = seed++;
    for (cl_uint i = 0; i < 4; ++i) CHECK(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), "argument");
    CHECK(clSetKernelArg(kernel, 4, sizeof patience, &patience), "argument");
    CHECK(clSetKernelArg(kernel, 5, sizeof mine, &mine), "argument");
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
    CHECK(clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, memory_size, memory, 0, NULL, NULL), "read");
    CHECK(clEnqueueReadBuffer(queue, buffers[1], CL_TRUE, 0, results_size, results, 0, NULL, NULL), "read");
    for (long i = 0; i < ROUND; ++i) {
      long long state[WIDTH] = {0};
      Final(i, memory, results, state);
      CountState(state);
    }
    if (seconds > 0 && Now() > end) break;
  }
  PrintStates();
  return 0;
}
)";

std::string CString(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '\n') {
      out += "\\n\"\n  \"";
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + "\"";
}

class OpenClWriter {
 public:
  OpenClWriter(const Test& test, const HarnessOptions& options) : test_(test), options_(options) {}

  Result<std::string> Run(const std::string& source) {
    Result<GpuPlacement> placement = PlaceThreads(test_);
    if (!placement) return placement.error();
    placement_ = *placement;
    for (const Cell& cell : test_.cells) local_ = local_ || InGroupMemory(cell);
    size_t registers = 0;
    for (const Observed& observed : test_.observed) registers += observed.thread >= 0 ? 1 : 0;
    Result<std::string> kernel = Kernel();
    if (!kernel) return kernel.error();
    std::string defines = fmt::format(
        "#define THREADS {}\n#define GROUPS {}\n#define LANES {}\n#define CELLS {}\n#define OBSERVED {}\n"
        "#define ROUND {}\n#define STRIDE_INTS {}\n#define SCRATCH 65536\n",
        test_.threads.size(), placement_.groups, placement_.lanes, std::max<size_t>(1, test_.cells.size()),
        std::max<size_t>(1, registers), local_ ? 128 : options_.round, std::max(1, options_.stride / 4));
    std::string out = "// Written by heddle litmus run.\n// " + source + "\n";
    out +=
        "#define _GNU_SOURCE\n#define CL_TARGET_OPENCL_VERSION 300\n#include <CL/cl.h>\n#include <stdio.h>\n"
        "#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n";
    out += defines + fmt::format("#define WIDTH {}\n#define STRESS {}\n", std::max<size_t>(1, test_.observed.size()),
                                 options_.stress);
    out += "static const char* kKernel =\n  " + CString(defines + *kernel) + ";\n";
    out += "static void Prepare(int* memory) {\n  for (long i = 0; i < ROUND; ++i) {\n";
    for (size_t c = 0; c < test_.cells.size(); ++c) {
      out += fmt::format("    memory[(i * CELLS + {}) * STRIDE_INTS] = {};\n", c, test_.cells[c].init);
    }
    out += "  }\n}\nstatic void Final(long i, const int* memory, const cl_long* results, long long* state) {\n";
    size_t slot = 0;
    for (size_t k = 0; k < test_.observed.size(); ++k) {
      out += test_.observed[k].thread < 0
                 ? fmt::format("  state[{}] = memory[(i * CELLS + {}) * STRIDE_INTS];\n", k, test_.observed[k].index)
                 : fmt::format("  state[{}] = results[i * OBSERVED + {}];\n", k, slot++);
    }
    return out + "}\n" + kGpuCounting + kOpenclHost;
  }

 private:
  Result<std::string> Kernel() {
    std::string bodies;
    std::string which;
    std::string functions;
    for (size_t t = 0; t < test_.threads.size(); ++t) {
      Result<BodyText> body = WriteBody(test_, test_.threads[t]);
      if (!body) return body.error();
      bodies += fmt::format("      if (thread == {}) {{\n{}", t, body->registers);
      for (size_t c = 0; c < test_.cells.size(); ++c) {
        bodies +=
            InGroupMemory(test_.cells[c])
                ? fmt::format("    volatile __local int* p{} = &cells[i * CELLS + {}];\n", c, c)
                : fmt::format("    volatile __global int* p{} = &memory[(i * CELLS + {}) * STRIDE_INTS];\n", c, c);
      }
      bodies += body->code;
      size_t slot = 0;
      for (const Observed& observed : test_.observed) {
        if (observed.thread == static_cast<int>(t)) {
          bodies += fmt::format("    results[i * OBSERVED + {}] = r{};\n", slot, observed.index);
        }
        slot += observed.thread >= 0 ? 1 : 0;
      }
      bodies += "      }\n";
      which += fmt::format("  if (group == {} && lane == {}) thread = {};\n", placement_.threads[t].group,
                           placement_.threads[t].lane, t);
    }
    std::string begin;
    std::string end;
    if (local_) {
      begin = "__local int cells[ROUND * CELLS];\n  for (int i = lane; i < ROUND; i += LANES) {\n";
      end = "barrier(CLK_LOCAL_MEM_FENCE);\n  for (int i = lane; i < ROUND; i += LANES) {\n";
      for (size_t c = 0; c < test_.cells.size(); ++c) {
        if (!InGroupMemory(test_.cells[c])) continue;
        begin += fmt::format("    cells[i * CELLS + {}] = {};\n", c, test_.cells[c].init);
        end += fmt::format("    if (group == {}) memory[(i * CELLS + {}) * STRIDE_INTS] = cells[i * CELLS + {}];\n",
                           GroupOf(test_, placement_, c), c, c);
      }
      begin += "  }\n  barrier(CLK_LOCAL_MEM_FENCE);";
      end += "  }";
    }
    std::string text = kOpenclKernelTail;
    ReplaceWord(text, "LOCAL_BEGIN", begin);
    ReplaceWord(text, "LOCAL_END", end);
    ReplaceWord(text, "WHICH", which);
    ReplaceWord(text, "BODIES", bodies);
    return text;
  }

  const Test& test_;
  const HarnessOptions& options_;
  GpuPlacement placement_;
  bool local_ = false;
};

}  // namespace

Result<std::string> WriteOpenClHarness(const Test& test, const std::string& source, const HarnessOptions& options) {
  return OpenClWriter(test, options).Run(source);
}

}  // namespace heddle::litmus
