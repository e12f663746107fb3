#ifndef FANFARE_CLINUX_SHIM_H
#define FANFARE_CLINUX_SHIM_H

#include <errno.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/* The kernel calls and constants that Swift's Glibc module leaves out. */

static const uint32_t fanfare_epoll_in = EPOLLIN;
static const uint32_t fanfare_epoll_out = EPOLLOUT;
static const uint32_t fanfare_epoll_err = EPOLLERR;
static const uint32_t fanfare_epoll_hup = EPOLLHUP;
static const uint32_t fanfare_epoll_rdhup = EPOLLRDHUP;

/* Creates a close-on-exec epoll instance; -1 and errno on failure. */
static inline int fanfare_epoll_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

/* Adds, changes or removes (events == 0) a descriptor. `data` comes back with each event. */
static inline int fanfare_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t data) {
    struct epoll_event event = {.events = events, .data = {.u64 = data}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int fanfare_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t data) {
    struct epoll_event event = {.events = events, .data = {.u64 = data}};
    return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event);
}

static inline int fanfare_epoll_remove(int epoll, int descriptor) {
    struct epoll_event event = {0};
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event);
}

/* One event, in a form that Swift can read whatever the packing of struct epoll_event is. */
struct fanfare_ready {
    uint32_t events;
    uint64_t data;
};

/* Waits for at most `timeout` milliseconds and fills `ready`; returns the number filled, or -1 and errno. */
static inline int fanfare_epoll_wait(int epoll, struct fanfare_ready *ready, int capacity, int timeout) {
    struct epoll_event events[256];
    if (capacity > 256) { capacity = 256; }
    int count = epoll_wait(epoll, events, capacity, timeout);
    for (int index = 0; index < count; index++) {
        ready[index].events = events[index].events;
        ready[index].data = events[index].data.u64;
    }
    return count;
}

/* A non-blocking, close-on-exec event descriptor. */
static inline int fanfare_eventfd(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

/* A non-blocking, close-on-exec stream socket. */
static inline int fanfare_stream_socket(int family) {
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Names the calling thread; at most 15 bytes. */
int prctl(int, ...);
static inline void fanfare_name_thread(const char *name) {
    prctl(15 /* PR_SET_NAME */, name, 0, 0, 0);
}

static const int fanfare_sock_stream = SOCK_STREAM;

/* Gives free memory back to the system, all but so many bytes at the top. */
int malloc_trim(size_t);
static inline int fanfare_malloc_trim(size_t kept) {
    return malloc_trim(kept);
}

/* send(2) that never raises SIGPIPE. */
static inline ssize_t fanfare_send(int descriptor, const void *bytes, size_t count) {
    return send(descriptor, bytes, count, MSG_NOSIGNAL);
}

/* Accepts a connection as a non-blocking, close-on-exec socket. */
int accept4(int, struct sockaddr *, socklen_t *, int);
static inline int fanfare_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/* Makes a spawned child close every descriptor from `first` on (glibc 2.34). */
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
static inline int fanfare_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

#endif
