import Foundation
import Reactor
import TestSupport
import Testing
import TimeCore

@testable import TLS

@Suite("Transfers and endings")
struct TransferTests {
    /// Sends numbered bytes while the backlog is below a mark, and continues after each drain.
    private final class Pump: @unchecked Sendable {
        private let bytes: [UInt8]
        private var sent = 0
        private(set) var highest = 0

        init(total: Int, seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            // A period that is no multiple of the length of records or buffers.
            let period = (0..<65_521).map { _ in UInt8.random(in: 0...255, using: &generator) }
            var bytes: [UInt8] = []
            while bytes.count < total { bytes += period }
            bytes.removeLast(bytes.count - total)
            self.bytes = bytes
        }

        var total: Int { bytes.count }

        func run(_ connection: TLSConnection) {
            while sent < total, connection.backlog < 1_000_000 {
                let count = min(total - sent, 1 + (sent &* 31) % 60_000)
                let isTaken = bytes[sent..<(sent + count)].withUnsafeBytes { connection.send($0) }
                guard isTaken else { return }
                sent += count
                highest = max(highest, connection.backlog)
            }
        }

        func isWhole(_ received: [UInt8]) -> Bool { received == bytes }
    }

    @Test("Megabytes go both ways at once, byte for byte, and the backlog stays bounded")
    func bothWays() async throws {
        let stage = try TLSStage()
        let (up, down) = (Pump(total: 11_000_000, seed: 1), Pump(total: 9_000_000, seed: 100))
        let isOver = try await stage.run { stage, finish in
            stage.client.onEstablished = up.run
            stage.client.onDrained = up.run
            stage.server.onEstablished = down.run
            stage.server.onDrained = down.run
            let check: (TLSConnection, UnsafeRawBufferPointer) -> Void = { _, _ in
                if stage.server.received.count == up.total, stage.client.received.count == down.total { finish() }
            }
            stage.client.onReceived = check
            stage.server.onReceived = check
        }
        #expect(isOver)
        #expect(up.isWhole(stage.server.received) && down.isWhole(stage.client.received))
        #expect(stage.client.drained > 0 && stage.server.drained > 0)
        // The mark, one more piece, and the overhead of TLS.
        #expect(up.highest < 1_100_000 && down.highest < 1_100_000)
    }

    @Test("Small pieces of one turn leave together and arrive in order")
    func batching() async throws {
        let stage = try TLSStage()
        let isOver = try await stage.run { stage, finish in
            stage.client.onEstablished = { connection in
                for index in 0..<2000 { connection.send([UInt8(truncatingIfNeeded: index)]) }
                #expect(connection.backlog > 0)
            }
            stage.server.onReceived = { _, _ in if stage.server.received.count == 2000 { finish() } }
        }
        #expect(isOver && stage.server.received == (0..<2000).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test("A close in order delivers what was sent, and the peer hears of it")
    func closeInOrder() async throws {
        let stage = try TLSStage()
        let isOver = try await stage.run { stage, finish in
            let both = { if stage.client.end != nil, stage.server.end != nil { finish() } }
            stage.client.onEnd = both
            stage.server.onEnd = both
            stage.server.onReceived = { connection, _ in
                connection.send(Array("last words".utf8))
                connection.close()
                #expect(stage.server.end == nil, "the end is told in a later turn")
                #expect(connection.isClosed && !connection.send([1]))
                connection.close()
            }
            stage.client.onEstablished = { $0.send([1]) }
        }
        #expect(isOver && stage.client.received == Array("last words".utf8))
        #expect(stage.client.end == .closedByPeer && stage.server.end == .closedByUs)
    }

    @Test("An abrupt close is an error for the peer")
    func abruptClose() async throws {
        let stage = try TLSStage()
        let isOver = try await stage.run { stage, finish in
            let both = { if stage.client.end != nil, stage.server.end != nil { finish() } }
            stage.client.onEnd = both
            stage.server.onEnd = both
            stage.server.onReceived = { connection, _ in connection.close(abruptly: true) }
            stage.client.onEstablished = { $0.send([1]) }
        }
        #expect(isOver && stage.server.end == .closedByUs)
        guard case .socket(let error)? = stage.client.end else {
            Issue.record("ended otherwise: \(String(describing: stage.client.end))")
            return
        }
        #expect(error.number == ECONNRESET)
    }

    @Test("The peer's last words are heard also by who finds out by sending that it has gone")
    func lastWords() async throws {
        let stage = try TLSStage()
        let isOver = try await stage.run { stage, finish in
            stage.client.onEnd = finish
            stage.client.onEstablished = { connection in
                connection.send([1])
                // In one turn, the server sends and resets the connection, then the client sends.
                stage.server.onReceived = { server, _ in
                    server.send(Array("goodbye".utf8))
                    server.turnEnded()
                    server.close(abruptly: true)
                    connection.send([2])
                    connection.turnEnded()
                }
            }
        }
        #expect(isOver)
        #expect(stage.client.received == Array("goodbye".utf8))
        if case .socket? = stage.client.end {
        } else {
            Issue.record("ended otherwise: \(String(describing: stage.client.end))")
        }
    }

    @Test("Who is told of room for more while it closes is not, and hears that it closed")
    func closeWhileBacklogged() async throws {
        let stage = try TLSStage()
        let isOver = try await stage.run { stage, finish in
            stage.client.onEnd = finish
            stage.client.onDrained = { $0.send([9]) }
            stage.client.onEstablished = { connection in
                let chunk = [UInt8](repeating: 5, count: 16_000)
                // The server is on the same reactor and reads nothing meanwhile, so the socket fills up.
                connection.turnEnded()
                while connection.backlog == 0 {
                    connection.send(chunk)
                    connection.turnEnded()
                }
                stage.server.onReceived = { _, _ in
                    // The socket has room again. The client cannot know, because this is one turn.
                    if stage.server.received.count > 700_000 { connection.close() }
                }
            }
        }
        #expect(isOver)
        #expect(stage.client.end == .closedByUs)
    }
}
