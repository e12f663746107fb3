import Hummingbird
import NIOCore

/// The client's side of a long reply. Detects that the client has left, and closes the connection of a client that
/// stops reading.
struct LongReply {
    private let channel: any Channel
    private let connection: ClientConnection?
    private let patience: TimeAmount
    private var hasAsked = false

    /// - Parameters:
    ///   - connection: The connection; nil where connections are not counted.
    ///   - patience: The maximum time that written data waits for the client; then the connection ends.
    init(_ channel: any Channel, _ connection: ClientConnection?, patience: TimeAmount = .seconds(30)) {
        self.channel = channel
        self.connection = connection
        self.patience = patience
    }

    /// True if the connection is closed.
    var isOver: Bool { !channel.isActive }

    /// True once, after the client has closed its direction. A write then shows if the client still reads.
    mutating func asksWhetherReads() -> Bool {
        guard !hasAsked, connection?.isInputClosed == true else { return false }
        hasAsked = true
        return true
    }

    /// Writes, or closes the connection if that takes too long.
    func write(_ bytes: ByteBuffer, to writer: inout any ResponseBodyWriter) async throws {
        let end = deadline()
        defer { end.cancel() }
        try await writer.write(bytes)
    }

    /// Writes the end of the reply, or closes the connection if that takes too long.
    func finish(_ writer: consuming any ResponseBodyWriter) async throws {
        let end = deadline()
        defer { end.cancel() }
        try await writer.finish(nil)
    }

    private func deadline() -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: patience) { [channel, connection] in
            if let connection { connection.end(.deadline) } else { channel.close(promise: nil) }
        }
    }
}
