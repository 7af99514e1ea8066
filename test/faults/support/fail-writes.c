/* Preloaded into a process: writes of LMDB's meta pages fail with EIO while the file $FAULT_TRIGGER exists. If the
   file is named "once", the first failure removes it; if it is named "hang", writes wait instead of failing; if it is
   named "sync", syncs of the data fail and writes do not; if it is named "names", only syncs of folders fail. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define META_BYTES 8192

typedef ssize_t (*pwrite_function)(int, const void *, size_t, off_t);

static int is_data_file(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, "data.mdb") != NULL;
}

static int is_triggered(const char *trigger, int fd) {
  return trigger != NULL && access(trigger, F_OK) == 0 && is_data_file(fd);
}

static int fails(int fd, off_t offset) {
  const char *trigger = getenv("FAULT_TRIGGER");
  if (offset >= META_BYTES || !is_triggered(trigger, fd) || strstr(trigger, "sync") != NULL || strstr(trigger, "/names") != NULL) return 0;
  if (strstr(trigger, "hang") != NULL) {
    while (access(trigger, F_OK) == 0) usleep(50000);
    return 0;
  }
  if (strstr(trigger, "once") != NULL) unlink(trigger);
  errno = EIO;
  return 1;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  if (fails(fd, offset)) return -1;
  return ((pwrite_function)dlsym(RTLD_NEXT, "pwrite"))(fd, bytes, count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t offset) {
  if (fails(fd, offset)) return -1;
  return ((pwrite_function)dlsym(RTLD_NEXT, "pwrite64"))(fd, bytes, count, offset);
}

static int is_folder(int fd) {
  struct stat found;
  return fstat(fd, &found) == 0 && S_ISDIR(found.st_mode);
}

static int sync_fails(int fd) {
  const char *trigger = getenv("FAULT_TRIGGER");
  if (trigger != NULL && strstr(trigger, "/names") != NULL && access(trigger, F_OK) == 0 && is_folder(fd)) {
    errno = EIO;
    return 1;
  }
  if (!is_triggered(trigger, fd) || strstr(trigger, "sync") == NULL) return 0;
  errno = EIO;
  return 1;
}

int fdatasync(int fd) {
  return sync_fails(fd) ? -1 : ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}

int fsync(int fd) {
  return sync_fails(fd) ? -1 : ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}
