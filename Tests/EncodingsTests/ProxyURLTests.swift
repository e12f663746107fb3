import Encodings
import Testing

@Suite("Addresses of proxies")
struct ProxyURLTests {
    @Test(
        "Host and port, with or without a user",
        arguments: [
            ("http://proxy.example:3128", "proxy.example:3128", nil), ("HTTP://10.0.0.1:80/", "10.0.0.1:80", nil),
            ("http://[::1]:8080", "[::1]:8080", nil), ("http://a:b@h:1", "h:1", "a:b"), ("http://a:@h:1", "h:1", "a:"),
            ("http://a:b@c@h:1", "h:1", "a:b@c"), ("http://a%40b:%25:x@h:1", "h:1", "a@b:%:x"),
        ] as [(String, String, String?)])
    func read(text: String, authority: String, credentials: String?) throws {
        let url = try ProxyURL(text)
        #expect(url.description == authority)
        #expect(url.credentials == credentials.map { Base64.encode(Array($0.utf8)) })
    }

    @Test(
        "What is none is refused, and why is told",
        arguments: [
            ("", .scheme), ("https://h:1", .scheme), ("h:1", .scheme), ("socks5://h:1", .scheme), ("http://", .host),
            ("http://:80", .host), ("http://h", .port), ("http://h:0", .port), ("http://h:99999", .port),
            ("http://h:1/path", .rest), ("http://h:1?x", .rest), ("http://a@h:1", .credentials),
            ("http://:b@h:1", .credentials), ("http://a%3Ab:c@h:1", .credentials), ("http://a:%0A@h:1", .credentials),
            ("http://a:%zz@h:1", .credentials), ("http://h h:1", .host), ("http://::1:80", .host),
        ] as [(String, ProxyURL.Malformed)])
    func refused(text: String, why: ProxyURL.Malformed) {
        #expect(throws: why) { try ProxyURL(text) }
    }
}
