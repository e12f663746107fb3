import Encodings

/// The URL of a gateway, for example `http://127.0.0.1:8080` or `https://gateway.example.com/prefix`.
struct GatewayURL: Sendable, Equatable, CustomStringConvertible {
    let isSecure: Bool
    /// A name or an address, without brackets.
    let host: String
    let port: Int
    /// The prefix of every path, without a trailing slash.
    let prefix: String

    init(_ text: String) throws(LoadTestError) {
        func wrong(_ what: String) -> LoadTestError {
            LoadTestError("--url: \(what); write it like http://127.0.0.1:8080")
        }
        let rest: Substring
        if text.hasPrefix("http://") {
            isSecure = false
            rest = text.dropFirst(7)
        } else if text.hasPrefix("https://") {
            isSecure = true
            rest = text.dropFirst(8)
        } else {
            throw wrong("it must start with http:// or https://")
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw wrong("it has spaces or invalid characters")
        }
        guard !rest.contains(where: { $0 == "?" || $0 == "#" || $0 == "@" }) else {
            throw wrong("it must have no query, fragment or password")
        }
        let authority = rest.prefix { $0 != "/" }
        var path = rest.dropFirst(authority.count)
        while path.hasSuffix("/") { path.removeLast() }
        prefix = String(path)
        do {
            let parts = try Authority(authority)
            host = parts.host.lowercased()
            port = parts.port.map { Int($0) } ?? (isSecure ? 443 : 80)
        } catch {
            throw wrong(GatewayURL.fault(error))
        }
    }

    private static func fault(_ malformed: Authority.Malformed) -> String {
        switch malformed {
        case .bracket: "only :PORT may follow the address in brackets"
        case .host: "the host is missing"
        case .colons: "an IPv6 address must be in brackets"
        case .port: "the port must be a number from 1 to 65535"
        }
    }

    /// The value of the Host field.
    var authority: String {
        Authority(host: host, port: port == (isSecure ? 443 : 80) ? nil : UInt16(clamping: port)).description
    }

    var description: String { "\(isSecure ? "https" : "http")://\(authority)\(prefix)" }
}
