/* Preloaded into a process: appends the path of each file and folder that is synced to the file $SYNC_LOG, one per
   line, in the order in which the syncs begin. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void record(int fd) {
  const char *log = getenv("SYNC_LOG");
  char link[64], line[4097];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, line, sizeof line - 1);
  if (log == NULL || length < 0) return;
  line[length++] = '\n';
  int file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  /* One call appends the line whole, also while other threads append. */
  if (file < 0 || write(file, line, (size_t)length) != length) abort();
  close(file);
}

int fsync(int fd) {
  record(fd);
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd) {
  record(fd);
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
