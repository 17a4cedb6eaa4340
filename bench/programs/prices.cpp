// In the manner of PARSEC's blackscholes: threads price their parts of a portfolio in rounds, with a barrier between
// two. usage: prices OPTIONS THREADS ROUNDS
#include <barrier>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

struct Contract {
  double spot, strike, rate, volatility, years;
};

static double Normal(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }

static double Price(const Contract& c) {
  double root = c.volatility * std::sqrt(c.years);
  double d1 = (std::log(c.spot / c.strike) + (c.rate + 0.5 * c.volatility * c.volatility) * c.years) / root;
  return c.spot * Normal(d1) - c.strike * std::exp(-c.rate * c.years) * Normal(d1 - root);
}

int main(int argc, char** argv) {
  size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20000;
  size_t threads = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 2;
  int rounds = argc > 3 ? std::atoi(argv[3]) : 20;
  std::vector<Contract> contracts(count);
  std::vector<double> prices(count);
  for (size_t i = 0; i < count; ++i) {
    auto spread = static_cast<double>(i % 97);
    contracts[i] = {80 + spread, 90 + spread / 2, 0.02 + spread / 5000, 0.1 + spread / 400, 0.5 + spread / 50};
  }
  std::barrier round(static_cast<long>(threads));
  auto work = [&](size_t part) {
    for (int r = 0; r < rounds; ++r) {
      for (size_t i = part * count / threads; i < (part + 1) * count / threads; ++i) prices[i] = Price(contracts[i]);
      round.arrive_and_wait();
    }
  };
  std::vector<std::thread> pool;
  for (size_t i = 0; i < threads; ++i) pool.emplace_back(work, i);
  for (std::thread& thread : pool) thread.join();
  double total = 0;
  for (double price : prices) total += price;
  std::printf("%.6f\n", total);
  return 0;
}
