import Hummingbird
import NIOCore

/// The client's side of a reply that goes on for long: whether there is anybody left, and an end for whoever takes
/// nothing any more.
struct LongReply {
    private let channel: any Channel
    private let connection: ClientConnection?
    private let patience: TimeAmount
    private var hasAsked = false

    /// - Parameters:
    ///   - connection: nil where connections are not counted.
    ///   - patience: for how long what is written may wait for the client; then the connection ends.
    init(_ channel: any Channel, _ connection: ClientConnection?, patience: TimeAmount = .seconds(30)) {
        self.channel = channel
        self.connection = connection
        self.patience = patience
    }

    /// Whether the connection is gone.
    var isOver: Bool { !channel.isActive }

    /// Whether something is to be written so that it shows whether anybody reads: true once, when the client has said
    /// that it sends no more, which it also does by leaving.
    mutating func asksWhetherReads() -> Bool {
        guard !hasAsked, connection?.isInputClosed == true else { return false }
        hasAsked = true
        return true
    }

    /// Writes, or ends the connection.
    func write(_ bytes: ByteBuffer, to writer: inout any ResponseBodyWriter) async throws {
        let end = deadline()
        defer { end.cancel() }
        try await writer.write(bytes)
    }

    /// Writes the end of the reply, or ends the connection.
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
