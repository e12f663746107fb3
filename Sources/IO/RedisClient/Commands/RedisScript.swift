import COpenSSL
import Encodings

/// A Lua script that Redis runs atomically. It is called by its digest. If a server lacks it after a restart or SCRIPT
/// FLUSH, the client sends the source.
public final class RedisScript: Sendable, CustomStringConvertible {
    /// The name in logs and metrics.
    public let name: String
    /// The Lua source.
    public let source: String
    /// The SHA-1 of the source in lower-case hexadecimal, for EVALSHA.
    public let digest: String
    /// The number of keys and arguments, if declared: debug builds check every call.
    public let arity: RedisScriptArity?

    /// - Parameters: see the properties.
    public init(name: String, source: String, arity: RedisScriptArity? = nil) {
        self.name = name
        self.source = source
        self.arity = arity
        digest = RedisScript.sha1(Array(source.utf8))
    }

    public var description: String { "script \(name)" }

    private static func sha1(_ bytes: [UInt8]) -> String {
        var output = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
        SHA1(bytes, bytes.count, &output)
        return Hexadecimal.encode(output)
    }
}

extension RedisCommand {
    /// Creates an EVALSHA call. If the server lacks the script, the client sends EVAL once, within the same deadline.
    /// In a pipeline the script then runs after later commands. If the order matters, add the script to
    /// `RedisClientOptions.scripts`.
    public init(
        script: RedisScript, keys: [some RedisArgumentConvertible], arguments: [any RedisArgumentConvertible] = []
    ) {
        assert(
            script.misfit(keys: keys.count, arguments: arguments.count) == nil,
            script.misfit(keys: keys.count, arguments: arguments.count) ?? "")
        let hint = keys.reduce(60) { $0 + $1.redisByteCountHint + 8 }
        var builder = RedisCommandBuilder(
            "EVALSHA", byteCountHint: arguments.reduce(hint) { $0 + $1.redisByteCountHint + 8 })
        builder.append(script.digest)
        let tail = builder.position
        builder.append(keys.count)
        for key in keys { key.append(to: &builder) }
        for argument in arguments { argument.append(to: &builder) }
        self = builder.finish(script: script, scriptTail: tail)
    }

    /// The call with the source instead of the digest; nil if the command does not call a script.
    var withScriptSource: RedisCommand? {
        guard let script else { return nil }
        let tail = buffer[Int(scriptTail)..<(buffer.count - 1)]
        var builder = RedisCommandBuilder("EVAL", byteCountHint: script.source.utf8.count + tail.count + 16)
        builder.append(script.source)
        builder.append(encoded: tail, argumentCount: Int(argumentCount) - 2)
        return builder.finish()
    }
}
