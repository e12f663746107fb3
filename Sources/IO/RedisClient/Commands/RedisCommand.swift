public import TimeCore

/// A command with its arguments, encoded in RESP in one buffer.
public struct RedisCommand: Sendable {
    let buffer: [UInt8]
    /// The beginning of the RESP in `buffer`; it ends one byte before the end.
    let start: Int32
    /// The script that this command calls by its digest, if any.
    let script: RedisScript?
    /// The beginning in `buffer` of the arguments after the digest.
    let scriptTail: Int32
    let argumentCount: Int32
    let changesProtocol: Bool
    /// The maximum wait for a replica in a cluster, in milliseconds; 0 for none.
    private(set) var replicationWait: Int32 = 0
    private(set) var isProbe = false
    /// The slot whose node is the target; nil if the command's key determines it.
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

    /// A command with arguments: `RedisCommand("HSET", key, "field", 7)`.
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

    /// Returns the command as a write that should survive the failure of its node. In a cluster it is answered after a
    /// replica's acknowledgement or after `limit` (at least a millisecond). It has succeeded in either case;
    /// `RedisClusterCounts.unreplicated` counts the latter. Other commands for that node wait meanwhile, so keep the
    /// limit well below their deadlines. With a single server, `RedisClientOptions.replicasToWait` decides. The wait
    /// then has its own limit and delays no other command.
    public func replicated(within limit: TimeInterval) -> RedisCommand {
        var command = self
        command.replicationWait = max(1, Int32(clamping: limit.millisecondsRoundedUp))
        return command
    }

    /// Returns the command addressed to a cluster node rather than to its key's slot. A single server ignores this.
    public func onNode(ofSlot slot: UInt16) -> RedisCommand {
        var command = self
        command.slot = slot
        return command
    }

    /// Returns the command as a probe, whose refusal is an expected answer. A refusal is neither counted nor reported.
    public func asProbe() -> RedisCommand {
        var command = self
        command.isProbe = true
        return command
    }

    /// The command in RESP, as sent to the server.
    public var encoded: ArraySlice<UInt8> { buffer[Int(start)..<(buffer.count - 1)] }
}
