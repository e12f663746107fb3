import Testing

@testable import HTTP2Core

@Suite("Forms of requests")
struct FormTests {
    private static let inBody = RequestKind(hole: .body(at: 2, .verbatim), body: Array("[]]".utf8))

    private func open(_ client: EngineClient, _ token: [UInt8], kind: Int = 0) {
        let isOpen = client.open(RequestPlan(kind: kind, token: token, tag: UInt32(client.streams.count)))
        #expect(isOpen)
    }

    @Test("a token in the body is in one DATA frame with the rest, which ends the stream")
    func bytes() throws {
        let client = try EngineClient.connected([FormTests.inBody])
        open(client, Array("abc".utf8))
        let frames = client.takeFrames()
        #expect(frames.map(\.type) == [1, 0] && frames.map(\.stream) == [1, 1])
        #expect(frames.map(\.flags) == [4, 1] && frames[1].content == Array("[]abc]".utf8))
    }

    @Test("a request without a body is one HEADERS frame, needs no window, and is written at once")
    func noBody() throws {
        let client = try EngineClient.connected(
            [RequestKind(method: "GET", body: nil)], [(Setting.initialWindowSize, 0)])
        client.open(2)
        let frames = client.takeFrames()
        #expect(frames.map(\.type) == [1, 1] && frames.map(\.stream) == [1, 3] && frames.map(\.flags) == [5, 5])
        #expect(client.isWritten(1) && client.connection.bodies.count == 0)
        client.receive(Wire.headers(1))
        #expect(client.outcomes == [0: .answered(status: 200, body: [], retryAfter: nil)])
        #expect(client.connection.output.isEmpty)
    }

    @Test("an image serves each number of digits of the body's length, and each length of a token in the path")
    func images() throws {
        let client = try EngineClient.connected([FormTests.inBody, RequestKind(hole: .path(.verbatim))])
        for kind in 0...1 {
            for length in 1...20 {
                for _ in 0..<2 { open(client, [UInt8](repeating: 0x61, count: length), kind: kind) }
            }
        }
        let images = UnsafeBufferPointer(start: client.connection.images, count: HTTP2Connection.imageCount)
        #expect(images.filter { $0.base != nil && $0.template == 0 }.count == 2)
        #expect(images.filter { $0.base != nil && $0.template == 1 }.count == 20)
    }

    @Test("a body with a token keeps it while it waits, whatever becomes of the template and of the token's memory")
    func waiting() throws {
        let client = try EngineClient.connected([FormTests.inBody], [(Setting.initialWindowSize, 3)])
        open(client, Array("abc".utf8))
        open(client, Array("xyz".utf8))
        var sent = client.takeFrames().filter { $0.type == 0 }
        #expect(sent.map(\.content) == [Array("[]a".utf8), Array("[]x".utf8)] && sent.map(\.flags) == [0, 0])
        client.connection.setTemplate(nil, at: 0)
        #expect(!client.isWritten(1))
        client.receive(Wire.settings([(Setting.initialWindowSize, 5)]))
        sent = client.takeFrames().filter { $0.type == 0 }
        #expect(sent.map(\.content) == [Array("bc".utf8), Array("yz".utf8)])
        client.receive(Wire.windowUpdate(3, 9) + Wire.windowUpdate(1, 1))
        sent = client.takeFrames().filter { $0.type == 0 }
        #expect(
            sent.map(\.stream) == [3, 1] && sent.map(\.content) == [[0x5D], [0x5D]] && sent.map(\.flags) == [1, 1])
        #expect(client.isWritten(1) && client.connection.bodies.count == 0)
    }

    @Test("a token counts for the connection's window where it is in the body, and not where it is in the path")
    func windowOfConnection() throws {
        let client = try EngineClient.connected([FormTests.inBody, RequestKind(body: [1, 2, 3])])
        let before = client.connection.sendWindow
        open(client, [UInt8](repeating: 1, count: 100))
        #expect(client.connection.sendWindow == before - 103)
        open(client, [UInt8](repeating: 1, count: 100), kind: 1)
        #expect(client.connection.sendWindow == before - 106)
    }

    @Test("content-length is the length of the body with its token, in decimal digits")
    func contentLength() {
        for length in [0, 1, 9, 10, 99, 100, 4_096, 12_345] {
            let digits = ContentLength.digits(length)
            var text = [UInt8](repeating: 0, count: digits + 1)
            text.withUnsafeMutableBytes { ContentLength.write(length, digits: digits, to: $0.baseAddress!) }
            #expect(String(decoding: text.dropLast(), as: UTF8.self) == String(length) && text.last == 0)
        }
    }

    @Test("each status from 200 to 299 is an acceptance", arguments: [200, 201, 202, 204, 206, 299])
    func acceptances(status: Int) throws {
        let client = try EngineClient.connected()
        client.open(3)
        _ = client.takeFrames()
        client.receiveOnly(
            Wire.headers(1, 5, Wire.status("\(status)")) + Wire.headers(3, 4, Wire.status("\(status)"))
                + Wire.data(3, 1)
                + Wire.headers(5, 4, Wire.status("\(status)")) + Wire.data(5, 1, [1, 2]))
        #expect(
            Array(client.connection.events) == [.accepted(tag: 0), .accepted(tag: 1), .accepted(tag: 2)])
        #expect(client.connection.details.isEmpty && client.connection.openStreams == 0)
    }

    @Test("a hole in front of each byte of the body, and behind the last, gives that body")
    func copies() {
        let body = HTTP2RequestBody(Array("abcdef".utf8))
        for offset in 0...6 {
            let copy = ([0x0F, 0xA0] as [UInt8]).withUnsafeBytes {
                HTTP2RequestBody(body, with: $0, .hexadecimal, at: offset)
            }
            let expected = Array("abcdef".utf8.prefix(offset)) + Array("0fa0".utf8) + "abcdef".utf8.dropFirst(offset)
            #expect(Array(copy.bytes) == expected)
        }
    }
}
