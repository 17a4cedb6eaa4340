#include <fmt/format.h>

#include "litmus/optcheck/cubin.h"
#include "litmus/run/body.h"
#include "litmus/run/gpu_harness.h"
#include "litmus/run/gpu_placement.h"

// Each thread of the test is a function of the kernel. After its code come the specification instructions of
// section 2.4 of Poetzl's thesis: an add of a recognisable number to the register of each access (cubin.h).
namespace heddle::litmus {
namespace {

constexpr const char* kCudaKernelTail = R"(
extern "C" __global__ void Run(int* memory, const volatile int* zeros, long long* results, int* arrived, int* scratch,
                               volatile int* sink, int patience, unsigned seed) {
  int group = (int)blockIdx.x;
  unsigned random = seed * 2654435761u + (blockIdx.x * blockDim.x + threadIdx.x) * 40503u + 1u;
  if (group >= GROUPS) {
    // Disturbs memory for a while.
    for (int i = 0; i < 4096; ++i) {
      random = random * 1664525u + 1013904223u;
      scratch[random % SCRATCH] = (int)random;
    }
    return;
  }
  SHARED_BEGIN
  int thread = -1;
  if (threadIdx.x % 32 == 0) {
    int warp = (int)threadIdx.x / 32;
    (void)warp;
WHICH
  }
  for (int i = 0; i < ROUND && thread >= 0; ++i) {
    atomicAdd(&arrived[i], 1);
    for (int turns = 0; turns < patience; ++turns) {
      if (*(volatile int*)&arrived[i] >= THREADS) break;
    }
    random = random * 1664525u + 1013904223u;
    for (volatile unsigned wait = random >> 28; wait > 0; --wait) {}
BODIES
  }
  SHARED_END
}
)";

constexpr const char* kCudaHost = R"(
#define CHECK(call, what) \
  do { cudaError_t code_ = (call); if (code_ != cudaSuccess) { fprintf(stderr, "CUDA: %s: %s\n", what, cudaGetErrorString(code_)); exit(6); } } while (0)
int main(int count, char** arguments) {
  long iterations = count > 1 ? atol(arguments[1]) : 100000;
  double seconds = count > 2 ? atof(arguments[2]) : 0;
  unsigned seed = count > 3 ? (unsigned)atol(arguments[3]) : 1;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  size_t memory_size = sizeof(int) * ROUND * CELLS * STRIDE_INTS;
  size_t results_size = sizeof(long long) * ROUND * OBSERVED;
  int* start = (int*)calloc(1, memory_size);
  int* memory = (int*)malloc(memory_size);
  long long* results = (long long*)calloc(1, results_size);
  if (start == NULL || memory == NULL || results == NULL) return 5;
  Prepare(start);
  int *device_memory, *zeros, *arrived, *scratch, *sink;
  long long* device_results;
  CHECK(cudaMalloc(&device_memory, memory_size), "memory");
  CHECK(cudaMalloc(&device_results, results_size), "memory");
  CHECK(cudaMalloc(&zeros, sizeof(int) * 4096), "memory");
  CHECK(cudaMalloc(&arrived, sizeof(int) * ROUND), "memory");
  CHECK(cudaMalloc(&scratch, sizeof(int) * SCRATCH), "memory");
  CHECK(cudaMalloc(&sink, sizeof(int) * THREADS), "memory");
  CHECK(cudaMemset(zeros, 0, sizeof(int) * 4096), "memory");
  double end = Now() + seconds;
  for (long done = 0; done < iterations; done += ROUND) {
    CHECK(cudaMemcpy(device_memory, start, memory_size, cudaMemcpyHostToDevice), "copy");
    CHECK(cudaMemset(arrived, 0, sizeof(int) * ROUND), "memory");
    Run<<<GROUPS + STRESS, 32 * LANES>>>(device_memory, zeros, device_results, arrived, scratch, sink, 100000, seed++);
    CHECK(cudaGetLastError(), "launch");
    CHECK(cudaMemcpy(memory, device_memory, memory_size, cudaMemcpyDeviceToHost), "run");
    CHECK(cudaMemcpy(results, device_results, results_size, cudaMemcpyDeviceToHost), "copy");
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

class CudaWriter {
 public:
  CudaWriter(const Test& test, const HarnessOptions& options) : test_(test), options_(options) {}

  Result<std::string> Run(const std::string& source) {
    Result<GpuPlacement> placement = PlaceThreads(test_);
    if (!placement) return placement.error();
    placement_ = *placement;
    if (test_.threads.size() > kMostSpecifiedThreads) {
      return MakeError(ErrorCode::kUnsupported, "the harness cannot run more than 8 threads on a GPU");
    }
    for (const Cell& cell : test_.cells) shared_ = shared_ || InGroupMemory(cell);
    size_t registers = 0;
    for (const Observed& observed : test_.observed) registers += observed.thread >= 0 ? 1 : 0;
    Result<std::string> kernel = Kernel();
    if (!kernel) return kernel.error();
    std::string out = "// Written by heddle litmus run.\n// " + source + "\n";
    out += "#include <cstdint>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n";
    out += fmt::format(
        "#define THREADS {}\n#define GROUPS {}\n#define LANES {}\n#define CELLS {}\n#define OBSERVED {}\n"
        "#define ROUND {}\n#define STRIDE_INTS {}\n#define SCRATCH 65536\n#define WIDTH {}\n#define STRESS {}\n",
        test_.threads.size(), placement_.groups, placement_.lanes, std::max<size_t>(1, test_.cells.size()),
        std::max<size_t>(1, registers), shared_ ? 128 : options_.round, std::max(1, options_.stride / 4),
        std::max<size_t>(1, test_.observed.size()), 8 * options_.stress);
    out += *kernel;
    out += "static void Prepare(int* memory) {\n  for (long i = 0; i < ROUND; ++i) {\n";
    for (size_t c = 0; c < test_.cells.size(); ++c) {
      out += fmt::format("    memory[(i * CELLS + {}) * STRIDE_INTS] = {};\n", c, test_.cells[c].init);
    }
    out += "  }\n}\nstatic void Final(long i, const int* memory, const long long* results, long long* state) {\n";
    size_t slot = 0;
    for (size_t k = 0; k < test_.observed.size(); ++k) {
      out += test_.observed[k].thread < 0
                 ? fmt::format("  state[{}] = memory[(i * CELLS + {}) * STRIDE_INTS];\n", k, test_.observed[k].index)
                 : fmt::format("  state[{}] = results[i * OBSERVED + {}];\n", k, slot++);
    }
    return out + "}\n" + kGpuCounting + kCudaHost;
  }

 private:
  Result<std::string> Thread(size_t t) {
    Result<BodyText> body = WriteBody(test_, test_.threads[t]);
    if (!body) return body.error();
    if (body->accesses > kMostSpecifiedAccesses) {
      return MakeError(ErrorCode::kUnsupported, "the harness cannot run more than 32 accesses of a thread on a GPU");
    }
    std::string text = fmt::format("    if (thread == {}) {{\n", t);
    for (int n = 0; n < body->accesses; ++n) {
      text +=
          fmt::format("    int s{} = 0; int z{} = zeros[{}]; (void)z{};\n", n, n, t * 64 + static_cast<size_t>(n), n);
    }
    text += body->registers;
    for (size_t c = 0; c < test_.cells.size(); ++c) {
      text += InGroupMemory(test_.cells[c])
                  ? fmt::format("    int* p{} = &cells[i * CELLS + {}]; (void)p{};\n", c, c, c)
                  : fmt::format("    int* p{} = &memory[(i * CELLS + {}) * STRIDE_INTS]; (void)p{};\n", c, c, c);
    }
    text += body->code;
    text += "    int all = 0;\n";
    for (int n = 0; n < body->accesses; ++n) {
      int number = SpecificationNumber(static_cast<int>(t), n, body->kinds[static_cast<size_t>(n)]);
      text += fmt::format(
          "    {{ int link; asm volatile(\"add.s32 %0, %1, {:#x};\" : \"=r\"(link) : \"r\"(s{})); all ^= link; }}\n",
          number, n);
    }
    text += fmt::format("    sink[{}] = all;\n", t);
    size_t slot = 0;
    for (const Observed& observed : test_.observed) {
      if (observed.thread == static_cast<int>(t)) {
        text += fmt::format("    results[i * OBSERVED + {}] = r{};\n", slot, observed.index);
      }
      slot += observed.thread >= 0 ? 1 : 0;
    }
    return text + "    }\n";
  }

  Result<std::string> Kernel() {
    std::string bodies;
    std::string which;
    for (size_t t = 0; t < test_.threads.size(); ++t) {
      Result<std::string> thread = Thread(t);
      if (!thread) return thread.error();
      bodies += *thread;
      which += fmt::format("    if (group == {} && warp == {}) thread = {};\n", placement_.threads[t].group,
                           placement_.threads[t].lane, t);
    }
    std::string begin;
    std::string end;
    if (shared_) {
      begin = "__shared__ int cells[ROUND * CELLS];\n  for (int i = threadIdx.x; i < ROUND; i += blockDim.x) {\n";
      end = "__syncthreads();\n  for (int i = threadIdx.x; i < ROUND; i += blockDim.x) {\n";
      for (size_t c = 0; c < test_.cells.size(); ++c) {
        if (!InGroupMemory(test_.cells[c])) continue;
        begin += fmt::format("    cells[i * CELLS + {}] = {};\n", c, test_.cells[c].init);
        end += fmt::format("    if (group == {}) memory[(i * CELLS + {}) * STRIDE_INTS] = cells[i * CELLS + {}];\n",
                           GroupOf(test_, placement_, c), c, c);
      }
      begin += "  }\n  __syncthreads();";
      end += "  }";
    }
    std::string text = kCudaKernelTail;
    ReplaceWord(text, "SHARED_BEGIN", begin);
    ReplaceWord(text, "SHARED_END", end);
    ReplaceWord(text, "WHICH", which);
    ReplaceWord(text, "BODIES", bodies);
    return text;
  }

  const Test& test_;
  const HarnessOptions& options_;
  GpuPlacement placement_;
  bool shared_ = false;
};

}  // namespace

std::vector<CubinThread> CubinThreads(const Test& test) {
  std::vector<CubinThread> threads;
  for (const Thread& thread : test.threads) {
    Result<BodyText> body = WriteBody(test, thread);
    if (body) threads.push_back({body->kinds, body->fences});
  }
  return threads;
}

Result<std::string> WriteCudaHarness(const Test& test, const std::string& source, const HarnessOptions& options) {
  return CudaWriter(test, options).Run(source);
}

}  // namespace heddle::litmus
