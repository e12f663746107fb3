#ifndef FANFARE_CHIREDIS_SHIM_H
#define FANFARE_CHIREDIS_SHIM_H

#include <hiredis/hiredis.h>
#include <hiredis/async.h>

/*
 * What one reply may take. The library believes whatever size a server claims: it makes an array of 2^31 - 1 elements before
 * the first of them has come, and keeps what has come of a string however long that is going to be.
 */
struct fanfare_reply_bound {
    redisReplyObjectFunctions functions;
    redisReplyObjectFunctions *library;
    size_t maximum_elements, maximum_bytes;
    /* Of the reply that is being read. */
    size_t elements, bytes;
    int is_exceeded;
};

static inline struct fanfare_reply_bound *fanfare_reply_bound_of(const redisReadTask *task) {
    return (struct fanfare_reply_bound *)task->privdata;
}

static inline void *fanfare_bounded_string(const redisReadTask *task, char *text, size_t count) {
    struct fanfare_reply_bound *bound = fanfare_reply_bound_of(task);
    if (task->parent == NULL) { bound->elements = bound->bytes = 0; }
    bound->bytes += count;
    if (bound->bytes > bound->maximum_bytes) {
        bound->is_exceeded = 1;
        return NULL;
    }
    return bound->library->createString(task, text, count);
}

#if HIREDIS_MAJOR >= 1
static inline void *fanfare_bounded_array(const redisReadTask *task, size_t count) {
#else
static inline void *fanfare_bounded_array(const redisReadTask *task, int count) {
#endif
    struct fanfare_reply_bound *bound = fanfare_reply_bound_of(task);
    if (task->parent == NULL) { bound->elements = bound->bytes = 0; }
    bound->elements += (size_t)count;
    if (bound->elements > bound->maximum_elements) {
        bound->is_exceeded = 1;
        return NULL;
    }
    return bound->library->createArray(task, count);
}

/* From here on the reader ends at a reply beyond the bound, which must live until `fanfare_unbind`. */
static inline void fanfare_bind(redisReader *reader, struct fanfare_reply_bound *bound) {
    bound->library = reader->fn;
    bound->functions = *reader->fn;
    bound->functions.createString = fanfare_bounded_string;
    bound->functions.createArray = fanfare_bounded_array;
    reader->fn = &bound->functions;
    reader->privdata = bound;
}

static inline void fanfare_unbind(redisReader *reader, const struct fanfare_reply_bound *bound) {
    reader->fn = bound->library;
}

/* Whether what has come of an element that is not whole is more than an element may have. A line is read anew with each
   piece of it, so it may be no longer than `line`. */
static inline int fanfare_is_exceeded(
    const redisReader *reader, const struct fanfare_reply_bound *bound, size_t line) {
#if HIREDIS_MAJOR >= 1
    int is_string = reader->ridx >= 0 && reader->task[reader->ridx]->type == REDIS_REPLY_STRING;
#else
    int is_string = reader->ridx >= 0 && reader->rstack[reader->ridx].type == REDIS_REPLY_STRING;
#endif
    return bound->is_exceeded || reader->len - reader->pos > (is_string ? bound->maximum_bytes : line);
}

#endif
