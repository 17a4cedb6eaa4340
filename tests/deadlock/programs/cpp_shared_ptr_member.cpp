// Objects held by shared_ptr, each with its mutex, that call each other.
// expect: cycle A-B C-D
#include <memory>
#include <mutex>
#include <thread>
struct Log {
  std::mutex mutex;
  int lines = 0;
};
struct Store {
  std::mutex mutex;
  std::shared_ptr<Log> log;
  int items = 0;
  void add() {
    std::lock_guard<std::mutex> hold(mutex);            //@ A
    std::lock_guard<std::mutex> hold_log(log->mutex);  //@ B
    items++;
    log->lines++;
  }
};
void flush(Store& store) {
  std::lock_guard<std::mutex> hold(store.log->mutex);  //@ C
  std::lock_guard<std::mutex> hold_store(store.mutex);  //@ D
  store.log->lines = store.items;
}
int main() {
  auto store = std::make_shared<Store>();
  store->log = std::make_shared<Log>();
  std::thread a([store] { store->add(); });
  std::thread b([store] { flush(*store); });
  a.join();
  b.join();
}
