#include "litmus/run/gpu_placement.h"

#include <algorithm>
#include <set>

namespace heddle::litmus {
namespace {

Error Unsupported(const std::string& what) {
  return MakeError(ErrorCode::kUnsupported, "the harness cannot run " + what);
}

// Cells that a thread names as constants.
std::set<int> CellsOf(const Test& test, const Thread& thread) {
  std::set<int> cells;
  for (const Expr& e : thread.exprs) {
    if (e.op == Op::kConst && test.CellAt(e.imm) >= 0) cells.insert(test.CellAt(e.imm));
  }
  for (int64_t value : thread.register_init) {
    if (test.CellAt(value) >= 0) cells.insert(test.CellAt(value));
  }
  return cells;
}

}  // namespace

bool InGroupMemory(const Cell& cell) { return cell.tags.test(TagOf("SHARED")) || cell.tags.test(TagOf("LOCAL")); }

Result<GpuPlacement> PlaceThreads(const Test& test) {
  GpuPlacement placement;
  std::map<std::pair<int, int>, int> groups;  // queue and group of the test
  std::map<int, int> lanes;
  for (size_t t = 0; t < test.threads.size(); ++t) {
    const Scope& scope = test.threads[t].scope;
    if (scope.device != test.threads[0].scope.device) return Unsupported("threads on several devices");
    if (scope.cluster >= 0) return Unsupported("clusters of CTAs");
    // Without a scope tree each thread has a group of its own.
    auto key = test.has_scope_tree ? std::pair{scope.queue, scope.group} : std::pair{0, static_cast<int>(t)};
    int group = groups.emplace(key, static_cast<int>(groups.size())).first->second;
    placement.threads.push_back({group, lanes[group]++});
    placement.lanes = std::max(placement.lanes, lanes[group]);
  }
  placement.groups = static_cast<int>(groups.size());
  for (size_t c = 0; c < test.cells.size(); ++c) {
    const Cell& cell = test.cells[c];
    if (cell.physical != static_cast<int>(c)) return Unsupported("aliases");
    if (IsAddress(cell.init)) return Unsupported("addresses in memory");
    if (cell.name.find('[') != std::string::npos) return Unsupported("arrays");
    std::set<int> used;
    for (size_t t = 0; t < test.threads.size(); ++t) {
      if (CellsOf(test, test.threads[t]).contains(static_cast<int>(c))) used.insert(placement.threads[t].group);
    }
    if (InGroupMemory(cell) && used.size() > 1) return Unsupported("memory of one group in another");
  }
  return placement;
}

int GroupOf(const Test& test, const GpuPlacement& placement, size_t cell) {
  for (size_t t = 0; t < test.threads.size(); ++t) {
    if (CellsOf(test, test.threads[t]).contains(static_cast<int>(cell))) return placement.threads[t].group;
  }
  return 0;
}

void ReplaceWord(std::string& text, const std::string& word, const std::string& by) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
    text.replace(at, word.size(), by);
  }
}

const char* const kGpuCounting = R"(
static long long (*table)[WIDTH + 1];
static long table_used, table_size;
static void CountState(const long long* state) {
  for (long i = 0; i < table_used; ++i) {
    if (memcmp(table[i] + 1, state, sizeof(long long) * WIDTH) == 0) {
      ++table[i][0];
      return;
    }
  }
  if (table_used == table_size) {
    table_size = table_size * 2 + 16;
    table = (long long (*)[WIDTH + 1])realloc(table, sizeof(*table) * (size_t)table_size);
    if (table == NULL) exit(5);
  }
  memcpy(table[table_used] + 1, state, sizeof(long long) * WIDTH);
  table[table_used++][0] = 1;
}
static void PrintStates(void) {
  for (long i = 0; i < table_used; ++i) {
    printf("%lld", table[i][0]);
    for (int k = 0; k < WIDTH; ++k) printf(" %lld", table[i][k + 1]);
    printf("\n");
  }
}
static double Now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
)";

}  // namespace heddle::litmus
