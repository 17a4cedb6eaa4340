// 1 TiB that nobody may touch, and addresses high and low.
#include <sys/mman.h>

#include <cstdlib>
#include <thread>

int main() {
  size_t bytes = size_t{1} << 40U;
  void* huge = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (huge == MAP_FAILED) return 0;
  char* page = static_cast<char*>(huge) + bytes / 2;
  if (mprotect(page, 4096, PROT_READ | PROT_WRITE) != 0) abort();
  std::thread worker([page] { page[0] = 1; });
#ifdef BUG
  page[0] = 2;
  worker.join();
#else
  worker.join();
  page[0] = 2;
#endif
  munmap(huge, bytes);
}
