import Encodings
import TestSupport
import Testing

@testable import ConnectionCore

@Suite("PROXY protocol") struct ProxyHeaderTests {
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]

    private static func version2(
        _ command: UInt8, _ family: UInt8, _ rest: [UInt8]
    ) -> [UInt8] {
        signature + [command, family, UInt8(rest.count >> 8), UInt8(rest.count & 0xFF)] + rest
    }

    private static let ports: [UInt8] = [0x10, 0x00, 0x01, 0xBB]
    private static let version6: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]

    /// Headers that are right, and whose connection it is then.
    private static let good: [(bytes: [UInt8], client: String?)] = [
        (Array("PROXY TCP4 192.0.2.7 198.51.100.1 4711 443\r\n".utf8), "192.0.2.7"),
        (Array("PROXY TCP6 2001:db8::1 ::1 65535 0\r\n".utf8), "2001:db8::1"),
        (Array("PROXY TCP6 ::ffff:192.0.2.7 ::1 1 2\r\n".utf8), "192.0.2.7"),
        (Array("PROXY UNKNOWN\r\n".utf8), nil),
        (Array("PROXY UNKNOWN ffff:f::f ffff::1 1 2\r\n".utf8), nil),
        (version2(0x21, 0x11, [192, 0, 2, 7, 198, 51, 100, 1] + ports), "192.0.2.7"),
        // With a note behind the addresses.
        (version2(0x21, 0x11, [192, 0, 2, 7, 198, 51, 100, 1] + ports + [4, 0, 1, 0]), "192.0.2.7"),
        (version2(0x21, 0x21, version6 + version6 + ports), "2001:db8::1"),
        (version2(0x20, 0x00, []), nil),
        (version2(0x20, 0xF7, [1, 2, 3]), nil),
        (version2(0x21, 0x00, [1, 2, 3]), nil),
        (version2(0x21, 0x12, [192, 0, 2, 7, 198, 51, 100, 1] + ports), nil),
        (version2(0x21, 0x31, [UInt8](repeating: 65, count: 216)), nil),
    ]

    private static let bad: [[UInt8]] =
        [
            "GET / HTTP/1.1\r\n", "PROXY\r\n", "PROXY \r\n", "proxy TCP4 192.0.2.7 198.51.100.1 1 2\r\n",
            "PROXY TCP4 192.0.2.7 198.51.100.1 1 2\n", "PROXY TCP4 192.0.2.7 198.51.100.1 1\r\n",
            "PROXY TCP4 192.0.2.7 198.51.100.1 1 2 3\r\n", "PROXY TCP4  192.0.2.7 198.51.100.1 1 2\r\n",
            "PROXY TCP4 192.0.2.07 198.51.100.1 1 2\r\n", "PROXY TCP4 192.0.2.7 198.51.100.1 1 65536\r\n",
            "PROXY TCP4 192.0.2.7 198.51.100.1 01 2\r\n", "PROXY TCP4 2001:db8::1 ::1 1 2\r\n",
            "PROXY TCP6 192.0.2.7 198.51.100.1 1 2\r\n", "PROXY UDP4 192.0.2.7 198.51.100.1 1 2\r\n",
            "PROXY UNKNOWN " + String(repeating: "x", count: 100) + "\r\n",
        ].map { Array($0.utf8) } + [
            version2(0x11, 0x11, [192, 0, 2, 7, 198, 51, 100, 1] + ports), version2(0x22, 0x11, []),
            version2(0x21, 0x41, []), version2(0x21, 0x13, []), version2(0x21, 0x11, [192, 0, 2, 7]),
            version2(0x21, 0x21, version6), version2(0x21, 0x31, [1]),
            version2(0x21, 0x11, [UInt8](repeating: 0, count: 4097)), [0x0D, 0x0A, 0x0D, 0x0A, 0x01],
        ]

    @Test("Both versions are read, however they are cut, and what follows is left alone")
    func headers() {
        for (bytes, client) in Self.good {
            let expected = ProxyHeader.Reading.complete(
                ProxyHeader(length: bytes.count, client: client.flatMap { IPAddress($0) }))
            for count in 0..<bytes.count {
                #expect(ProxyHeader.read(bytes.prefix(count)) == .incomplete, "\(bytes), \(count)")
            }
            #expect(ProxyHeader.read(bytes) == expected, "\(bytes)")
            #expect(ProxyHeader.read(bytes + Array("GET / HTTP/1.1".utf8)) == expected)
        }
    }

    @Test("What is no header is found out at some byte, and never becomes one")
    func malformed() {
        for bytes in Self.bad {
            var isFound = false
            for count in 0...bytes.count {
                switch ProxyHeader.read(bytes.prefix(count)) {
                case .incomplete: #expect(!isFound, "\(bytes), \(count)")
                case .malformed: isFound = true
                case .complete(let header): Issue.record("\(bytes), \(count): \(header)")
                }
            }
            #expect(isFound, "\(bytes)")
        }
    }

    @Test("A header with changed bytes is read the same however it is cut", arguments: 0..<20)
    func changed(_ number: Int) {
        var generator = TestSeed.generator(UInt64(number))
        for _ in 0..<200 {
            var bytes = Self.good.randomElement(using: &generator)?.bytes ?? []
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            let whole = ProxyHeader.read(bytes)
            // The reader stops at the first cut that says something else than that more is needed.
            let first = (0...bytes.count).lazy.map { ProxyHeader.read(bytes.prefix($0)) }.first { $0 != .incomplete }
            #expect((first ?? .incomplete) == whole, "\(bytes)")
        }
    }
}
