/* Preloaded into a process and its children: appends every write, sync and change of names below the folder $WRITE_ROOT
   to the file $WRITE_LOG, so that a test can make the folder that a power loss would leave. A record is a header, and
   the bytes of a write or the paths of a change of names, relative to the folder. Calls are recorded one at a time, so
   that the order of the records is that of the calls. Memory maps are not recorded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WRITE = 1, WRITE_DURABLE = 2, SYNC = 3, TRUNCATE = 4, CREATE = 5, MKDIR = 6, LINK = 7, RENAME = 8, REMOVE = 9 };

struct header {
  uint32_t kind;
  uint32_t bytes;
  uint64_t inode;
  /* Of a write; the length of a truncation. */
  uint64_t offset;
  /* CLOCK_MONOTONIC. */
  uint64_t nanoseconds;
};

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;

#define REAL(result, name, ...) ((result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

/* The absolute path of a name; 0 if there is none. */
static int absolute(int folder, const char *name, char *path, size_t size) {
  if (name[0] == '/') return snprintf(path, size, "%s", name) < (int)size;
  char link[64], base[4096];
  if (folder == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
  else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t length = readlink(link, base, sizeof base - 1);
  if (length < 0) return 0;
  base[length] = 0;
  return snprintf(path, size, name[0] == 0 ? "%s%s" : "%s/%s", base, name) < (int)size;
}

/* The part of a path below the root; NULL outside of it. */
static const char *below(const char *path) {
  const char *root = getenv("WRITE_ROOT");
  if (root == NULL) return NULL;
  size_t length = strlen(root);
  return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == 0) ? path + length : NULL;
}

static int is_recorded(int fd) {
  char path[4096];
  return getenv("WRITE_LOG") != NULL && absolute(fd, "", path, sizeof path) && below(path) != NULL;
}

static void append(const struct iovec *parts, int count, size_t bytes) {
  if (log_file < 0)
    log_file = REAL(int, "open", const char *, int, ...)(getenv("WRITE_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (REAL(ssize_t, "writev", int, const struct iovec *, int)(log_file, parts, count) != (ssize_t)bytes) abort();
}

static void record(uint32_t kind, uint64_t inode, uint64_t offset, const struct iovec *parts, int count) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct header header = {kind, 0, inode, offset, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec};
  struct iovec all[1025] = {{&header, sizeof header}};
  if (count > 1024) abort();
  for (int at = 0; at < count; at += 1) {
    all[at + 1] = parts[at];
    header.bytes += (uint32_t)parts[at].iov_len;
  }
  append(all, count + 1, sizeof header + header.bytes);
}

static uint64_t inode_of(int fd) {
  struct stat found;
  return fstat(fd, &found) == 0 ? found.st_ino : 0;
}

static uint64_t inode_at(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0 ? found.st_ino : 0;
}

static void record_names(uint32_t kind, uint64_t inode, const char *name, const char *other) {
  struct iovec parts[2] = {{(void *)name, strlen(name) + 1}, {(void *)other, other == NULL ? 0 : strlen(other) + 1}};
  record(kind, inode, 0, parts, 2);
}

/* Writes. The bytes may reach the disk from the start of the call on. If the file was opened with O_DSYNC, they have at
   its end. */
static int write_begins(int fd, off_t offset, const struct iovec *parts, int count) {
  if (!is_recorded(fd)) return 0;
  pthread_mutex_lock(&order);
  if (offset < 0) offset = fcntl(fd, F_GETFL) & O_APPEND ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
  record(WRITE, inode_of(fd), (uint64_t)offset, parts, count);
  return 1;
}

static void write_ended(int fd) {
  if (fcntl(fd, F_GETFL) & O_DSYNC) record(WRITE_DURABLE, inode_of(fd), 0, NULL, 0);
  pthread_mutex_unlock(&order);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  struct iovec part = {(void *)bytes, count};
  int recorded = write_begins(fd, -1, &part, 1);
  ssize_t written = REAL(ssize_t, "write", int, const void *, size_t)(fd, bytes, count);
  if (recorded) write_ended(fd);
  return written;
}

static ssize_t at_offset(const char *name, int fd, const void *bytes, size_t count, off_t offset) {
  struct iovec part = {(void *)bytes, count};
  int recorded = write_begins(fd, offset, &part, 1);
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
  int recorded = write_begins(fd, -1, parts, count);
  ssize_t written = REAL(ssize_t, "writev", int, const struct iovec *, int)(fd, parts, count);
  if (recorded) write_ended(fd);
  return written;
}

static ssize_t parts_at_offset(const char *name, int fd, const struct iovec *parts, int count, off_t offset) {
  int recorded = write_begins(fd, offset, parts, count);
  ssize_t written = REAL(ssize_t, name, int, const struct iovec *, int, off_t)(fd, parts, count, offset);
  if (recorded) write_ended(fd);
  return written;
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return parts_at_offset("pwritev", fd, parts, count, offset);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset) {
  return parts_at_offset("pwritev64", fd, parts, count, offset);
}

static int resized(const char *name, int fd, off_t length) {
  int recorded = is_recorded(fd);
  if (recorded) {
    pthread_mutex_lock(&order);
    record(TRUNCATE, inode_of(fd), (uint64_t)length, NULL, 0);
  }
  int failed = REAL(int, name, int, off_t)(fd, length);
  if (recorded) pthread_mutex_unlock(&order);
  return failed;
}

int ftruncate(int fd, off_t length) { return resized("ftruncate", fd, length); }

int ftruncate64(int fd, off_t length) { return resized("ftruncate64", fd, length); }

static int synced(const char *name, int fd) {
  int recorded = is_recorded(fd);
  if (recorded) pthread_mutex_lock(&order);
  int failed = REAL(int, name, int)(fd);
  if (recorded && !failed) record(SYNC, inode_of(fd), 0, NULL, 0);
  if (recorded) pthread_mutex_unlock(&order);
  return failed;
}

int fsync(int fd) { return synced("fsync", fd); }

int fdatasync(int fd) { return synced("fdatasync", fd); }

/* Names. A change is recorded after the call, if it succeeded. */
static int opened(const char *function, int folder, const char *name, int flags, mode_t mode) {
  char path[4096];
  const char *relative = NULL;
  if ((flags & (O_CREAT | O_TRUNC)) && getenv("WRITE_LOG") != NULL && absolute(folder, name, path, sizeof path))
    relative = below(path);
  if (relative != NULL) pthread_mutex_lock(&order);
  int is_new = relative != NULL && inode_at(path) == 0;
  int fd = strncmp(function, "openat", 6) == 0
    ? REAL(int, function, int, const char *, int, ...)(folder, name, flags, mode)
    : REAL(int, function, const char *, int, ...)(name, flags, mode);
  int error = errno;
  if (relative != NULL && fd >= 0) {
    if (is_new) record_names(CREATE, inode_of(fd), relative, NULL);
    else if (flags & O_TRUNC) record(TRUNCATE, inode_of(fd), 0, NULL, 0);
  }
  if (relative != NULL) pthread_mutex_unlock(&order);
  errno = error;
  return fd;
}

#define MODE(flags, mode) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list arguments; \
    va_start(arguments, flags); \
    mode = va_arg(arguments, mode_t); \
    va_end(arguments); \
  }

int open(const char *name, int flags, ...) {
  MODE(flags, mode)
  return opened("open", AT_FDCWD, name, flags, mode);
}

int open64(const char *name, int flags, ...) {
  MODE(flags, mode)
  return opened("open64", AT_FDCWD, name, flags, mode);
}

int openat(int folder, const char *name, int flags, ...) {
  MODE(flags, mode)
  return opened("openat", folder, name, flags, mode);
}

int openat64(int folder, const char *name, int flags, ...) {
  MODE(flags, mode)
  return opened("openat64", folder, name, flags, mode);
}

/* Begins a change of names. Returns the path below the root, or NULL if it is not recorded. */
static const char *names_change(int folder, const char *name, char *path, size_t size) {
  if (getenv("WRITE_LOG") == NULL || !absolute(folder, name, path, size)) return NULL;
  const char *relative = below(path);
  if (relative != NULL) pthread_mutex_lock(&order);
  return relative;
}

static int names_changed(int failed, uint32_t kind, uint64_t inode, const char *relative, const char *other) {
  int error = errno;
  if (relative != NULL && !failed) record_names(kind, inode, relative, other);
  if (relative != NULL) pthread_mutex_unlock(&order);
  errno = error;
  return failed;
}

int mkdir(const char *name, mode_t mode) {
  char path[4096];
  const char *relative = names_change(AT_FDCWD, name, path, sizeof path);
  int failed = REAL(int, "mkdir", const char *, mode_t)(name, mode);
  return names_changed(failed, MKDIR, failed ? 0 : inode_at(path), relative, NULL);
}

static int removed(int folder, const char *name, int flags) {
  char path[4096];
  const char *relative = names_change(folder, name, path, sizeof path);
  uint64_t inode = relative == NULL ? 0 : inode_at(path);
  int failed = REAL(int, "unlinkat", int, const char *, int)(folder, name, flags);
  return names_changed(failed, REMOVE, inode, relative, NULL);
}

int unlink(const char *name) { return removed(AT_FDCWD, name, 0); }

int rmdir(const char *name) { return removed(AT_FDCWD, name, AT_REMOVEDIR); }

int unlinkat(int folder, const char *name, int flags) { return removed(folder, name, flags); }

/* Moves and links inside of the root only. */
static int moved(uint32_t kind, const char *from, const char *to) {
  char source[4096], target[4096];
  const char *relative = names_change(AT_FDCWD, from, source, sizeof source);
  if (relative != NULL && !(absolute(AT_FDCWD, to, target, sizeof target) && below(target) != NULL)) abort();
  uint64_t inode = relative == NULL ? 0 : inode_at(source);
  int failed = REAL(int, kind == RENAME ? "rename" : "link", const char *, const char *)(from, to);
  return names_changed(failed, kind, inode, relative, relative == NULL ? NULL : below(target));
}

int rename(const char *from, const char *to) { return moved(RENAME, from, to); }

int link(const char *from, const char *to) { return moved(LINK, from, to); }
