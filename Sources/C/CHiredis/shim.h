#ifndef FANFARE_CHIREDIS_SHIM_H
#define FANFARE_CHIREDIS_SHIM_H

#include <hiredis/hiredis.h>
#include <hiredis/async.h>

#endif
