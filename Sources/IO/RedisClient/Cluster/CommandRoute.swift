/// The cluster node for a command, determined from its RESP. Used only in a cluster.
enum CommandRoute: Equatable {
    /// The node with this slot.
    case slot(UInt16)
    /// Any node.
    case any
    /// Not possible on a shared connection in a cluster.
    case unsupported

    /// The position of a command's first key, counted after its name.
    private enum Place {
        case first, second, third
        /// After the number of keys, which is the first or second argument.
        case counted, laterCounted
        /// After the word STREAMS.
        case streams
        /// Without a key, or the same on any node.
        case nowhere
        case transaction
    }

    private static let names: [Place: String] = [
        .nowhere: """
        ACL ASKING AUTH BGREWRITEAOF BGSAVE CLIENT CLUSTER COMMAND CONFIG DBSIZE DEBUG ECHO FLUSHALL FLUSHDB FUNCTION \
        INFO KEYS LASTSAVE LATENCY LOLWUT MODULE PING PUBLISH PUBSUB RANDOMKEY READONLY READWRITE ROLE SAVE SCAN \
        SCRIPT SELECT SLOWLOG TIME WAIT WAITAOF
        """,
        .counted: "LMPOP SINTERCARD ZDIFF ZINTER ZINTERCARD ZMPOP ZUNION",
        .laterCounted: "EVAL EVALSHA EVAL_RO EVALSHA_RO FCALL FCALL_RO BLMPOP BZMPOP",
        .streams: "XREAD XREADGROUP",
        .second: "XGROUP XINFO OBJECT MEMORY BITOP",
        .third: "MIGRATE",
        .transaction: "MULTI EXEC DISCARD WATCH UNWATCH",
    ]

    private static let streamsWord = PackedCommandName("STREAMS")
    private static let places: [PackedCommandName: Place] = names.reduce(into: [:]) { places, entry in
        for name in entry.value.split(separator: " ") {
            places[PackedCommandName(String(name))] = entry.key
        }
    }

    init(_ command: RedisCommand) {
        if let slot = command.slot {
            self = .slot(slot)
            return
        }
        self = command.buffer.withUnsafeBytes { bytes in
            var arguments = EncodedArguments(bytes, from: Int(command.start))
            guard let name = arguments.next() else { return .any }
            return CommandRoute.find(CommandRoute.places[PackedCommandName(name)] ?? .first, &arguments)
        }
    }

    private static func find(_ place: Place, _ rest: inout EncodedArguments) -> CommandRoute {
        switch place {
        case .first: break
        case .second: rest.skip(1)
        case .third: rest.skip(2)
        case .counted: return behindCount(&rest)
        case .laterCounted:
            rest.skip(1)
            return behindCount(&rest)
        case .streams:
            while let word = rest.next() {
                if PackedCommandName(word) == streamsWord { return key(rest.next()) }
            }
            return .any
        case .nowhere: return .any
        case .transaction: return .unsupported
        }
        return key(rest.next())
    }

    private static func behindCount(_ rest: inout EncodedArguments) -> CommandRoute {
        guard let count = rest.next(), !count.elementsEqual([UInt8(ascii: "0")]) else { return .any }
        return key(rest.next())
    }

    private static func key(_ bytes: UnsafeRawBufferPointer?) -> CommandRoute {
        bytes.map { .slot(ClusterSlot.of($0)) } ?? .any
    }
}

/// The arguments of a command in RESP, in order. This process wrote them, but they are validated nevertheless.
struct EncodedArguments {
    private let bytes: UnsafeRawBufferPointer
    private var position: Int
    private var left = 0

    /// - Parameter start: The offset of the `*`.
    init(_ bytes: UnsafeRawBufferPointer, from start: Int) {
        self.bytes = bytes
        position = start
        left = number() ?? 0
    }

    /// The next argument; the first is the command's name.
    mutating func next() -> UnsafeRawBufferPointer? {
        guard left > 0, let length = number(), length <= bytes.count - position else { return nil }
        left -= 1
        let argument = UnsafeRawBufferPointer(rebasing: bytes[position..<(position + length)])
        position += length + 2
        return argument
    }

    mutating func skip(_ count: Int) {
        for _ in 0..<count { _ = next() }
    }

    /// Parses the number between a mark and the end of its line.
    private mutating func number() -> Int? {
        position += 1
        var number = 0
        while position < bytes.count, (0x30...0x39).contains(bytes[position]), number < 1 << 40 {
            number = number * 10 + Int(bytes[position] - 0x30)
            position += 1
        }
        guard position + 2 <= bytes.count, bytes[position] == UInt8(ascii: "\r") else { return nil }
        position += 2
        return number
    }
}
