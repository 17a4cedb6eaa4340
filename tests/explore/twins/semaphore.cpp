// A semaphore of one as a lock; the twin's lets two in.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=assertion
#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <thread>
int main() {
  sem_t room;
#ifdef BUG
  sem_init(&room, 0, 2);
#else
  sem_init(&room, 0, 1);
#endif
  std::atomic<int> inside{0};
  auto work = [&] {
    sem_wait(&room);
    assert(inside.fetch_add(1) == 0);
    inside.fetch_sub(1);
    sem_post(&room);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  sem_destroy(&room);
}
