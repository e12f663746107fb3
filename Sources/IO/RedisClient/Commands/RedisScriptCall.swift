/// Encodes a script's call, key by key and argument by argument. Use it where arrays of them would cost too much:
///
///     var call = RedisScriptCall(script, keyCount: 1, byteCountHint: 80)
///     call.append(key)
///     call.append(7)
///     let command = (consume call).finish()
public struct RedisScriptCall: Sendable {
    private let script: RedisScript
    private let keyCount: Int
    private var builder: RedisCommandBuilder
    /// The beginning of what stands behind the digest.
    private let tail: Int

    /// - Parameters:
    ///   - keyCount: The number of keys, which are appended first.
    ///   - byteCountHint: The approximate size of all keys and arguments in bytes.
    public init(_ script: RedisScript, keyCount: Int, byteCountHint: Int) {
        self.script = script
        self.keyCount = keyCount
        builder = RedisCommandBuilder("EVALSHA", byteCountHint: 60 + byteCountHint)
        builder.append(script.digest)
        tail = builder.position
        builder.append(keyCount)
    }

    /// Continues a copy of another call.
    /// - Parameter byteCountHint: The approximate size of the further arguments in bytes.
    public init(copying begun: RedisScriptCall, byteCountHint: Int) {
        script = begun.script
        keyCount = begun.keyCount
        builder = RedisCommandBuilder(copying: begun.builder, byteCountHint: byteCountHint)
        tail = begun.tail
    }

    /// Appends one key or argument.
    public mutating func append(_ argument: some RedisArgumentConvertible) {
        argument.append(to: &builder)
    }

    /// Appends keys or arguments that are already encoded.
    public mutating func append(_ parts: [RedisArguments.Part]) {
        for part in parts { builder.append(encoded: part.encoded, argumentCount: part.count) }
    }

    /// Returns the command with all arguments so far. Pass the call with `consume`, or its buffer is copied.
    public consuming func finish() -> RedisCommand {
        // The digest and the number of keys are no arguments of the script, and the command's name is one of EVALSHA.
        let count = builder.argumentCount - 3 - keyCount
        assert(
            script.misfit(keys: keyCount, arguments: count) == nil,
            script.misfit(keys: keyCount, arguments: count) ?? "")
        return builder.finishInPlace(script: script, scriptTail: tail)
    }
}

extension [RedisArguments.Part] {
    /// The number of arguments.
    public var argumentCount: Int { reduce(0) { $0 + $1.count } }

    /// The size of the arguments in bytes.
    public var redisByteCountHint: Int { reduce(0) { $0 + $1.encoded.count } }
}
