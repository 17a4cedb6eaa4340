// A function with many accesses, and a short loop among them. All of them race when there are two threads.
#include <pthread.h>

static volatile int words[32];
static volatile char bytes[16];

__attribute__((noinline)) void* Long(void* unused) {
  words[0] = 1, words[1] = 1, words[2] = 1, words[3] = 1, words[4] = 1, words[5] = 1, words[6] = 1, words[7] = 1;
  words[8] = 1, words[9] = 1, words[10] = 1, words[11] = 1, words[12] = 1, words[13] = 1, words[14] = 1, words[15] = 1;
  words[16] = 1, words[17] = 1, words[18] = 1, words[19] = 1, words[20] = 1, words[21] = 1, words[22] = 1;
  words[23] = 1, words[24] = 1, words[25] = 1, words[26] = 1, words[27] = 1, words[28] = 1, words[29] = 1;
  for (int i = 0; i < 16; ++i) bytes[i] = 1;
  for (int round = 0; round < 3; ++round) words[30] = words[31];
  return unused;
}

int main(int count, char** arguments) {
  pthread_t other;
  if (count == 1) return Long(arguments) != arguments;
  if (pthread_create(&other, 0, Long, arguments) != 0) return 2;
  Long(arguments);
  return pthread_join(other, 0);
}
