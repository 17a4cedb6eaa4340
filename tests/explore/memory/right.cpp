// Correct uses of memory that look odd from below: nothing may be said of them.
// EXPLORE: -O1 -> findings=none
// EXPLORE: -O2 -> findings=none
// EXPLORE: -O0 -> findings=none
// EXPLORE: -O2 -std=c++20 -> findings=none
// EXPLORE: -O1 -> findings=none options=--memory,c11
// EXPLORE: -O1 -> findings=none options=--visible,all,--algorithm,random,--executions,3 bounded
#include <alloca.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cassert>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
#if __cplusplus >= 202002L
#include <coroutine>
#endif

std::mutex g_lock;
long g_sum = 0;

void Containers() {
  std::vector<int> numbers;
  for (int i = 0; i < 100; ++i) numbers.push_back(i);
  numbers.shrink_to_fit();
  numbers.erase(numbers.begin(), numbers.begin() + 50);
  std::vector<bool> bits(77, true);
  std::deque<std::string> texts;
  for (int i = 0; i < 40; ++i) texts.push_front(std::string(static_cast<size_t>(i), 'x'));
  while (texts.size() > 3) texts.pop_back();
  std::map<int, std::unique_ptr<long>> tree;
  std::unordered_map<std::string, std::list<int>> table;
  for (int i = 0; i < 30; ++i) {
    tree[i * 7 % 30] = std::make_unique<long>(i);
    table[std::to_string(i)].push_back(i);
  }
  std::ostringstream out;
  out << bits[76] << numbers.back() << texts.front() << table.size();
  std::function<int(int)> add = [numbers](int more) { return numbers[0] + more; };
  std::sort(numbers.rbegin(), numbers.rend());
  auto shared = std::make_shared<std::vector<int>>(numbers);
  std::weak_ptr<std::vector<int>> weak = shared;
  shared.reset();
  assert(weak.expired());
  std::lock_guard<std::mutex> hold(g_lock);
  g_sum += add(static_cast<int>(out.str().size())) + static_cast<long>(tree.size());
}

struct alignas(128) Wide {
  char bytes[130];
  int last;
};
struct Flexible {
  int count;
  int items[];
};

int Compare(const void* a, const void* b) { return *static_cast<const int*>(a) - *static_cast<const int*>(b); }

void Allocations() {
  auto* grown = static_cast<char*>(malloc(1));
  for (size_t bytes = 2; bytes < 600; bytes += 37) {
    grown = static_cast<char*>(realloc(grown, bytes));
    memset(grown + bytes / 2, 7, bytes - bytes / 2);
  }
  grown = static_cast<char*>(realloc(grown, 10));
  grown[9] = 1;
  free(grown);
  auto* roomy = static_cast<char*>(malloc(13));
  memset(roomy, 0, malloc_usable_size(roomy));
  free(roomy);
  void* aligned = nullptr;
  assert(posix_memalign(&aligned, 4096, 10) == 0);
  memset(aligned, 1, 10);
  free(aligned);
  auto* wide = new Wide[3]();
  wide[2].last = 4;
  delete[] wide;
  free(memalign(64, 100));
  free(aligned_alloc(32, 64));
  auto* flexible = static_cast<Flexible*>(malloc(sizeof(Flexible) + 5 * sizeof(int)));
  flexible->count = 5;
  for (int i = 0; i < 5; ++i) flexible->items[i] = 5 - i;
  qsort(flexible->items, 5, sizeof(int), Compare);
  free(flexible);
  auto* zeros = static_cast<long*>(calloc(300, sizeof(long)));
  for (int i = 0; i < 300; ++i) zeros[i] += zeros[299 - i] + i;
  free(zeros);
  free(nullptr);
  char* copy = strdup("a text");
  strcat(static_cast<char*>(copy = static_cast<char*>(realloc(copy, 20))), " and more");
  free(copy);
}

jmp_buf g_jump;
void Deep(int depth) {
  volatile char* room = static_cast<char*>(alloca(200));
  room[depth] = 1;
  if (depth == 0) longjmp(g_jump, 1);
  Deep(depth - 1);
}
void Jumps() {
  volatile int rounds = 0;
  if (setjmp(g_jump) == 0) Deep(5);
  rounds = rounds + 1;
  int below[4] = {1, 2, 3, 4};
  volatile int* point = below;
  point[rounds] = 7;
}

thread_local ucontext_t t_main;
thread_local ucontext_t t_fiber;
void Fiber() {
  int own[10] = {};
  for (int round = 0; round < 2; ++round) {
    volatile int* point = own;
    point[round] = round;
    swapcontext(&t_fiber, &t_main);
  }
}
void Fibers() {
  auto* stack = static_cast<char*>(malloc(1 << 16));
  getcontext(&t_fiber);
  t_fiber.uc_stack.ss_sp = stack;
  t_fiber.uc_stack.ss_size = 1 << 16;
  t_fiber.uc_link = &t_main;
  makecontext(&t_fiber, Fiber, 0);
  for (int round = 0; round < 3; ++round) swapcontext(&t_main, &t_fiber);
  free(stack);
}

#if __cplusplus >= 202002L
struct Task {
  struct promise_type {
    int value = 0;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int next) {
      value = next;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};
Task Count(std::string text) {
  for (char letter : text) co_yield letter;
}
void Coroutines() {
  Task task = Count("a text that lives in the coroutine's frame");
  int sum = 0;
  for (task.handle.resume(); !task.handle.done(); task.handle.resume()) sum += task.handle.promise().value;
  assert(sum > 0);
  task.handle.destroy();
}
#else
void Coroutines() {}
#endif

void* OnGivenStack(void* argument) {
  int own = 3;
  *static_cast<int*>(argument) = own;
  return nullptr;
}
// The program's own memory is a stack first and an array then.
void GivenStack() {
  constexpr size_t kBytes = 1 << 18;
  auto* memory = static_cast<char*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, memory, kBytes);
  pthread_t thread;
  int result = 0;
  assert(pthread_create(&thread, &attributes, OnGivenStack, &result) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  memset(memory, 1, kBytes);
  for (size_t i = 0; i < kBytes; i += 4096) memory[i] = static_cast<char>(result);
}

int main() {
  auto* handed = new std::string("allocated here, freed by the thread");
  std::thread worker([handed] {
    std::unique_ptr<std::string> owned(handed);
    Containers();
    Allocations();
    Fibers();
  });
  Containers();
  worker.join();
  GivenStack();
  Jumps();
  Coroutines();
}
