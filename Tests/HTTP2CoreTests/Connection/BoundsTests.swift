import Testing

@testable import HTTP2Core

@Suite("What a peer can make us do is bounded")
struct BoundsTests {
    private let ping = Wire.ping([1, 2, 3, 4, 5, 6, 7, 8])

    private func endsWithGoAway(_ client: EngineClient, _ code: UInt32) -> Bool {
        let frames = client.takeFrames()
        guard let last = frames.last, last.type == 7 else { return false }
        return WireFrame.number(last.content[4...]) == code && frames.filter { $0.type == 7 }.count == 1
    }

    @Test("replies that nobody takes end the connection, with a GOAWAY as the last frame", arguments: [0, 1, 2])
    func replies(_ kind: Int) throws {
        let client = try EngineClient.connected()
        client.receive(Wire.windowUpdate(0, 1 << 30))
        for round in 0..<HTTP2Connection.replyLimit {
            #expect(client.connection.failure == nil)
            switch kind {
            case 0: client.receive(ping)
            case 1: client.receive(Wire.settings())
            default:
                if client.connection.acceptsStreams { client.open(1) }
                guard let stream = client.streams[UInt32(round)] else {
                    // The output is full: resets of streams that are open no more are not called for.
                    client.receive(ping)
                    continue
                }
                client.receive(Wire.headers(stream, 5, Wire.field("x", "y")))
            }
        }
        #expect(client.connection.failure?.errorCode == HTTP2ErrorCode.enhanceYourCalm)
        #expect(client.connection.output.count < 1 << 20)
        #expect(endsWithGoAway(client, HTTP2ErrorCode.enhanceYourCalm))
    }

    @Test("taking a byte now and then is not reading what one calls for")
    func hardlyTaken() throws {
        let client = try EngineClient.connected()
        for _ in 0..<HTTP2Connection.replyLimit {
            client.receive(ping)
            _ = client.takeOutput(1)
        }
        #expect(client.connection.failure?.errorCode == HTTP2ErrorCode.enhanceYourCalm)
    }

    @Test("replies that are taken may go on for ever")
    func takenReplies() throws {
        let client = try EngineClient.connected()
        for _ in 0..<30_000 {
            client.receive(ping)
            _ = client.takeOutput(17)
        }
        #expect(client.connection.failure == nil)
    }

    @Test("behind a failure nothing happens and nothing is written any more")
    func afterFailure() throws {
        let client = try EngineClient.connected()
        client.open(3)
        client.receive(Wire.windowUpdate(0, 0))
        #expect(endsWithGoAway(client, HTTP2ErrorCode.protocolError))
        client.receive(ping + Wire.headers(1) + Wire.settings() + Wire.goAway(0))
        client.ping()
        client.goAway()
        client.cancel(tag: 2)
        client.open(1)
        #expect(client.outcomes.isEmpty && client.goAways.isEmpty && client.streams.count == 3)
        #expect(client.connection.output.isEmpty && client.waitingBytes == 0)
    }

    @Test("a failure in the middle of cut frames is final, too")
    func failureInPieces() throws {
        let client = try EngineClient.connected()
        client.open(1)
        _ = client.takeFrames()
        for byte in Wire.windowUpdate(0, 0) + Wire.headers(1) + ping { client.receive([byte]) }
        #expect(client.outcomes.isEmpty)
        #expect(endsWithGoAway(client, HTTP2ErrorCode.protocolError))
    }

    @Test("nothing is kept of frames that mean nothing")
    func noise() throws {
        let client = try EngineClient.connected()
        client.open(1)
        _ = client.takeFrames()
        for _ in 0..<2_000 {
            client.receive(Wire.frame(0x55, 0xFF, stream: 1, [UInt8](repeating: 1, count: 300)))
            client.receive(Wire.windowUpdate(1, 1) + Wire.settings([(0x99, 1)]))
            _ = client.takeOutput(.max)
        }
        #expect(client.waitingBytes == 0)
        #expect(client.connection.failure == nil && client.connection.details.isEmpty)
    }

    @Test("a peer without a word of its table's size is understood, which libnghttp2 refuses")
    func noSizeUpdate() throws {
        let bytes = Wire.settings() + Wire.settingsAcknowledgment + Wire.headers(1, 5, Wire.status("410"))
        let client = try EngineClient([RequestKind()])
        let oracle = OracleClient([RequestKind()])
        for either in [client, oracle] as [any Client] {
            _ = either.open(RequestPlan(kind: 0, token: [1], tag: 0))
            _ = either.takeOutput(.max)
            either.receive(bytes)
        }
        #expect(client.outcomes == [0: .answered(status: 410, body: [], retryAfter: nil)])
        #expect(client.connection.failure == nil)
        #expect(WireFrame.goAways(oracle.takeOutput(.max)) == [HTTP2ErrorCode.compressionError])
    }

    @Test("padding may go over a stream's window of 65,535 bytes, which is not counted; libnghttp2 counts it")
    func paddedStream() throws {
        let frame = Wire.data(1, 8, [255] + [UInt8](repeating: 0, count: 256))
        let bytes = Wire.headers(1, 4, [0x20, 0x88]) + (0..<300).flatMap { _ in frame }
        let client = try EngineClient.connected()
        client.open(1)
        client.receive(bytes + Wire.data(1))
        #expect(client.outcomes == [0: .answered(status: 200, body: [], retryAfter: nil)])
    }

    @Test("the answer's status alone counts where its first byte says 200 and it ends the stream")
    func lookedAtOnly() throws {
        let client = try EngineClient.connected()
        client.open(2)
        client.receive(Wire.headers(1, 5, [0x88] + Wire.field("content-length", "9")))
        client.receive(Wire.headers(3, 5, [0x88, 0x8D, 0xFF]))
        #expect(client.outcomes.count == 2 && client.connection.failure == nil)
    }
}
