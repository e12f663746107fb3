import CHiredis
import FlatMemory
import Reactor
import TLS
import TimeCore

/// A connection's way to the server over TLS: the library reads replies from what was decrypted, and what it would send
/// goes through here. The library's own sockets know nothing of TLS.
///
/// The commands of a turn are gathered and encrypted together at its end. What the socket does not take waits here as
/// it waits in the library on a plain connection; whoever sends bounds it. Lives on its reactor; it and its connection
/// hold each other until `close`.
final class EncryptedStream: TLSConnectionDelegate, TurnParticipant {
    private let tls: TLSConnection
    private let reader: UnsafeMutablePointer<redisReader>
    private let bound: ReplyBound
    private var connection: RedisConnection?
    private let names: [String]
    private let hasCertificate: Bool
    private var outgoing = ByteQueue()
    private var isFlushDue = false

    /// Beyond so much ciphertext that the socket has not taken, nothing more is encrypted.
    private static let backlog = 262_144
    private static let piece = 65_536

    /// Begins to connect.
    /// - Parameter names: the host that was connected to, and others that its certificate may be for.
    init(
        to address: SocketAddress, names: [String], files: RedisTLS, timeout: TimeInterval,
        for connection: RedisConnection
    ) throws(ConnectionEnd) {
        let context: TLSContext
        do throws(TLSError) { context = try files.context() } catch { throw .tls(error) }
        guard let reader = redisReaderCreate() else { throw .tls(TLSError("no memory for a connection")) }
        do throws(ConnectionEnd) {
            tls = try TLSConnection.connect(
                to: address, hostName: names.first ?? "", orNames: Array(names.dropFirst()), context: context,
                timeout: timeout, on: connection.reactor)
        } catch {
            redisReaderFree(reader)
            throw error
        }
        self.reader = reader
        bound = ReplyBound(reader)
        self.names = names
        hasCertificate = files.certificateFile != nil
        self.connection = connection
        tls.delegate = self
        tls.keepAlive(every: .seconds(15))
    }

    deinit {
        bound.release(reader)
        redisReaderFree(reader)
    }

    /// Whether the server has taken the connection, and has not said a word.
    var isMute: Bool { tls.isMute }

    /// The bytes leave at the end of the turn.
    func send(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.baseAddress else { return }
        outgoing.append(first, count: bytes.count)
        guard !isFlushDue else { return }
        isFlushDue = true
        tls.reactor.atEndOfTurn(self)
    }

    /// Nothing is told to the connection any more.
    func close() {
        connection = nil
        tls.delegate = nil
        tls.close()
    }

    func turnEnded() {
        isFlushDue = false
        flush()
    }

    private func flush() {
        while outgoing.count > 0, tls.backlog < EncryptedStream.backlog, connection != nil {
            let count = min(outgoing.count, EncryptedStream.piece)
            connection?.unwritten = 0
            guard tls.send(UnsafeRawBufferPointer(rebasing: outgoing.bytes[..<count])) else { return }
            outgoing.taken(count)
        }
    }

    // MARK: Events of the connection

    func connectionEstablished(_ connection: TLSConnection) {
        self.connection?.streamOpened()
    }

    func connection(_ connection: TLSConnection, received plaintext: UnsafeRawBufferPointer) {
        guard let connection = self.connection else { return }
        connection.enter()
        defer { connection.leave() }
        let first = plaintext.baseAddress?.assumingMemoryBound(to: CChar.self)
        redisReaderFeed(reader, first, plaintext.count)
        while connection.closeReason == nil {
            var object: UnsafeMutableRawPointer?
            guard redisReaderGetReply(reader, &object) == REDIS_OK else {
                let reason = withUnsafeBytes(of: reader.pointee.errstr) { words in
                    String(decoding: words.prefix { $0 != 0 }, as: UTF8.self)
                }
                return connection.close(bound.excess(reader) ?? reason)
            }
            guard let object else {
                if let excess = bound.excess(reader) { connection.close(excess) }
                return
            }
            connection.reply(object.assumingMemoryBound(to: redisReply.self))
            freeReplyObject(object)
        }
    }

    func connectionDrained(_ connection: TLSConnection) {
        flush()
    }

    func connectionEnded(_ connection: TLSConnection, _ end: ConnectionEnd) {
        self.connection?.close(TLSAdvice.reason(end, names: names, hasCertificate: hasCertificate))
    }
}
