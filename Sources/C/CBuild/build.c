#include "CBuild.h"

// scripts/commit.sh writes it, and has this file compiled anew.
#if __has_include("commit.h")
#include "commit.h"
#else
#define BUILD_COMMIT ""
#endif

const char *build_commit(void) { return BUILD_COMMIT; }
