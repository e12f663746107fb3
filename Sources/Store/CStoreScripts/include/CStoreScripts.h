// The store's Lua scripts, embedded in the executable so that it needs no other files.
#ifndef CSTORESCRIPTS_H
#define CSTORESCRIPTS_H

#include <stddef.h>

/// Returns all files, each followed by a zero byte. The memory is valid until the process ends.
const unsigned char *store_scripts_bytes(void);
size_t store_scripts_length(void);

#endif
