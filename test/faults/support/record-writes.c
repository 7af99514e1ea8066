/* Preloaded into a process: appends every write and sync of LMDB data files to the file $WRITE_LOG, so that a test can
   make the files that a power loss would leave. A record is a header, and the bytes of a write. Calls are recorded one at
   a time, so that the order of the records is that of the calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WRITE = 1, WRITE_DURABLE = 2, SYNC = 3 };

struct header {
  uint32_t kind;
  uint32_t bytes;
  uint64_t offset;
  /* CLOCK_MONOTONIC. */
  uint64_t nanoseconds;
};

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;

#define REAL(result, name, ...) ((result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static int is_data_file(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  const char *name = strrchr(path, '/');
  return name != NULL && strcmp(name, "/data.mdb") == 0;
}

static void append(const void *bytes, size_t count) {
  if (log_file < 0) log_file = open(getenv("WRITE_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (REAL(ssize_t, "write", int, const void *, size_t)(log_file, bytes, count) != (ssize_t)count) abort();
}

static void record(uint32_t kind, off_t offset, const struct iovec *parts, int count) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t nanoseconds = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  struct header header = {kind, 0, (uint64_t)offset, nanoseconds};
  for (int at = 0; at < count; at += 1) header.bytes += (uint32_t)parts[at].iov_len;
  append(&header, sizeof header);
  for (int at = 0; at < count; at += 1) append(parts[at].iov_base, parts[at].iov_len);
}

static int is_recorded(int fd) {
  if (getenv("WRITE_LOG") == NULL || !is_data_file(fd)) return 0;
  pthread_mutex_lock(&order);
  return 1;
}

/* The bytes may reach the disk from the start of the call on. If the file was opened with O_DSYNC, they have at its end. */
static void write_ended(int fd) {
  if (fcntl(fd, F_GETFL) & O_DSYNC) record(WRITE_DURABLE, 0, NULL, 0);
  pthread_mutex_unlock(&order);
}

static ssize_t at_offset(const char *name, int fd, const void *bytes, size_t count, off_t offset) {
  struct iovec part = {(void *)bytes, count};
  int recorded = is_recorded(fd);
  if (recorded) record(WRITE, offset, &part, 1);
  ssize_t written = REAL(ssize_t, name, int, const void *, size_t, off_t)(fd, bytes, count, offset);
  if (recorded) write_ended(fd);
  return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  return at_offset("pwrite", fd, bytes, count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t offset) {
  return at_offset("pwrite64", fd, bytes, count, offset);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  int recorded = is_recorded(fd);
  if (recorded) record(WRITE, lseek(fd, 0, SEEK_CUR), parts, count);
  ssize_t written = REAL(ssize_t, "writev", int, const struct iovec *, int)(fd, parts, count);
  if (recorded) write_ended(fd);
  return written;
}

static int synced(const char *name, int fd) {
  int recorded = is_recorded(fd);
  int failed = REAL(int, name, int)(fd);
  if (recorded && !failed) record(SYNC, 0, NULL, 0);
  if (recorded) pthread_mutex_unlock(&order);
  return failed;
}

int fsync(int fd) { return synced("fsync", fd); }

int fdatasync(int fd) { return synced("fdatasync", fd); }
