// A bounded queue for many producers and consumers; each place has a turn number. With the bug a consumer gives a place
// back without releasing it: the producer that comes round writes what the consumer, for all it knows, still reads.
#include <atomic>

#include "start.h"

#ifdef BUG
constexpr auto kGiveBack = std::memory_order_relaxed;
#else
constexpr auto kGiveBack = std::memory_order_release;
#endif

class Queue {
 public:
  Queue() {
    for (unsigned i = 0; i < kPlaces; ++i) places_[i].turn.store(i, std::memory_order_relaxed);
  }

  bool Put(int value) {
    unsigned ticket;
    Place* place = Claim(&in_, 0, &ticket);
    if (place == nullptr) return false;
    place->value = value;
    place->turn.store(ticket + 1, std::memory_order_release);
    return true;
  }

  bool Get(int* value) {
    unsigned ticket;
    Place* place = Claim(&out_, 1, &ticket);
    if (place == nullptr) return false;
    *value = place->value;
    place->turn.store(ticket + kPlaces, kGiveBack);
    return true;
  }

 private:
  static constexpr unsigned kPlaces = 2;
  struct Place {
    std::atomic<unsigned> turn;
    int value = 0;
  };

  // The next place whose turn is its ticket plus `ahead`; null: full, or empty.
  Place* Claim(std::atomic<unsigned>* tickets, unsigned ahead, unsigned* ticket) {
    *ticket = tickets->load(std::memory_order_relaxed);
    for (;;) {
      Place* place = &places_[*ticket % kPlaces];
      int distance = static_cast<int>(place->turn.load(std::memory_order_acquire) - (*ticket + ahead));
      if (distance < 0) return nullptr;
      if (distance > 0) {
        *ticket = tickets->load(std::memory_order_relaxed);
      } else if (tickets->compare_exchange_strong(*ticket, *ticket + 1, std::memory_order_relaxed)) {
        return place;
      }
    }
  }

  Place places_[kPlaces];
  std::atomic<unsigned> in_{0};
  std::atomic<unsigned> out_{0};
};

Queue queue;
int sums[2];

bool PutOften(int value, int tries) {
  while (tries-- > 0) {
    if (queue.Put(value)) return true;
  }
  return false;
}
bool GetOften(int me, int tries) {
  int value = 0;
  while (tries-- > 0) {
    if (!queue.Get(&value)) continue;
    sums[me] += value;
    return true;
  }
  return false;
}

// The third value goes where the first was.
void First() {
  PutOften(1, 4);
  PutOften(2, 4);
  Reached();
  Await(2);
  PutOften(3, 8);
  GetOften(0, 4);
}
void Second() {
  Await(1);
  GetOften(1, 8);
  Reached();
}

int main(int argc, char** argv) { RunThreads(argc, argv, First, Second); }
