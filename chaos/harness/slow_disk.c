/* Loaded into a redis-server ahead of the C library: each sync of a file takes as long as a small file says, in
   milliseconds. The file is looked at again and again, so that a disk that is well again is so at once. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STEP = 5 };

static long milliseconds(void) {
    const char *path = getenv("SLOW_DISK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return 0;
    char text[16] = {0};
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    return length > 0 ? atol(text) : 0;
}

static void take_time(void) {
    const struct timespec step = {0, STEP * 1000000L};
    int before = errno;
    for (long taken = 0; taken < milliseconds(); taken += STEP) nanosleep(&step, NULL);
    errno = before;
}

int fsync(int file) {
    take_time();
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    take_time();
    return (int)syscall(SYS_fdatasync, file);
}
