// A virtual call takes the second lock.
// expect: cycle A-B C-D
#include <mutex>
#include <thread>
std::mutex a_mutex, b_mutex;
struct Shape { virtual void draw() = 0; virtual ~Shape() = default; };
struct Circle : Shape { void draw() override { std::lock_guard<std::mutex> b(b_mutex); } };  //@ B
struct Square : Shape { void draw() override {} };
Shape *shapes[2];
int x;
void one() {
  std::lock_guard<std::mutex> a(a_mutex);  //@ A
  shapes[0]->draw();
}
void two() {
  std::lock_guard<std::mutex> b(b_mutex);  //@ C
  std::lock_guard<std::mutex> a(a_mutex);  //@ D
}
int main() {
  shapes[0] = new Circle;
  shapes[1] = new Square;
  std::thread a(one), b(two);
  a.join();
  b.join();
}
