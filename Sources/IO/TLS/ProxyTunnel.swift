public import Encodings

/// The way through an HTTP proxy: one CONNECT, and the head of the answer, which says whether there is a tunnel (RFC
/// 9110, section 9.3.6). Without socket or clock.
public struct ProxyTunnel: Sendable {
    /// How far it is.
    enum Progress: Equatable {
        /// The head of the answer is not complete.
        case waiting
        /// What follows is the host's. So many of the bytes that came last are.
        case open(behind: Int)
        /// There is no tunnel: why, for people.
        case refused(String)
    }

    /// What is sent first, once. It has the proxy's credentials.
    let request: [UInt8]
    private var head: [UInt8] = []
    /// Bytes of the answer, with those that came before it.
    private var length = 0

    /// An answer whose head is longer than this, with all that comes before it, is refused.
    static let longestHead = 8_192

    /// A way to a host and port that TLS is spoken to.
    public init(through proxy: ProxyURL, to host: String, port: UInt16) {
        let authority = Authority(host: host, port: port).description
        var lines = ["CONNECT \(authority) HTTP/1.1", "Host: \(authority)"]
        if let credentials = proxy.credentials { lines.append("Proxy-Authorization: Basic \(credentials)") }
        request = Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
    }

    /// The proxy has sent something.
    mutating func received(_ bytes: some Collection<UInt8>) -> Progress {
        var taken = 0
        for byte in bytes {
            taken += 1
            head.append(byte)
            length += 1
            guard byte == 0x0A, isHeadComplete else {
                if length >= ProxyTunnel.longestHead { return .refused("its answer is too long") }
                continue
            }
            guard let status else { return .refused("it does not speak HTTP/1") }
            head = []
            switch status {
            // Others may come before the answer (RFC 9110, section 15.2); this one is for who has asked for it.
            case 100..<200 where status != 101: continue
            case 200..<300: return .open(behind: bytes.count - taken)
            // Its own words are not shown: they may repeat what it was sent.
            case 407: return .refused("it answers 407: user and password are missing or wrong")
            default: return .refused("it answers \(status)")
            }
        }
        return .waiting
    }

    /// Whether an empty line ends it. One line feed is as good as carriage return and line feed (RFC 9112, section
    /// 2.2).
    private var isHeadComplete: Bool { head.hasSuffix([0x0A, 0x0A]) || head.hasSuffix([0x0A, 0x0D, 0x0A]) }

    /// Of `HTTP/1.1 200 Connection established` (RFC 9112, section 4); nil when the first line is none.
    private var status: Int? {
        let line = String(decoding: head.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0", parts[1].utf8.count == 3,
            let status = Int(parts[1]), (100...599).contains(status)
        else { return nil }
        return status
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ suffix: [UInt8]) -> Bool { self.suffix(suffix.count).elementsEqual(suffix) }
}
