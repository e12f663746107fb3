import CHiredis
import FlatMemory
import Reactor
import TLS
import TimeCore

/// A TLS connection to the server, because the library's own sockets lack TLS. The library's reader gets the decrypted
/// bytes, and this type sends the output.
///
/// The commands of a turn are encrypted together at its end. Output that the socket does not accept waits here; the
/// sender bounds it. Confined to its reactor. It and its connection retain each other until `close`.
final class EncryptedStream: TLSConnectionDelegate, TurnParticipant {
    private let tls: TLSConnection
    private let reader: UnsafeMutablePointer<redisReader>
    private let bound: ReplyBound
    private var connection: RedisConnection?
    private let names: [String]
    private let hasCertificate: Bool
    private var outgoing = ByteQueue()
    private var isFlushDue = false

    /// The unsent ciphertext in bytes above which no more is encrypted.
    private static let backlog = 262_144
    private static let piece = 65_536

    /// Begins to connect.
    /// - Parameter names: The host of the connection, and other names that its certificate may have.
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

    /// True if the server has accepted the connection but sent nothing.
    var isMute: Bool { tls.isMute }

    /// Queues bytes, which are sent at the end of the turn.
    func send(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.baseAddress else { return }
        outgoing.append(first, count: bytes.count)
        guard !isFlushDue else { return }
        isFlushDue = true
        tls.reactor.atEndOfTurn(self)
    }

    /// Closes the stream without further events to the connection.
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
