#include "CICUData.h"

#include <stdint.h>

/// A common data file: its header and a table of contents (udata.h, ucmndata.h).
struct common_data {
  uint16_t header_size;
  uint8_t magic[2];
  uint16_t info_size;
  uint16_t reserved;
  uint8_t is_big_endian;
  uint8_t charset_family;
  uint8_t size_of_character;
  uint8_t also_reserved;
  uint8_t data_format[4];
  uint8_t format_version[4];
  uint8_t data_version[4];
  uint8_t padding[8];
  uint32_t count;
  uint32_t end;
};

_Static_assert(sizeof(struct common_data) == 40, "the table of contents begins behind 32 bytes");

__attribute__((aligned(16))) const struct common_data icudt76_dat = {
    .header_size = 32,
    .magic = {0xda, 0x27},
    .info_size = 20,
    .size_of_character = 2,
    .data_format = {'C', 'm', 'n', 'D'},
    .format_version = {1},
    .data_version = {76, 1},
};
