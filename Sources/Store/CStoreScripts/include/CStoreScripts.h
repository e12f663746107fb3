// The store's Lua scripts as bytes inside the executable: it is one file that runs anywhere, so nothing may lie beside it.
#ifndef CSTORESCRIPTS_H
#define CSTORESCRIPTS_H

#include <stddef.h>

/// All files, each with a zero byte behind it. Valid for as long as the process lives.
const unsigned char *store_scripts_bytes(void);
size_t store_scripts_length(void);

#endif
