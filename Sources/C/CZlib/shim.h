#include <zlib.h>

// A macro, which Swift does not see: a stream that writes gzip (RFC 1952) with the usual memory.
static inline int fanfare_gzip_init(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
