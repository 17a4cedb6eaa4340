#include "litmus/run/harness.h"

#include <fmt/format.h>

#include "litmus/optcheck/optcheck.h"
#include "litmus/run/body.h"

namespace heddle::litmus {
namespace {

constexpr const char* kHead = R"(// Written by heddle litmus run.
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile char* memory;      // CELLS places for each iteration of a round
static int64_t* results;           // OBSERVED registers for each iteration
static _Atomic int finished;
static int processors;
static int crowded;                // more threads than processors

// All threads arrive with the number of the iteration; after some turns they let others run.
static _Atomic long arrived[THREADS];
static void Meet(int me, long number) {
  atomic_store_explicit(&arrived[me], number, memory_order_release);
  for (int other = 0; other < THREADS; ++other) {
    int turns = 0;
    while (atomic_load_explicit(&arrived[other], memory_order_acquire) < number) {
      if (crowded || ++turns > 2000) {
        sched_yield();
        turns = 0;
      } else {
        PAUSE;
      }
    }
  }
}
static inline uint64_t Next(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}
static volatile int* Cell(long iteration, int cell) {
  return (volatile int*)(memory + (iteration * CELLS + cell) * STRIDE);
}
// The address of a location is shown as that location.
static inline int64_t Shown(int64_t value) {
  uint64_t offset = (uint64_t)value - (uint64_t)memory;
  if (offset >= (uint64_t)ROUND * CELLS * STRIDE || offset % STRIDE != 0) return value;
  return kAddresses[offset / STRIDE % CELLS];
}
)";

constexpr const char* kTail = R"(
typedef void (*Body)(long iteration);
static const Body kBodies[THREADS] = {BODIES};
static long iterations;
static long rounds_done;
static double seconds;
static uint64_t seed;
static _Atomic int go_on = 1;
static int64_t (*table)[WIDTH + 1];
static long table_used, table_size;

static double Now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void Count(long iteration) {
  int64_t state[WIDTH + 1];
  Final(iteration, state + 1);
  for (long i = 0; i < table_used; ++i) {
    if (memcmp(table[i] + 1, state + 1, sizeof(int64_t) * WIDTH) == 0) {
      ++table[i][0];
      return;
    }
  }
  if (table_used == table_size) {
    table_size = table_size * 2 + 16;
    table = realloc(table, sizeof(*table) * (size_t)table_size);
    if (table == NULL) exit(5);
  }
  memcpy(table[table_used] + 1, state + 1, sizeof(int64_t) * WIDTH);
  table[table_used++][0] = 1;
}
static void* Thread(void* argument) {
  int me = (int)(intptr_t)argument;
  if (AFFINITY && processors > 1) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(me % processors, &set);
    sched_setaffinity(0, sizeof set, &set);
  }
  uint64_t random = seed * 2654435761u + (uint64_t)me * 40503u + 1;
  double end = Now() + seconds;
  long number = 0;
  for (long done = 0; done < iterations; done += ROUND) {
    if (me == 0) Prepare();
    Meet(me, ++number);
    if (!atomic_load(&go_on)) break;
    uint64_t mask = (random >> 20) & 31;
    for (long i = 0; i < ROUND; ++i) {
      // Fetch what this thread is going to touch, or not, so that the caches differ.
      uint64_t bits = Next(&random);
      for (int c = 0; c < CELLS; ++c) {
        if (!(bits >> (8 + c) & 1)) continue;
        if (bits >> (24 + c) & 1) {
          __builtin_prefetch((const void*)Cell(i, c), 1);
        } else {
          __builtin_prefetch((const void*)Cell(i, c), 0);
        }
      }
      Meet(me, ++number);
      for (uint64_t wait = bits & mask; wait > 0; --wait) __asm__ volatile("");
      kBodies[me](i);
    }
    Meet(me, ++number);
    if (me == 0) {
      for (long i = 0; i < ROUND; ++i) Count(i);
      rounds_done += ROUND;
      if (seconds > 0 && Now() > end) atomic_store(&go_on, 0);
    }
    Meet(me, ++number);
  }
  return NULL;
}
static void* Stress(void* argument) {
  // Writes all over a block of its own.
  size_t size = 1 << 20;
  volatile char* block = malloc(size);
  uint64_t random = (uint64_t)(intptr_t)argument + 99;
  while (!atomic_load_explicit(&finished, memory_order_relaxed)) {
    for (int i = 0; i < 1000; ++i) block[Next(&random) % size] = (char)i;
  }
  free((void*)block);
  return NULL;
}
int main(int count, char** arguments) {
  iterations = count > 1 ? atol(arguments[1]) : 100000;
  seconds = count > 2 ? atof(arguments[2]) : 0;
  seed = count > 3 ? (uint64_t)atoll(arguments[3]) : 1;
  cpu_set_t set;
  processors = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  crowded = THREADS > processors;
  memory = aligned_alloc(4096, ((size_t)ROUND * CELLS * STRIDE + 4095) / 4096 * 4096);
  results = calloc((size_t)ROUND * OBSERVED, sizeof(int64_t));
  if (memory == NULL || results == NULL) return 5;
  pthread_t threads[THREADS];
  pthread_t stress[STRESS + 1];
  int stressing = processors > THREADS ? STRESS : 0;
  for (int i = 0; i < stressing; ++i) pthread_create(&stress[i], NULL, Stress, (void*)(intptr_t)i);
  for (int i = 0; i < THREADS; ++i) {
    if (pthread_create(&threads[i], NULL, Thread, (void*)(intptr_t)i) != 0) return 5;
  }
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  atomic_store(&finished, 1);
  for (int i = 0; i < stressing; ++i) pthread_join(stress[i], NULL);
  for (long i = 0; i < table_used; ++i) {
    printf("%" PRId64, table[i][0]);
    for (int k = 0; k < WIDTH; ++k) printf(" %" PRId64, table[i][k + 1]);
    printf("\n");
  }
  return 0;
}
)";

// Marks before and after the code of a thread, for code that does not bring its own.
std::string Marked(const Test& test, size_t thread, Machine machine, const std::string& code) {
  std::string out;
  for (size_t c = 0; c < test.cells.size(); ++c) {
    out += fmt::format("    volatile int* p{} = Cell(iteration, {}); (void)p{};\n", c, c, c);
    if (c >= static_cast<size_t>(kNoCell)) continue;
    out += fmt::format("    __asm__ volatile(\"{}\" : \"+r\"(p{}) : : \"memory\"{});\n",
                       CellMarkText(machine, "%0", static_cast<int>(c)), c,
                       machine == Machine::kAArch64   ? ", \"cc\""
                       : machine == Machine::kPpc64le ? ", \"cr7\""
                                                      : "");
  }
  auto line = [&](const std::string& text) {
    out += fmt::format("    __asm__ volatile(\"{}\" ::: \"memory\"{});\n", text,
                       machine == Machine::kPpc64le ? ", \"cr7\"" : "");
  };
  line(MarkText(machine, kBeginMark));
  out += code;
  line(MarkText(machine, kEndMark));
  for (const std::string& text : SpecificationText(test, thread, machine)) line(text);
  return out;
}

bool OwnAssembly(Arch arch) { return arch == Arch::kAArch64 || arch == Arch::kRiscv || arch == Arch::kPpc; }

}  // namespace

Result<std::string> WriteHarness(const Test& test, const std::string& source, const HarnessOptions& options) {
  const Target* target = test.arch == Arch::kC && options.target != nullptr ? options.target : TargetFor(test.arch);
  if (target == nullptr) {
    return MakeError(ErrorCode::kUnsupported, std::string(ArchName(test.arch)) + " tests do not run on processors");
  }
  if (!test.OneSize()) {
    return MakeError(ErrorCode::kUnsupported, "the harness cannot run accesses of different sizes");
  }
  size_t registers = 0;
  std::string bodies;
  std::string names;
  for (const Observed& observed : test.observed) registers += observed.thread >= 0 ? 1 : 0;
  for (size_t t = 0; t < test.threads.size(); ++t) {
    Result<BodyText> body =
        OwnAssembly(test.arch) ? WriteAssemblyBody(test, t, target->machine) : WriteBody(test, test.threads[t]);
    if (!body) return body.error();
    bodies += fmt::format("\n__attribute__((noinline)) static void P{}(long iteration) {{\n{}", t, body->registers);
    bodies += body->marked ? body->code : Marked(test, t, target->machine, body->code);
    size_t slot = 0;
    for (const Observed& observed : test.observed) {
      if (observed.thread == static_cast<int>(t)) {
        bodies += fmt::format("    results[iteration * OBSERVED + {}] = Shown(r{});\n", slot, observed.index);
      }
      slot += observed.thread >= 0 ? 1 : 0;
    }
    bodies += "}\n";
    names += fmt::format("{}P{}", t == 0 ? "" : ", ", t);
  }
  std::string out = fmt::format("// {}\n", source);
  out += fmt::format("#define THREADS {}\n#define CELLS {}\n#define OBSERVED {}\n#define WIDTH {}\n#define STRIDE {}\n",
                     test.threads.size(), std::max<size_t>(1, test.cells.size()), std::max<size_t>(1, registers),
                     std::max<size_t>(1, test.observed.size()), options.stride);
  out += fmt::format("#define ROUND {}\n#define STRESS {}\n#define AFFINITY {}\n#define BODIES {}\n", options.round,
                     options.stress, options.affinity ? 1 : 0, names);
  out +=
      "#if defined(__x86_64__)\n#define PAUSE __asm__ volatile(\"pause\")\n#else\n#define PAUSE __asm__ "
      "volatile(\"\")\n#endif\n";
  out += "static const long long kAddresses[] = {";
  for (const Cell& cell : test.cells) out += fmt::format("{}, ", cell.address);
  out += "0};\n";
  out += kHead;
  out += bodies;
  out += "\nstatic void Prepare(void) {\n  for (long i = 0; i < ROUND; ++i) {\n";
  for (size_t c = 0; c < test.cells.size(); ++c) {
    if (IsAddress(test.cells[c].init))
      return MakeError(ErrorCode::kUnsupported, "the harness cannot run addresses in memory");
    out += fmt::format("    *Cell(i, {}) = {};\n", c, test.cells[c].init);
  }
  out += "  }\n}\nstatic void Final(long i, int64_t* state) {\n  memset(state, 0, sizeof(int64_t) * WIDTH);\n";
  size_t slot = 0;
  for (size_t k = 0; k < test.observed.size(); ++k) {
    const Observed& observed = test.observed[k];
    if (observed.thread < 0) {
      out += fmt::format("  state[{}] = *Cell(i, {});\n", k, test.cells[static_cast<size_t>(observed.index)].physical);
    } else {
      out += fmt::format("  state[{}] = results[i * OBSERVED + {}];\n", k, slot++);
    }
  }
  out += "}\n";
  return out + kTail;
}

}  // namespace heddle::litmus
