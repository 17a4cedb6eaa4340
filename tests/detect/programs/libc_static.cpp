// gmtime returns a buffer that all threads share; gmtime_r does not.
#include <ctime>
#include <thread>

static int Year(time_t at) {
#ifdef BUG
  return std::gmtime(&at)->tm_year;
#else
  struct tm parts;
  return gmtime_r(&at, &parts)->tm_year;
#endif
}

int main() {
  int other = 0;
  std::thread thread([&] { other = Year(0); });
  int mine = Year(1000000000);
  thread.join();
  return mine == other ? 2 : 0;
}
