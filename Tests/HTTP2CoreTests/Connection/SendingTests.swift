import Testing

@testable import HTTP2Core

@Suite("Sending")
struct SendingTests {
    private static func kind(_ count: Int, _ filler: UInt8 = 1) -> RequestKind {
        RequestKind(body: [UInt8](repeating: filler, count: count))
    }

    private func data(_ frames: [WireFrame]) -> [(stream: UInt32, count: Int, ends: Bool)] {
        frames.filter { $0.type == 0 }.map { ($0.stream, $0.content.count, $0.flags & 1 != 0) }
    }

    @Test("begins with the preface, SETTINGS and a window for all answers")
    func preface() throws {
        let client = try EngineClient([RequestKind()])
        let bytes = client.takeOutput(.max)
        #expect(bytes.starts(with: Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)))
        let frames = WireFrame.parse(bytes)
        #expect(frames.map(\.type) == [4, 8])
        #expect(frames[0].content == [0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 6, 0, 0, 0x40, 0])
        #expect(WireFrame.number(frames[1].content) == (16 << 20) - 65_535)
    }

    @Test("the connection's window goes to the oldest bodies first, to its last byte")
    func order() throws {
        let client = try EngineClient.connected(
            [SendingTests.kind(30_000), SendingTests.kind(5)], [(Setting.initialWindowSize, 0)])
        client.open(3)
        client.open(1, kind: 1)
        client.receive(Wire.settings([(Setting.initialWindowSize, 1 << 20)]))
        var sent = data(client.takeFrames())
        #expect(sent.map(\.stream) == [1, 1, 3, 3, 5] && sent.map(\.count).reduce(0, +) == 65_535)
        #expect(client.connection.acceptsStreams == false)
        client.receive(Wire.windowUpdate(0, 24_464))
        sent = data(client.takeFrames())
        #expect(sent.map(\.stream) == [5, 5] && sent.map(\.count).reduce(0, +) == 24_464 && !sent[1].ends)
        client.receive(Wire.windowUpdate(0, 3))
        sent = data(client.takeFrames())
        #expect(sent.map(\.stream) == [5, 7] && sent.map(\.ends) == [true, false] && sent.map(\.count) == [1, 2])
    }

    @Test("a stream's window lets that stream's body out, and no other")
    func streamWindow() throws {
        let client = try EngineClient.connected([SendingTests.kind(50)], [(Setting.initialWindowSize, 0)])
        client.open(3)
        #expect(data(client.takeFrames()).isEmpty)
        client.receive(Wire.windowUpdate(3, 20))
        #expect(data(client.takeFrames()).map(\.stream) == [3])
        client.receive(Wire.settings([(Setting.initialWindowSize, 10)]))
        let sent = data(client.takeFrames())
        #expect(sent.map(\.stream) == [1, 3, 5] && sent.map(\.count) == [10, 10, 10])
        for tag in 0..<3 as Range<UInt32> {
            #expect(!client.isWritten(try #require(client.streams[tag])))
        }
        client.receive(Wire.windowUpdate(5, 40))
        #expect(client.isWritten(5) && !client.isWritten(3))
    }

    @Test("of several windows in one frame of SETTINGS the last counts, from the first to the last byte")
    func severalWindows() throws {
        let client = try EngineClient.connected([SendingTests.kind(50)], [(Setting.initialWindowSize, 10)])
        client.open(1)
        _ = client.takeFrames()
        client.receive(Wire.settings([(4, 0), (4, 50), (4, 30)]))
        #expect(data(client.takeFrames()).map(\.count) == [20])
        client.receive(Wire.settings([(4, 0)]) + Wire.windowUpdate(1, 30))
        #expect(data(client.takeFrames()).isEmpty)
        client.receive(Wire.windowUpdate(1, 1))
        #expect(data(client.takeFrames()).map(\.count) == [1])
        client.receive(Wire.settings([(4, 19)]))
        #expect(data(client.takeFrames()).map(\.ends) == [true])
    }

    @Test("a request that is under way keeps its body when its template is replaced or let go of")
    func replacedTemplate() throws {
        let client = try EngineClient.connected(
            [SendingTests.kind(50, 7), SendingTests.kind(60, 7)], [(Setting.initialWindowSize, 20)])
        client.open(1)
        client.open(1, kind: 1)
        var sent = client.takeFrames()
        try client.replace(0, by: SendingTests.kind(10, 9))
        client.connection.setTemplate(nil, at: 1)
        client.receive(Wire.settings([(Setting.initialWindowSize, 100)]))
        sent += client.takeFrames()
        for (stream, count) in [(1, 50), (3, 60)] as [(UInt32, Int)] {
            let frames = sent.filter { $0.stream == stream && $0.type == 0 }
            #expect(frames.flatMap(\.content) == [UInt8](repeating: 7, count: count))
            #expect(frames.last?.flags == 1)
        }
        client.open(1)
        #expect(client.takeFrames().last?.content == [UInt8](repeating: 9, count: 10))
    }

    @Test("no stream is opened above the output's limit, and bodies go on when output was taken")
    func outputLimit() throws {
        let client = try EngineClient.connected([SendingTests.kind(16_000)], [(Setting.initialWindowSize, 1 << 20)])
        client.receive(Wire.windowUpdate(0, 10 << 20))
        while client.connection.acceptsStreams { client.open(1) }
        #expect(client.connection.output.count >= HTTP2Connection.outputLimit)
        #expect(client.connection.output.count < HTTP2Connection.outputLimit + 17_000)
        let refused = client.streams.count
        client.open(1)
        #expect(client.streams.count == refused)
        _ = client.takeOutput(20_000)
        #expect(client.connection.acceptsStreams == true)

        let waiting = try EngineClient.connected([SendingTests.kind(16_000)], [(Setting.initialWindowSize, 0)])
        waiting.receive(Wire.windowUpdate(0, 10 << 20))
        waiting.open(20)
        waiting.receive(Wire.settings([(Setting.initialWindowSize, 16_000)]))
        #expect(waiting.connection.output.count < HTTP2Connection.outputLimit + 20_000)
        var frames: [WireFrame] = []
        while !waiting.connection.output.isEmpty { frames += WireFrame.parse(waiting.takeOutput(.max)) }
        #expect(data(frames).map(\.stream) == (0..<20).map { $0 * 2 + 1 })
    }

    @Test("a secret is never indexed on the wire, whatever the table holds")
    func secret() throws {
        let client = try EngineClient.connected([RequestKind(secret: "abc")])
        client.open(3)
        let blocks = client.takeFrames().filter { $0.type == 1 }.map(\.content)
        // Static name 23 with a prefix of four bits: 15, then 8.
        let line: [UInt8] = [0x1F, 0x08, 0x03, 0x61, 0x62, 0x63]
        for block in blocks {
            let starts = block.indices.filter { block[$0...].starts(with: line) }
            #expect(starts.count == 1)
        }
        #expect(blocks[1].count < blocks[0].count && blocks[1].count == blocks[2].count)
    }

    @Test("fields of one request that do not fit into the table together do not push each other out")
    func crowdedTable() throws {
        let long = ["a", "b", "c"].map { (name: "x-\($0)", value: String(repeating: $0, count: 1_500)) }
        let client = try EngineClient.connected([RequestKind(extra: long)])
        client.open(3)
        let sizes = client.takeFrames().filter { $0.type == 1 }.map(\.content.count)
        #expect(sizes[0] > 4_500 && sizes[1] < 1_800 && sizes[2] == sizes[1])
    }

    @Test("a token of no bytes and no memory is a token")
    func emptyToken() throws {
        let client = try EngineClient.connected()
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        let stream = client.connection.open(template: 0, token: empty, number: 1, tag: 1)
        #expect(stream == 1 && client.takeFrames().map(\.type) == [1, 0])
    }

    @Test("identifiers come to an end")
    func lastStream() throws {
        let client = try EngineClient([RequestKind()], nextStream: 0x7FFF_FFFD)
        client.open(3)
        #expect(client.streams == [0: 0x7FFF_FFFD, 1: 0x7FFF_FFFF])
        #expect(client.connection.isFinished && !client.connection.acceptsStreams)
        client.receive(Wire.settings() + Wire.headers(0x7FFF_FFFF) + Wire.windowUpdate(0x7FFF_FFFD, 1))
        #expect(client.outcomes.count == 1 && client.connection.failure == nil)
    }

    @Test("a cancelled stream's place, body and details are gone, and whether it was written is told")
    func cancelling() throws {
        let client = try EngineClient.connected([SendingTests.kind(50)], [(Setting.initialWindowSize, 20)])
        client.open(2)
        _ = client.takeFrames()
        #expect(!client.cancelStream(1))
        #expect(client.takeFrames() == [WireFrame(type: 3, flags: 0, stream: 1, content: [0, 0, 0, 8])])
        client.connection.clearEvents()
        let again = client.cancelStream(1)
        #expect(again && client.connection.output.isEmpty && client.connection.bodies.count == 1)
        client.receiveOnly(Wire.headers(3, 4, Wire.status("400")) + Wire.data(3, 0, [1]))
        #expect(client.connection.details.count == 1)
        #expect(!client.cancelStream(3))
        #expect(client.connection.details.isEmpty && client.connection.bodies.count == 0)
        #expect(client.connection.openStreams == 0 && client.connection.events.isEmpty)
    }

    @Test("no number of cancellations of our own ends the connection")
    func manyCancellations() throws {
        let client = try EngineClient.connected()
        client.receive(Wire.windowUpdate(0, 1 << 30))
        for tag in 0..<12_000 as Range<UInt32> {
            client.open(1)
            client.cancel(tag: tag)
            // The headers go, the resets stay: what is taken is less than a reset's size.
            while client.connection.output.count > 100_000 { _ = client.takeOutput(50_000) }
        }
        #expect(client.connection.failure == nil)
        let plain = try EngineClient.connected(
            [SendingTests.kind(1)], [(Setting.initialWindowSize, 1)])
        for _ in 0..<10_001 { plain.connection.writeReset(1, 8) }
        #expect(plain.connection.failure == nil)
    }
}
