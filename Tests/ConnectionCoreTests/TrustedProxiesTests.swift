import ConnectionCore
import Encodings
import Testing

@Suite("Trusted proxies") struct TrustedProxiesTests {
    private let proxies = TrustedProxies(["10.0.0.0/8", "fd00::/8", "192.0.2.1"].compactMap { AddressBlock($0) })

    private func client(_ peer: String, _ fields: String...) throws -> String {
        proxies.client(try #require(IPAddress(peer)), forwardedFor: fields).description
    }

    @Test("The last address that is no proxy's is the client's, whatever stands in front of it")
    func chain() throws {
        #expect(try client("10.0.0.1", "198.51.100.7") == "198.51.100.7")
        #expect(try client("10.0.0.1", "203.0.113.9, 198.51.100.7,10.1.1.1 ,  192.0.2.1") == "198.51.100.7")
        #expect(try client("10.0.0.1", "1.1.1.1", "198.51.100.7", "10.2.2.2") == "198.51.100.7")
        #expect(try client("fd00::1", "2001:db8::7") == "2001:db8::7")
        #expect(try client("::ffff:10.0.0.1", "::ffff:198.51.100.7") == "198.51.100.7")
        #expect(try client("10.0.0.1", "10.0.0.9, 10.0.0.8") == "10.0.0.9")
    }

    @Test("Who is no proxy is believed nothing")
    func stranger() throws {
        #expect(try client("198.51.100.7", "1.1.1.1") == "198.51.100.7")
        #expect(
            TrustedProxies().client(try #require(IPAddress("10.0.0.1")), forwardedFor: ["1.1.1.1"]).description
                == "10.0.0.1")
        #expect(TrustedProxies().isEmpty && !proxies.isEmpty)
    }

    @Test("Ports are passed over, and what is no address ends the chain at who wrote it")
    func forms() throws {
        for (text, expected) in [
            ("198.51.100.7:4711", "198.51.100.7"), ("[2001:db8::7]", "2001:db8::7"),
            ("[2001:db8::7]:4711", "2001:db8::7"), ("unknown", "10.0.0.1"), ("", "10.0.0.1"),
            ("198.51.100.7, unknown", "10.0.0.1"), ("198.51.100.7,", "10.0.0.1"), ("198.51.100.7:", "10.0.0.1"),
            ("198.51.100.7:123456", "10.0.0.1"), ("[198.51.100.7]", "10.0.0.1"), ("[2001:db8::7", "10.0.0.1"),
            ("198.51.100.7, _hidden, 10.0.0.2", "10.0.0.2"), ("0198.51.100.7", "10.0.0.1"),
        ] {
            #expect(try client("10.0.0.1", text) == expected, "\(text)")
        }
    }

    @Test("A chain of any length costs what a long one may")
    func endless() throws {
        let chain = "198.51.100.7, " + Array(repeating: "10.0.0.3", count: 100).joined(separator: ", ")
        #expect(try client("10.0.0.1", chain) == "10.0.0.3")
    }
}
