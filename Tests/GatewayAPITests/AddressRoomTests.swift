import NIOCore
import NIOEmbedded
import Testing

@testable import GatewayAPI

@Suite("Room for another connection of an address")
struct AddressRoomTests {
    private let connections: ClientConnections
    private let channels = (0..<4).map { _ in EmbeddedChannel() }

    init() {
        var limits = ConnectionLimits()
        limits.maximumPerAddress = 2
        connections = ClientConnections(limits, maximum: 100, eventLoops: 4)
    }

    /// Opens a connection on its channel's event loop, and lets all event loops run.
    private func open(_ channel: EmbeddedChannel) throws -> ClientConnection? {
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        var outcome: Result<ClientConnection, any Error>?
        connections.open(channel).assumeIsolated().whenComplete { outcome = $0 }
        for channel in channels + channels { channel.embeddedEventLoop.run() }
        return try? #require(outcome).get()
    }

    @Test("If no connection rests on the new one's event loop, one of another event loop makes room")
    func otherLoop() throws {
        let (first, second) = (try #require(try open(channels[0])), try #require(try open(channels[1])))
        first.headCame()
        first.readCompleted()
        #expect(try open(channels[2]) != nil)
        #expect(channels[0].isActive && !channels[1].isActive && channels[2].isActive)
        #expect(connections.metrics.ended(.addressLimit) == 1 && connections.metrics.open == 2)
        withExtendedLifetime(second) {}
    }

    @Test("A new connection is refused if all have a request in progress, on any event loop")
    func allBusy() throws {
        for channel in channels.prefix(2) {
            let connection = try #require(try open(channel))
            connection.headCame()
            connection.readCompleted()
        }
        #expect(try open(channels[2]) == nil)
        #expect(channels[0].isActive && channels[1].isActive)
        #expect(connections.metrics.ended(.addressLimit) == 1 && connections.metrics.open == 2)
        // A connection that ends gives its share back, so the next one needs no room.
        channels[0].close(promise: nil)
        channels[0].embeddedEventLoop.run()
        #expect(try open(channels[3]) != nil)
        #expect(channels[1].isActive && connections.metrics.open == 2)
    }
}
