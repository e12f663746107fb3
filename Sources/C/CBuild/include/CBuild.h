#pragma once

/// The commit that the executable is built from, with `+changes` behind it when the sources were changed since; an empty
/// text when that was not known. `make build` and what builds on it know it.
const char *build_commit(void);
