/// A command with its arguments, written to RESP once, in one buffer.
public struct RedisCommand: Sendable {
    let buffer: [UInt8]
    /// Where the RESP begins in `buffer`; it ends one byte before the end.
    let start: Int32
    /// The script that this command calls by its digest, if it does.
    let script: RedisScript?
    /// Where the arguments behind the digest begin in `buffer`.
    let scriptTail: Int32
    let argumentCount: Int32
    let changesProtocol: Bool

    init(
        buffer: [UInt8], start: Int, script: RedisScript?, scriptTail: Int, argumentCount: Int, changesProtocol: Bool
    ) {
        self.buffer = buffer
        self.start = Int32(start)
        self.script = script
        self.scriptTail = Int32(scriptTail)
        self.argumentCount = Int32(clamping: argumentCount)
        self.changesProtocol = changesProtocol
    }

    /// `RedisCommand("HSET", key, "field", 7)`.
    @inlinable
    public init<each Argument: RedisArgumentConvertible>(_ name: String, _ arguments: repeat each Argument) {
        var hint = 0
        for argument in repeat each arguments { hint += argument.redisByteCountHint + 8 }
        var builder = RedisCommandBuilder(name, byteCountHint: hint)
        for argument in repeat each arguments { argument.append(to: &builder) }
        self = builder.finish()
    }

    /// A command with any number of arguments of one type.
    public init(_ name: String, arguments: [some RedisArgumentConvertible]) {
        var builder = RedisCommandBuilder(
            name, byteCountHint: arguments.reduce(0) { $0 + $1.redisByteCountHint + 8 })
        for argument in arguments { argument.append(to: &builder) }
        self = builder.finish()
    }

    /// The command as it goes to the server.
    public var encoded: ArraySlice<UInt8> { buffer[Int(start)..<(buffer.count - 1)] }
}
