// The clock of one program, SHIFT seconds ahead: put in front of the C library by LD_PRELOAD.
//
//     cc -shared -fPIC -DSHIFT=-86400 -o shifted_clock.so shifted_clock.c
//
// The kernel is asked directly: a library that looks up the C library's function allocates memory for that, and
// redis-server's allocator asks for the time before it gives any. Clocks that only measure are left as they are.

#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    int status = (int)syscall(SYS_clock_gettime, clock, now);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += SHIFT;
    return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec exact;
    if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return -1;
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec exact;
    if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return (time_t)-1;
    if (now) *now = exact.tv_sec;
    return exact.tv_sec;
}
