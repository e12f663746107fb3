import Encodings

/// The grammar of an endpoint's URL.
enum RedisURL {
    /// The most places of a cluster in one setting.
    private static let maximumPlaces = 64

    /// One URL, or several separated by commas. A comma that no scheme follows is part of a URL, for example of a
    /// password.
    static func parseAll(_ text: String) throws(RedisEndpointError) -> RedisEndpoint {
        var parts: [Substring] = []
        for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
            let first = piece.drop { $0 == " " }
            if let last = parts.last, !first.contains("://") {
                parts[parts.count - 1] = text[last.startIndex..<piece.endIndex]
            } else {
                parts.append(first)
            }
        }
        guard parts.count <= maximumPlaces else { throw RedisEndpointError(reason: "it has too many parts") }
        var endpoint = try parse(String(parts.first ?? ""))
        for part in parts.dropFirst() {
            let other = try parse(String(part))
            guard (other.tls == nil) == (endpoint.tls == nil) else {
                throw RedisEndpointError(reason: "some of its parts begin with rediss://, and others do not")
            }
            guard other.sentinelName == endpoint.sentinelName else {
                throw RedisEndpointError(reason: "its parts do not all name sentinels of the same primary")
            }
            endpoint.seeds += ([other.location] + other.seeds).filter { $0 != endpoint.location }
        }
        return endpoint
    }

    static func parse(_ text: String) throws(RedisEndpointError) -> RedisEndpoint {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: Array("://".utf8))
        else { throw RedisEndpointError(reason: "there is no scheme such as redis:// at its beginning") }
        let rest = bytes[(colon + 3)...]
        switch String(decoding: bytes[..<colon], as: UTF8.self).lowercased() {
        case "redis": return try parseTCP(rest)
        case "unix": return try parseUnix(rest)
        case "rediss":
            var endpoint = try parseTCP(rest)
            endpoint.tls = RedisTLS()
            return endpoint
        case "redis+sentinel": return try parseSentinel(rest)
        case "rediss+sentinel":
            var endpoint = try parseSentinel(rest)
            endpoint.tls = RedisTLS()
            return endpoint
        default:
            throw RedisEndpointError(
                reason: "its scheme is none of redis://, rediss://, redis+sentinel://, rediss+sentinel:// and unix://")
        }
    }

    /// Sentinels separated by commas, a slash, and the name that they have for the primary.
    private static func parseSentinel(_ text: ArraySlice<UInt8>) throws(RedisEndpointError) -> RedisEndpoint {
        let slash = text.firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
        let path = text[slash...].dropFirst()
        let end = path.firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
        let name = try decode(path[..<end], "primary's name")
        guard !name.isEmpty else {
            throw RedisEndpointError(reason: "it does not name the primary, as in redis+sentinel://host:26379/mymaster")
        }
        let at = text[..<slash].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? text.startIndex
        let hosts = text[at..<slash].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        var endpoint: RedisEndpoint?
        for place in hosts {
            // The credentials are the primary's, and precede the first host.
            let (host, port) = try parseHost(place, defaultPort: 26_379)
            let location = RedisEndpoint.Location.tcp(host: host, port: port)
            if endpoint == nil {
                endpoint = try parseTCP(text[..<at] + Array("sentinel".utf8))
                endpoint?.location = location
            } else {
                endpoint?.seeds.append(location)
            }
            endpoint?.trustedNames.append(host)
        }
        guard var endpoint else { throw RedisEndpointError(reason: fault(.host)) }
        endpoint.sentinelName = name
        endpoint.database = try parseDatabase(path[end...].dropFirst())
        return endpoint
    }

    private static func parseTCP(_ text: ArraySlice<UInt8>) throws(RedisEndpointError) -> RedisEndpoint {
        let slash = text.firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
        var authority = text[..<slash]
        var user: String?
        var password: String?
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            let parts = authority[..<at].split(
                separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            user = try decode(parts[0], "user")
            if parts.count == 2 { password = try decode(parts[1], "password") }
            if user?.isEmpty == true { user = nil }
            if password?.isEmpty == true { password = nil }
            guard user == nil || password != nil else {
                throw RedisEndpointError(reason: "it names a user without a password")
            }
            authority = authority[(at + 1)...]
        }
        let (host, port) = try parseHost(authority)
        let database = try parseDatabase(text[slash...].dropFirst())
        return RedisEndpoint(
            location: .tcp(host: host, port: port), user: user, password: password, database: database)
    }

    private static func parseHost(
        _ text: ArraySlice<UInt8>, defaultPort: UInt16 = 6379
    ) throws(RedisEndpointError) -> (String, UInt16) {
        guard !text.contains(UInt8(ascii: ",")) else {
            throw RedisEndpointError(reason: "its host has a comma; each of several places is a URL of its own")
        }
        let authority: Authority
        do {
            authority = try Authority(String(decoding: text, as: UTF8.self))
        } catch {
            throw RedisEndpointError(reason: fault(error))
        }
        let name = authority.host
        guard !name.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw RedisEndpointError(reason: fault(.host))
        }
        return (name, authority.port ?? defaultPort)
    }

    private static func fault(_ malformed: Authority.Malformed) -> String {
        switch malformed {
        case .bracket: "the bracket around its IPv6 address is not closed"
        case .host: "its host is empty or has spaces or control characters"
        case .colons, .port: "its port is not a number from 1 to 65535"
        }
    }

    private static func parseUnix(_ text: ArraySlice<UInt8>) throws(RedisEndpointError) -> RedisEndpoint {
        let mark = text.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
        let path = try decode(text[..<mark], "path")
        guard path.hasPrefix("/"), path.utf8.count <= 107 else {
            throw RedisEndpointError(reason: "its socket path is not absolute, or is longer than 107 bytes")
        }
        var database = 0
        let query = text[mark...].dropFirst()
        if !query.isEmpty {
            guard query.starts(with: Array("db=".utf8)) else {
                throw RedisEndpointError(reason: "it has a parameter other than db")
            }
            database = try parseDatabase(query.dropFirst(3))
        }
        return RedisEndpoint(location: .unix(path: path), database: database)
    }

    private static func parseDatabase(_ text: ArraySlice<UInt8>) throws(RedisEndpointError) -> Int {
        if text.isEmpty { return 0 }
        guard let database = number(text) else {
            throw RedisEndpointError(reason: "its database is not a number")
        }
        return database
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.count <= 9, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Percent-decoding (RFC 3986, 2.1).
    private static func decode(_ text: ArraySlice<UInt8>, _ part: String) throws(RedisEndpointError) -> String {
        guard let output = PercentEncoding.decode(text) else {
            throw RedisEndpointError(reason: "its \(part) has a % without two hexadecimal digits")
        }
        guard !output.contains(0), let decoded = String(validating: output, as: UTF8.self) else {
            throw RedisEndpointError(reason: "its \(part) is not UTF-8 text")
        }
        return decoded
    }
}
