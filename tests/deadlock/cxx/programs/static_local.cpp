#include <thread>
int Compute() { return 7; }
struct Table {
  int first;
  Table() : first(Compute()) {}
};
#ifdef FIXED
const Table& Get() {
  static Table table;
  return table;
}
#else
Table* made;
const Table& Get() {
  if (made == nullptr) made = new Table;
  return *made;
}
#endif
void Work() {
  volatile int seen = Get().first;
  (void)seen;
}
int main() {
  std::thread one(Work), two(Work);
  one.join();
  two.join();
}
// expect: race made
