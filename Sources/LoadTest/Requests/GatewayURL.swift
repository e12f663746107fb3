/// Where the gateway is: `http://127.0.0.1:8080`, `https://gateway.example.com/prefix`.
struct GatewayURL: Sendable, Equatable, CustomStringConvertible {
    let isSecure: Bool
    /// A name or an address, without brackets.
    let host: String
    let port: Int
    /// What stands before every path; without a slash at its end.
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
            throw wrong("it must begin with http:// or https://")
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw wrong("it has blanks or odd characters") }
        guard !rest.contains(where: { $0 == "?" || $0 == "#" || $0 == "@" }) else {
            throw wrong("it must have no query, fragment or password")
        }
        let authority = rest.prefix { $0 != "/" }
        var path = rest.dropFirst(authority.count)
        while path.hasSuffix("/") { path.removeLast() }
        prefix = String(path)
        let name: Substring
        var portText: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw wrong("the bracket of the address is open") }
            name = authority[authority.index(after: authority.startIndex)..<end]
            let tail = authority[authority.index(after: end)...]
            guard tail.isEmpty || tail.hasPrefix(":") else { throw wrong("after the address comes :PORT") }
            portText = tail.isEmpty ? nil : tail.dropFirst()
        } else {
            let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2 else { throw wrong("an IPv6 address stands in brackets") }
            name = parts.first ?? ""
            portText = parts.count == 2 ? parts[1] : nil
        }
        guard !name.isEmpty else { throw wrong("it names no host") }
        host = name.lowercased()
        if let portText {
            guard let number = UInt16(portText), number > 0 else { throw wrong("\"\(portText)\" is no port") }
            port = Int(number)
        } else {
            port = isSecure ? 443 : 80
        }
    }

    /// The value of the Host field.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    var description: String { "\(isSecure ? "https" : "http")://\(authority)\(prefix)" }
}
