// Objects in a map, found again by key.
// expect: cycle A-B C-D
#include <map>
#include <mutex>
#include <thread>
struct Entry {
  std::mutex data, log;
};
std::map<int, Entry*> table;
Entry one;
void other() {
  auto at = table.find(1);
  if (at == table.end()) return;
  std::lock_guard<std::mutex> l(at->second->log);   //@ A
  std::lock_guard<std::mutex> m(at->second->data);  //@ B
}
int main() {
  table.emplace(1, &one);
  std::thread t(other);
  {
    std::lock_guard<std::mutex> l(one.data);  //@ C
    std::lock_guard<std::mutex> m(one.log);   //@ D
  }
  t.join();
}
