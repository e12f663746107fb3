/// The Lua scripts, each an atomic step on the node of its keys. They compare and set, and leave decisions to
/// `LiveActivity`.
///
/// Each script is a file in its feature's `Lua` folder, with a name in an extension of this type. The file's head
/// documents parameters and reply. Scripts with names that begin with `count`, `find`, `has` or `read` write nothing.
enum Scripts {}
