public import Encodings

/// A tunnel through an HTTP proxy: one CONNECT, and the head of the answer with its result (RFC 9110, section 9.3.6).
/// Without socket or clock.
public struct ProxyTunnel: Sendable {
    /// The state of the tunnel.
    enum Progress: Equatable {
        /// The head of the answer is incomplete.
        case waiting
        /// The tunnel is open. The last `behind` of the received bytes come from the host.
        case open(behind: Int)
        /// There is no tunnel. The reason is for people.
        case refused(String)
    }

    /// The request to send first. It contains the proxy's credentials.
    let request: [UInt8]
    private var head: [UInt8] = []
    /// The received bytes, including interim answers.
    private var length = 0

    /// The maximum length of the answer's head with all interim answers, in bytes.
    static let longestHead = 8_192

    /// A tunnel to a host and port with TLS.
    public init(through proxy: ProxyURL, to host: String, port: UInt16) {
        let authority = Authority(host: host, port: port).description
        var lines = ["CONNECT \(authority) HTTP/1.1", "Host: \(authority)"]
        if let credentials = proxy.credentials { lines.append("Proxy-Authorization: Basic \(credentials)") }
        request = Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
    }

    /// Processes bytes from the proxy.
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
            // Interim answers come first (RFC 9110, section 15.2). Status 101 requires a request for it.
            case 100..<200 where status != 101: continue
            case 200..<300: return .open(behind: bytes.count - taken)
            // The proxy's own text is not shown, because it may repeat the request.
            case 407: return .refused("it answers 407: user and password are missing or wrong")
            default: return .refused("it answers \(status)")
            }
        }
        return .waiting
    }

    /// True if the head ends with an empty line. A line feed alone also ends a line (RFC 9112, section 2.2).
    private var isHeadComplete: Bool { head.hasSuffix([0x0A, 0x0A]) || head.hasSuffix([0x0A, 0x0D, 0x0A]) }

    /// The status in `HTTP/1.1 200 Connection established` (RFC 9112, section 4); nil if the line is invalid.
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
