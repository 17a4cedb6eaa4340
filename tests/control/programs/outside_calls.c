// Calls that tell of the machine and of other processes, each with another answer in every run.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>
#include <unistd.h>

static void* look(void* unused) {
  char text[128] = "";
  struct sysinfo machine;
  sysinfo(&machine);
  struct statvfs disk;
  struct statfs same;
  statvfs("/proc", &disk);
  statfs("/", &same);
  double load[3];
  getloadavg(load, 3);
  printf("%lu %lu %lu %lu %f %d\n", machine.freeram, (unsigned long)machine.procs, (unsigned long)disk.f_bfree,
         (unsigned long)same.f_bfree, load[0], get_nprocs());
  printf("%ld %ld\n", sysconf(_SC_AVPHYS_PAGES), sysconf(_SC_NPROCESSORS_ONLN));
  int uptime = open("/proc/uptime", O_RDONLY);
  if (pread(uptime, text, sizeof text - 1, 0) > 0) fputs(text, stdout);
  close(uptime);
  FILE* child = popen("echo $$; date +%N; exit 3", "r");
  while (fgets(text, sizeof text, child)) fputs(text, stdout);
  printf("%d\n", pclose(child));
  child = popen("cat > /dev/null", "w");
  printf("%d %d\n", fputs("to a child\n", child) >= 0, pclose(child));
  char file[] = "/tmp/heddle-test-XXXXXX", folder[] = "/tmp/heddle-test-XXXXXX";
  int made = mkstemp(file);
  printf("%s %zd %s\n", file, write(made, "x", 1), mkdtemp(folder));
  close(made);
  printf("%d %d\n", unlink(file), rmdir(folder));
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, look, 0);
  pthread_join(thread, 0);
  return 0;
}
