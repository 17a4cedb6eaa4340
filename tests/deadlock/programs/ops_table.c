// Devices of two kinds behind one dispatcher: each handler gets its own kind only, so the orders are the same.
// expect: none
#include <pthread.h>
#include <stdlib.h>
struct device;
struct ops {
  int version;
  void (*poll)(struct device *);
};
struct device {
  int id;
  const struct ops *ops;
  pthread_mutex_t lock;
  struct device *parent;
};
static void poll_disk(struct device *disk) {
  pthread_mutex_lock(&disk->lock);
  disk->id++;
  pthread_mutex_unlock(&disk->lock);
}
static void poll_bus(struct device *bus) {
  pthread_mutex_lock(&bus->lock);
  struct device *disk = bus->parent;
  pthread_mutex_lock(&disk->lock);
  disk->id++;
  pthread_mutex_unlock(&disk->lock);
  pthread_mutex_unlock(&bus->lock);
}
static const struct ops disk_ops = {1, poll_disk}, bus_ops = {1, poll_bus};
static struct device *make(const struct ops *ops) {
  struct device *device = calloc(1, sizeof *device);
  pthread_mutex_init(&device->lock, 0);
  device->ops = ops;
  return device;
}
static void *run(void *arg) {
  struct device *device = arg;
  for (int i = 0; i < 10; i++) device->ops->poll(device);
  return 0;
}
int main() {
  struct device *disk = make(&disk_ops), *bus = make(&bus_ops);
  bus->parent = disk;
  pthread_t a, b;
  pthread_create(&a, 0, run, disk);
  pthread_create(&b, 0, run, bus);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
