// The store to `device` stands in the loop, and nothing stands behind it. gcc 12 at -O1 to -O3 moves the store to `other` out
// of the loop and repeats the one to the volatile behind it. Found by a campaign (seed 1001517).
#include <pthread.h>
pthread_mutex_t m;
volatile short device;
unsigned short other;
unsigned char count;
unsigned source;
void thread(void) {
  pthread_mutex_lock(&m);
  for (unsigned i = 0; i < (count & 7u); i++) {
    other = source;
    device = 5;
  }
  pthread_mutex_unlock(&m);
}
