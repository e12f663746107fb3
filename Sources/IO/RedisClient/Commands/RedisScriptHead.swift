/// The beginning of a script's call: its digest and keys, written once for many calls that differ in their arguments
/// alone.
///
///     var builder = head.call()
///     builder.append(7)
///     let command = head.finish(builder)
public struct RedisScriptHead: Sendable {
    private let script: RedisScript
    private let begun: RedisCommandBuilder
    private let tail: Int
    private let keyCount: Int

    /// Writes down what all calls share.
    public init(_ script: RedisScript, keys: [String]) {
        var builder = RedisCommandBuilder("EVALSHA", byteCountHint: keys.reduce(60) { $0 + $1.utf8.count + 8 })
        builder.append(script.digest)
        tail = builder.position
        builder.append(keys.count)
        for key in keys { builder.append(key) }
        self.script = script
        begun = builder
        keyCount = keys.count
    }

    /// A call that still lacks its arguments. `byteCountHint`: about how many bytes they will take.
    public func call(byteCountHint: Int = 64) -> RedisCommandBuilder {
        RedisCommandBuilder(copying: begun, byteCountHint: byteCountHint)
    }

    /// The call that was begun with `call`, with all its arguments.
    public func finish(_ builder: consuming RedisCommandBuilder) -> RedisCommand {
        let count = builder.argumentCount - begun.argumentCount
        assert(
            script.misfit(keys: keyCount, arguments: count) == nil,
            script.misfit(keys: keyCount, arguments: count) ?? "")
        return (consume builder).finish(script: script, scriptTail: tail)
    }
}
