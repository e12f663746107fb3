public import TimeCore

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
    /// In a cluster: for how many milliseconds the command's outcome waits for a replica; 0 for not at all.
    private(set) var replicationWait: Int32 = 0
    private(set) var isProbe = false
    /// The slot whose node is meant; nil when the command says it.
    private(set) var slot: UInt16?

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

    /// The same command, for a write that shall survive the failure of its node. In a cluster it is answered only when
    /// a replica has the write too, or when none has said so within `limit` (at least a millisecond); it has succeeded
    /// in either case, and `RedisClusterCounts.unreplicated` counts the latter. Other commands for that node wait
    /// meanwhile, so the limit should be well below their deadlines. At a single server
    /// `RedisClientOptions.replicasToWait` decides, the wait has a limit of its own, and no other command waits.
    public func replicated(within limit: TimeInterval) -> RedisCommand {
        var command = self
        command.replicationWait = max(1, Int32(clamping: limit.millisecondsRoundedUp))
        return command
    }

    /// The same command, for a node of a cluster and not for one of its keys. A single server takes no notice.
    public func onNode(ofSlot slot: UInt16) -> RedisCommand {
        var command = self
        command.slot = slot
        return command
    }

    /// The same command, for a question that a server may refuse to answer: that is an answer as well, and is neither
    /// counted as a refusal nor told.
    public func asProbe() -> RedisCommand {
        var command = self
        command.isProbe = true
        return command
    }

    /// The command as it goes to the server.
    public var encoded: ArraySlice<UInt8> { buffer[Int(start)..<(buffer.count - 1)] }
}
