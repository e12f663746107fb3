import Testing
import TimeCore

@testable import HTTP2Core

@Suite("Receiving")
struct ReceivingTests {
    @Test("GOAWAY ends the streams above its last, before it is told; lower ones may follow, and no stream is opened")
    func goAway() throws {
        let client = try EngineClient.connected()
        client.open(5)
        let bytes = Wire.goAway(0x7FFF_FFFF) + Wire.goAway(5, 11) + Wire.goAway(5) + Wire.goAway(0)
        client.receiveOnly(bytes)
        #expect(
            Array(client.connection.events) == [
                .goAway(errorCode: 0),
                .reset(tag: 3, errorCode: 7), .reset(tag: 4, errorCode: 7), .goAway(errorCode: 11),
                .goAway(errorCode: 0),
                .reset(tag: 0, errorCode: 7), .reset(tag: 1, errorCode: 7), .reset(tag: 2, errorCode: 7),
                .goAway(errorCode: 0),
            ])
        client.open(1)
        #expect(client.streams.count == 5 && client.connection.isFinished && client.connection.openStreams == 0)
    }

    @Test("of a stream above GOAWAY's last the status counts that came before")
    func goAwayBelowAnswers() throws {
        let client = try EngineClient.connected()
        client.open(4)
        client.receiveOnly(
            Wire.headers(1, 4) + Wire.headers(3, 4, Wire.status("503")) + Wire.headers(5, 4) + Wire.goAway(0)
                + Wire.data(5, 1))
        #expect(
            Array(client.connection.events) == [
                .accepted(tag: 0), .answered(tag: 1, status: 503, details: 3), .accepted(tag: 2),
                .reset(tag: 3, errorCode: 7), .goAway(errorCode: 0),
            ])
        #expect(client.connection.openStreams == 0 && client.connection.failure == nil)
    }

    @Test("after our own GOAWAY no stream is opened, those that are open go on, and the peer's counts")
    func ownGoAway() throws {
        let client = try EngineClient.connected()
        client.open(3)
        _ = client.takeFrames()
        client.goAway()
        #expect(WireFrame.goAways(client.takeOutput(.max)) == [0])
        client.open(1)
        #expect(client.streams.count == 3)
        client.receive(Wire.headers(1) + Wire.goAway(3) + Wire.headers(3))
        #expect(client.outcomes.count == 3 && client.outcomes[2] == .reset(code: 7))
    }

    @Test("only the acknowledgment of the last PING counts, and once")
    func pings() throws {
        let client = try EngineClient.connected()
        client.ping()
        client.ping()
        let values = client.takeFrames().map(\.content)
        #expect(values.count == 2 && values[0] != values[1])
        client.receive(Wire.ping(values[0], 1))
        #expect(client.pingsAcknowledged == 0)
        client.receive(Wire.ping(values[1], 1) + Wire.ping(values[1], 1))
        #expect(client.pingsAcknowledged == 1)
        client.receive(Wire.ping([1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(client.takeFrames() == [WireFrame(type: 6, flags: 1, stream: 0, content: [1, 2, 3, 4, 5, 6, 7, 8])])
    }

    @Test("our SETTINGS have to be acknowledged in time")
    func settingsTimeout() throws {
        let late = try EngineClient([RequestKind()])
        late.receive(Wire.settings())
        late.now = MonotonicTime(nanoseconds: 20_000_000_000)
        late.receive(Wire.ping([UInt8](repeating: 0, count: 8)))
        #expect(late.connection.failure == nil)
        late.now = MonotonicTime(nanoseconds: 20_000_000_001)
        late.receive(Wire.ping([UInt8](repeating: 0, count: 8)))
        #expect(late.connection.failure?.errorCode == HTTP2ErrorCode.settingsTimeout)

        let prompt = try EngineClient.connected()
        prompt.now = MonotonicTime(nanoseconds: 40_000_000_000)
        prompt.receive(Wire.ping([UInt8](repeating: 0, count: 8)))
        #expect(prompt.connection.failure == nil)
    }

    @Test("the connection's window is given back to the last byte, also for streams that nobody waits for")
    func windowGivenBack() throws {
        let client = try EngineClient.connected()
        client.open(1)
        client.cancel(tag: 0)
        _ = client.takeFrames()
        var given = 0
        var fed = 0
        // With padding, which counts as well.
        let frame = Wire.data(1, 8, [100] + [UInt8](repeating: 0, count: 16_000))
        for _ in 0..<3_000 {
            client.receive(frame)
            fed += 16_001
            for frame in client.takeFrames() {
                #expect(frame.type == 8 && frame.stream == 0)
                given += Int(WireFrame.number(frame.content))
            }
            #expect(fed - given < 8 << 20)
        }
        #expect(client.connection.failure == nil && given > fed - (16 << 20))
        #expect(client.connection.receiveRoom == (16 << 20) - (fed - given))
    }

    @Test("the reserved bit of a stream's identifier says nothing")
    func reservedBit() throws {
        let client = try EngineClient.connected()
        client.open(2)
        _ = client.takeFrames()
        client.receive(Wire.headers(0x8000_0001) + Wire.headers(0x8000_0003, 5, Wire.status("400")))
        client.receive(Wire.frame(6, 0, stream: 0x8000_0000, [1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(client.outcomes.count == 2 && client.connection.failure == nil)
        #expect(client.takeFrames().map(\.type) == [6])
    }

    @Test("of an error's body the first bytes are kept, and its details can be taken once")
    func details() throws {
        let client = try EngineClient.connected()
        client.open(2)
        let body = (0..<1_500).map { UInt8(truncatingIfNeeded: $0) }
        let bytes =
            Wire.headers(1, 4, Wire.status("429") + Wire.field("retry-after", "9"))
            + Wire.data(1, 0, Array(body[..<700]))
            + Wire.data(1, 1, Array(body[700...])) + Wire.headers(3, 4, Wire.status("400")) + Wire.data(3, 0, [1])
            + Wire.reset(3, 2)
        client.receiveOnly(bytes)
        #expect(
            Array(client.connection.events) == [
                .answered(tag: 0, status: 429, details: 1), .answered(tag: 1, status: 400, details: 3),
            ])
        // Its stream was reset behind the status.
        #expect(client.takeDetails(3).body == [1])
        #expect(client.connection.details.count == 1)
        let details = client.takeDetails(1)
        #expect(details.body == Array(body[..<1_024]) && details.retryAfter == 9)
        #expect(client.takeDetails(1) == HTTP2AnswerDetails())
    }

    @Test("who keeps more of an answer lets more of it come on a stream, and who does not says nothing of it")
    func limits() throws {
        for (limits, window) in [(HTTP2Limits(), nil), (HTTP2Limits(keptBody: 100, body: 1 << 20), 1 << 20)] {
            let connection = HTTP2Connection(now: MonotonicTime(nanoseconds: 0), limits: limits)
            // Behind the preface: six bytes for each setting.
            let settings = Array(connection.output.dropFirst(24 + 9).prefix(Int(connection.output[24 + 2])))
            let values = stride(from: 0, to: settings.count, by: 6).reduce(into: [Int: Int]()) { values, at in
                let value = settings[(at + 2)..<(at + 6)].reduce(0) { $0 << 8 | Int($1) }
                values[Int(settings[at]) << 8 | Int(settings[at + 1])] = value
            }
            #expect(values[1] == 0 && values[2] == 0)
            #expect((values[4] ?? 0) >= window ?? 0 && (values[4] == nil) == (window == nil))
        }
    }

    @Test("of a 200 with a body nothing is decoded but its status, and it is over when its body is")
    func acceptedWithBody() throws {
        let client = try EngineClient.connected()
        client.open(2)
        // No decoder takes what stands behind the status.
        client.receiveOnly(Wire.headers(1, 4, [0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]))
        #expect(client.connection.failure == nil && client.connection.events.isEmpty)
        client.receiveOnly(Wire.data(1, 0, [1, 2, 3]) + Wire.headers(3))
        #expect(Array(client.connection.events) == [.accepted(tag: 1)])
        client.receive(Wire.data(1, 1, [4]))
        #expect(client.outcomes.count == 2 && client.outcomes[0] == .answered(status: 200, body: [], retryAfter: nil))
    }

    @Test("a status that has come counts, whatever becomes of the rest of the answer")
    func statusCounts() throws {
        let client = try EngineClient.connected()
        client.open(5)
        _ = client.takeFrames()
        client.receiveOnly(
            Wire.headers(1, 4, [0x88]) + Wire.reset(1, 2)
                + Wire.headers(3, 4, Wire.status("503") + Wire.field("retry-after", "9")) + Wire.reset(3, 7)
                + Wire.headers(5, 4, Wire.status("400") + Wire.field("content-length", "2")) + Wire.data(5, 1, [1])
                + Wire.headers(7, 4, Wire.status("200")) + Wire.reset(9, 2))
        #expect(client.settle(7) && !client.settle(7) && !client.settle(9))
        #expect(
            Array(client.connection.events) == [
                .accepted(tag: 0), .answered(tag: 1, status: 503, details: 3),
                .answered(tag: 2, status: 400, details: 5),
                .reset(tag: 4, errorCode: 2), .accepted(tag: 3),
            ])
        #expect(client.takeDetails(3).retryAfter == 9)
        #expect(WireFrame.resets(client.takeOutput(.max)).map(\.stream) == [5, 7])
        #expect(client.connection.openStreams == 0)
    }

    @Test("an answer without end to a request that is not out gets one reset, and its status counts")
    func overlong() throws {
        let client = try EngineClient.connected(
            [RequestKind(body: [UInt8](repeating: 1, count: 100))], [(Setting.initialWindowSize, 10)])
        client.open(1)
        _ = client.takeFrames()
        client.receive(Wire.headers(1, 4, Wire.status("503")))
        for _ in 0..<3 { client.receive(Wire.data(1, 0, [UInt8](repeating: 2, count: 15_000))) }
        #expect(client.takeFrames() == [WireFrame(type: 3, flags: 0, stream: 1, content: [0, 0, 0, 8])])
        #expect(
            client.outcomes[0]
                == .answered(status: 503, body: [UInt8](repeating: 2, count: 1_024), retryAfter: nil))
    }

    @Test("an answer of exactly the limit is not cut off")
    func longest() throws {
        let client = try EngineClient.connected()
        client.open(1)
        _ = client.takeFrames()
        client.receive(Wire.headers(1, 4))
        for _ in 0..<2 { client.receive(Wire.data(1, 0, [UInt8](repeating: 2, count: 16_384))) }
        #expect(client.outcomes.isEmpty)
        client.receive(Wire.data(1, 1))
        #expect(client.outcomes[0] == .answered(status: 200, body: [], retryAfter: nil))
        #expect(client.connection.output.count == 0)
    }

    @Test("an early 200 ends its request, whose rest is not sent")
    func earlyAnswer() throws {
        let client = try EngineClient.connected(
            [RequestKind(body: [UInt8](repeating: 1, count: 100))], [(Setting.initialWindowSize, 10)])
        client.open(2)
        _ = client.takeFrames()
        client.receive(Wire.headers(1) + Wire.windowUpdate(1, 90) + Wire.windowUpdate(3, 90))
        #expect(client.outcomes == [0: .answered(status: 200, body: [], retryAfter: nil)])
        let frames = client.takeFrames()
        #expect(frames.map(\.type) == [3, 0] && frames.map(\.stream) == [1, 3])
    }
}
