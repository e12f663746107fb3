import Encodings
import Testing

@testable import TLS

@Suite("The way through a proxy")
struct ProxyTunnelTests {
    private func progress(_ answer: String, piece: Int) throws -> ProxyTunnel.Progress {
        var tunnel = ProxyTunnel(through: try ProxyURL("http://h:1"), to: "example.com", port: 443)
        var rest = Array(answer.utf8)[...]
        var last = ProxyTunnel.Progress.waiting
        while !rest.isEmpty, last == .waiting {
            last = tunnel.received(rest.prefix(piece))
            rest = rest.dropFirst(piece)
        }
        return last
    }

    @Test("It asks for host and port, an address of version 6 in brackets, and gives the credentials if there are any")
    func request() throws {
        let plain = ProxyTunnel(through: try ProxyURL("http://h:1"), to: "::1", port: 443)
        #expect(plain.request == Array("CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n".utf8))
        let known = ProxyTunnel(through: try ProxyURL("http://a:b@h:1"), to: "x", port: 2)
        let text = "CONNECT x:2 HTTP/1.1\r\nHost: x:2\r\nProxy-Authorization: Basic YTpi\r\n\r\n"
        #expect(known.request == Array(text.utf8))
    }

    @Test(
        "The head of an answer ends it, however it is cut; what is behind it is the host's", arguments: [1, 2, 7, 999])
    func answers(piece: Int) throws {
        for open in [
            "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 204\r\n\r\n", "HTTP/1.1 200 \n\n", "HTTP/1.1 299 x\r\nA: b\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
        ] {
            #expect(try progress(open, piece: piece) == .open(behind: 0), "\(open)")
        }
        for (refused, reason) in [
            ("HTTP/1.1 403 Forbidden\r\n\r\n", "it answers 403"), ("HTTP/1.1 503 \r\n\r\n", "it answers 503"),
            ("HTTP/1.1 101 Switching\r\n\r\n", "it answers 101"),
            ("HTTP/1.1 301 \u{1B}[31m\u{FF}red\r\n\r\n", "it answers 301"),
            ("HTTP/2 200 OK\r\n\r\n", "it does not speak HTTP/1"),
            ("HTTP/1.1 20 OK\r\n\r\n", "it does not speak HTTP/1"),
            ("HTTP/1.1 +20\r\n\r\n", "it does not speak HTTP/1"), ("\r\n\r\n", "it does not speak HTTP/1"),
            (String(repeating: "x", count: 9_000), "its answer is too long"),
            (String(repeating: "HTTP/1.1 100 \r\n\r\n", count: 600), "its answer is too long"),
        ] {
            #expect(try progress(refused, piece: piece) == .refused(reason), "\(refused)")
        }
        #expect(try progress("HTTP/1.1 200 OK\r\nA: b\r\n", piece: piece) == .waiting)
    }

    @Test("Bytes that come with the answer are told apart from it")
    func behind() throws {
        #expect(try progress("HTTP/1.1 200 OK\r\n\r\n\u{16}\u{03}\u{01}", piece: 999) == .open(behind: 3))
    }
}
