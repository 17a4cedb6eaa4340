// Every kind of join-point and field, in C++: what is woven in is checked by tests/predict/properties.
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace shop {

struct Order {
  long number;
  Order* next;
};

template <typename T>
struct Queue {
  T last{};
  int push(T value) {
    last = value;
    return static_cast<int>(value) + 1;
  }
};

int total = 5;
std::atomic<int> sold{0};

int sell(const int* price, Order** at) {
  if (*price < 0) throw std::runtime_error("price");
  sold.store(*price);
  sold += 2;
  return static_cast<int>((*at)->number);
}

int over(int x) { return x; }
int over(const char* text) { return text[0]; }

struct Big {
  long words[4];
};
__attribute__((noinline)) Big make(int first) { return {{first, 2, 3, 4}}; }

}  // namespace shop

extern "C" __attribute__((noinline)) unsigned char small(unsigned char byte, long wide) {
  return static_cast<unsigned char>(byte + wide);
}

int main() {
  shop::Order second{-7, nullptr};
  shop::Order first{41, &second};
  shop::Order* at = &first;
  int price = 12;
  shop::Queue<long> queue;
  queue.push(30);
  shop::total = shop::total + 1;
  int got = shop::sell(&price, &at);
  price = -1;
  try {
    got += shop::sell(&price, &at);
  } catch (const std::runtime_error&) {
    got += 100;
  }
  got += shop::over(3) + shop::over("a");
  got += static_cast<int>(shop::make(9).words[0]);
  got += small(200, 100);
  std::printf("%d\n", got);  // line 65
  return 0;
}
