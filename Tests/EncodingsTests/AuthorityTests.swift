import Encodings
import Testing

@Suite("Host and port")
struct AuthorityTests {
    @Test(
        "A host stands alone or with a port, an address of version 6 in brackets, and is written as it was read",
        arguments: [
            ("example.com", "example.com", nil), ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]", "::1", nil),
            ("[::1]:443", "::1", 443), ("a:1", "a", 1), ("a:65535", "a", 65535),
        ] as [(String, String, UInt16?)])
    func read(text: String, host: String, port: UInt16?) throws {
        let authority = try Authority(text)
        #expect(authority.host == host && authority.port == port)
        #expect(authority.isBracketed == text.hasPrefix("["))
        #expect(authority.description == text)
        #expect(Authority(host: host, port: port) == authority)
    }

    @Test(
        "What is none is refused, and why is told",
        arguments: [
            ("", .host), (":80", .host), ("[]:80", .host), ("[::1", .bracket), ("[::1]80", .bracket),
            ("::1", .host), ("fe80::1", .colons), ("a:1:2", .colons), ("a:", .port), ("a:0", .port), ("a:65536", .port),
            ("a:+1", .port), ("a: 1", .port), ("a:x", .port), ("[::1]:", .port), ("[::1]:1:2", .colons),
        ] as [(String, Authority.Malformed)])
    func refused(text: String, why: Authority.Malformed) {
        #expect(throws: why) { try Authority(text) }
    }
}

@Suite("Percent-encoding")
struct PercentEncodingTests {
    @Test(
        "Escapes stand for bytes (RFC 3986, section 2.1), in either case, needed or not",
        arguments: [("", ""), ("a%2Fb", "a/b"), ("%61%5b%5D", "a[]"), ("%c3%A9", "é"), ("a+b", "a+b"), ("%25", "%")])
    func decoded(text: String, plain: String) {
        #expect(PercentEncoding.decode(text.utf8) == Array(plain.utf8))
    }

    @Test("An escape that is not two digits is refused", arguments: ["%", "a%2", "%g0", "%0g", "%%20", "% 20"])
    func refused(text: String) {
        #expect(PercentEncoding.decode(text.utf8) == nil)
    }
}
