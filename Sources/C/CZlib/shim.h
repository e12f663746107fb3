#include <zlib.h>

// Macros, which Swift does not see: a stream that writes gzip (RFC 1952) with the usual memory, and one that reads it.
static inline int fanfare_gzip_init(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

static inline int fanfare_gunzip_init(z_stream *stream) {
    return inflateInit2(stream, 15 + 16);
}
