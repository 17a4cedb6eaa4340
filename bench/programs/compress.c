/* A block-sorting compressor in the manner of lbzip2: worker threads take blocks from a queue, sort their rotations,
 * move-to-front, run-length and Huffman coding; one thread puts the results in order. usage: compress BLOCKS THREADS */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBlock = 60000, kSymbols = 258 };

struct block {
  uint8_t* data;
  uint64_t bits;
  int done;
};

static struct block* blocks;
static int block_count, next_block;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;

static void fill(uint8_t* data, uint32_t seed) {
  static const char* words[] = {"the ", "quick ", "brown ", "fox ", "jumps ", "over ", "lazy ", "dog ", "thread ", "lock "};
  int at = 0;
  while (at < kBlock) {
    seed = seed * 1664525u + 1013904223u;
    const char* word = words[(seed >> 20) % 10];
    while (*word && at < kBlock) data[at++] = (uint8_t)*word++;
  }
}

/* Ranks of rotations by prefix doubling with counting sort. */
static void sort_rotations(const uint8_t* data, int n, int* order, int* rank, int* spare, int* count) {
  memset(count, 0, sizeof(int) * (size_t)(n > 256 ? n + 1 : 257));
  for (int i = 0; i < n; i++) count[data[i]]++;
  for (int i = 1; i < 256; i++) count[i] += count[i - 1];
  for (int i = n - 1; i >= 0; i--) order[--count[data[i]]] = i;
  rank[order[0]] = 0;
  int classes = 1;
  for (int i = 1; i < n; i++) {
    if (data[order[i]] != data[order[i - 1]]) classes++;
    rank[order[i]] = classes - 1;
  }
  for (int half = 1; half < n && classes < n; half *= 2) {
    for (int i = 0; i < n; i++) {
      int at = order[i] - half;
      spare[i] = at < 0 ? at + n : at;
    }
    memset(count, 0, sizeof(int) * (size_t)classes);
    for (int i = 0; i < n; i++) count[rank[i]]++;
    for (int i = 1; i < classes; i++) count[i] += count[i - 1];
    for (int i = n - 1; i >= 0; i--) order[--count[rank[spare[i]]]] = spare[i];
    spare[order[0]] = 0;
    classes = 1;
    for (int i = 1; i < n; i++) {
      int a = order[i], b = order[i - 1];
      int a2 = a + half < n ? a + half : a + half - n, b2 = b + half < n ? b + half : b + half - n;
      if (rank[a] != rank[b] || rank[a2] != rank[b2]) classes++;
      spare[a] = classes - 1;
    }
    memcpy(rank, spare, sizeof(int) * (size_t)n);
  }
}

/* Length of the Huffman coding of the symbols with these counts. */
static uint64_t huffman_bits(const uint32_t* given) {
  uint64_t weight[2 * kSymbols];
  uint64_t total = 0;
  int live = 0;
  for (int i = 0; i < kSymbols; i++) {
    if (given[i]) weight[live++] = given[i];
  }
  while (live > 1) {
    int a = 0, b = 1;
    if (weight[b] < weight[a]) a = 1, b = 0;
    for (int i = 2; i < live; i++) {
      if (weight[i] < weight[a]) b = a, a = i;
      else if (weight[i] < weight[b]) b = i;
    }
    uint64_t sum = weight[a] + weight[b];
    total += sum;
    weight[a < b ? a : b] = sum;
    weight[a < b ? b : a] = weight[--live];
  }
  return total;
}

static uint64_t compress_block(const uint8_t* data, int* work) {
  int *order = work, *rank = work + kBlock, *spare = work + 2 * kBlock, *count = work + 3 * kBlock;
  sort_rotations(data, kBlock, order, rank, spare, count);
  uint8_t table[256];
  for (int i = 0; i < 256; i++) table[i] = (uint8_t)i;
  uint32_t counts[kSymbols] = {0};
  uint32_t run = 0;
  for (int i = 0; i < kBlock; i++) {
    uint8_t symbol = data[order[i] == 0 ? kBlock - 1 : order[i] - 1];
    int at = 0;
    while (table[at] != symbol) at++;
    memmove(table + 1, table, (size_t)at);
    table[0] = symbol;
    if (at == 0) {
      run++;
      continue;
    }
    for (; run > 0; run = (run - 1) / 2) counts[(run & 1) ? 0 : 1]++;
    counts[at + 1]++;
  }
  return huffman_bits(counts);
}

static void* worker(void* unused) {
  int* work = malloc(sizeof(int) * 4 * (kBlock + 1));
  for (;;) {
    pthread_mutex_lock(&mutex);
    int mine = next_block < block_count ? next_block++ : -1;
    pthread_mutex_unlock(&mutex);
    if (mine < 0) break;
    uint64_t bits = compress_block(blocks[mine].data, work);
    pthread_mutex_lock(&mutex);
    blocks[mine].bits = bits;
    blocks[mine].done = 1;
    pthread_cond_signal(&finished);
    pthread_mutex_unlock(&mutex);
  }
  free(work);
  return unused;
}

int main(int argc, char** argv) {
  block_count = argc > 1 ? atoi(argv[1]) : 8;
  int threads = argc > 2 ? atoi(argv[2]) : 2;
  blocks = calloc((size_t)block_count, sizeof *blocks);
  for (int i = 0; i < block_count; i++) fill(blocks[i].data = malloc(kBlock), (uint32_t)i + 1);
  pthread_t thread[64];
  for (int i = 0; i < threads; i++) pthread_create(&thread[i], NULL, worker, NULL);
  uint64_t total = 0;
  for (int i = 0; i < block_count; i++) {
    pthread_mutex_lock(&mutex);
    while (!blocks[i].done) pthread_cond_wait(&finished, &mutex);
    total += blocks[i].bits;
    pthread_mutex_unlock(&mutex);
  }
  for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
  printf("%llu bits\n", (unsigned long long)total);
  return 0;
}
