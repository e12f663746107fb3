import RedisClient

/// The atomic steps, each a Lua script that runs on the node of its keys. They compare and set; the rules that decide
/// stand in `LiveActivity`. Each is a file under the `Lua` folder of its feature, which names it in an extension, whose
/// head says what it takes and replies; a script whose name begins with `count`, `find`, `has` or `read` writes
/// nothing.
enum Scripts {
    static let all: [RedisScript] = ScriptLibrary.embedded.scripts.values.sorted { $0.name < $1.name }
}
