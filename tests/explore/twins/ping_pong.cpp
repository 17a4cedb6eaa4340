// Two threads take turns by two events; the twin uses one.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=deadlock
#include <semaphore.h>

#include <thread>
int main() {
  sem_t ping, pong;
  sem_init(&ping, 0, 1);
  sem_init(&pong, 0, 0);
  std::thread a([&] {
    for (int i = 0; i < 2; ++i) {
      sem_wait(&ping);
      sem_post(&pong);
    }
  });
  std::thread b([&] {
    for (int i = 0; i < 2; ++i) {
      sem_wait(&pong);
#ifdef BUG
      sem_post(&pong);
#else
      sem_post(&ping);
#endif
    }
  });
  a.join();
  b.join();
}
