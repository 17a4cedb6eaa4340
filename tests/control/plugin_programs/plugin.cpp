// A plugin in C++: function-local statics, a random device, a future.
#include <future>
#include <random>
#include <string>

static std::string Made() { return "made"; }

extern "C" unsigned Used() {
  static const std::string once = Made();
  std::random_device device;
  std::promise<unsigned> promise;
  std::future<unsigned> later = promise.get_future();
  promise.set_value_at_thread_exit(0);
  return (device() & 0U) + static_cast<unsigned>(once.size());
}
