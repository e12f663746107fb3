// The console's page and what it loads, as bytes inside the executable: it is one file that runs anywhere, so nothing may lie
// beside it.
#ifndef CCONSOLEASSETS_H
#define CCONSOLEASSETS_H

#include <stddef.h>

/// A file. Valid for as long as the process lives.
struct console_asset {
  /// Without a folder, such as `index.html`.
  const char *name;
  const unsigned char *bytes;
  size_t length;
};

/// How many files there are.
size_t console_asset_count(void);

/// One of them, by its place from 0; all fields are empty beyond the last.
struct console_asset console_asset(size_t index);

#endif
