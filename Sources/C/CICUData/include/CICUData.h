// What the executable has of ICU's data, which is nothing.
//
// Foundation brings ICU, and with it 31 MB of data about languages, calendars and scripts. Nothing that Fanfare does depends on a
// language, so where Foundation is linked in, this takes the data's place, as ICU's own stubdata does: a common data file
// (ICU User Guide, ICU Data) without an item. Whoever would need an item is told that there is none.
//
// The symbol has the version of the ICU that the compiler brings; of another version's this changes nothing, and the executable is
// larger. `make check-deb` says so.
#ifndef CICUDATA_H
#define CICUDATA_H

#endif
