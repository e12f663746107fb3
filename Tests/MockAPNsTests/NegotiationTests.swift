import MockAPNs
import TestHTTP2Client
import Testing
import TimeCore

@Suite("Which protocol is spoken")
struct NegotiationTests {
    @Test(
        "A client without ALPN, and one that offers HTTP/2 among others, is served over HTTP/2",
        arguments: [nil, ["h2"], ["http/1.1", "h2"]] as [[String]?])
    func served(offer: [String]?) throws {
        let mock = try TestMock()
        let client = try BareClient(mock, offer: offer)
        try #require(client.isEstablished)
        #expect(client.agreed == (offer == nil ? nil : "h2"))
        let push = try mock.push()
        let pseudo = [(":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", push.path)]
        client.send(
            RawFrame.preface + RawFrame.settings() + RawFrame.headers(stream: 1, fields: pseudo + push.headers)
                + RawFrame.data(stream: 1, push.body))
        // The status 200 of HPACK's table stands first (RFC 7541, appendix A).
        #expect(client.receiveHeaders()?.first == 0x88)
        #expect(mock.mock.counts().accepted == 1)
    }

    @Test("A client that offers other protocols alone is refused the handshake")
    func refused() async throws {
        let mock = try TestMock()
        #expect(try !BareClient(mock, offer: ["http/1.1"]).isEstablished)
        #expect(await mock.mock.waitFor(timeout: deadline) { $0.handshakesFailed == 1 })
        #expect(mock.mock.counts().connectionsOpened == 0)
    }
}
