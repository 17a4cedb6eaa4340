// A file that one thread makes, and of which another learns by inotify.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "steps.h"
int data;
int main() {
  char folder[] = "/tmp/heddle-watched-XXXXXX";
  if (mkdtemp(folder) == nullptr) return 1;
  std::string name = std::string(folder) + "/file";
  int watch = inotify_init1(0);
  inotify_add_watch(watch, folder, IN_CREATE);
  std::thread reader([&] {
    char events[512];
    if (read(watch, events, sizeof events) > 0) WaitStep(1);
    ++data;
  });
#ifndef BUG
  data = 1;
#endif
  int made = creat(name.c_str(), 0600);
#ifdef BUG
  data = 1;
#endif
  NextStep();
  reader.join();
  close(made);
  unlink(name.c_str());
  rmdir(folder);
}
