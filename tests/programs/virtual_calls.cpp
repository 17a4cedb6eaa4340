// Virtual calls and destructors: reads and writes of the vptr.
#include <memory>
#include <thread>

#include "check.h"

struct Shape {
  virtual ~Shape() = default;
  virtual int Corners() const = 0;
};
struct Square : Shape {
  int corners = 4;
  int Corners() const override { return corners; }
};

int main() {
  std::unique_ptr<Shape> shape(new Square);
  int corners = 0;
  std::thread worker([&] { corners = shape->Corners(); });
  worker.join();
  shape.reset();
  std::printf("%d\n", corners);
}
