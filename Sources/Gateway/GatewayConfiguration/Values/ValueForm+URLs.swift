import Connecting
import Encodings
import RedisClient

extension ValueForm where Value == String {
    /// A Redis URL, parsed by the Redis client.
    static var redisURL: ValueForm {
        ValueForm(
            noun: "a Redis URL",
            advice: "Use redis://[user:password@]host[:port][/database], rediss:// for TLS, or "
                + "unix:///path/of/socket; for a cluster one or more nodes, separated by commas; with Sentinel "
                + "redis+sentinel://host[:port]/name.",
            parse: { text throws(ValueRefusal) in
                guard let mark = text.firstRange(of: "://"), mark.upperBound < text.endIndex,
                    text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
                else { throw ValueRefusal() }
                switch text[..<mark.lowerBound].lowercased() {
                case "redis", "rediss", "unix", "redis+sentinel", "rediss+sentinel": break
                default: throw ValueRefusal(reason: "has a scheme that is not supported")
                }
                do throws(RedisEndpointError) {
                    _ = try RedisEndpoint(url: text)
                } catch {
                    throw ValueRefusal(reason: "is unusable: \(error.reason)")
                }
                return text
            }, show: Redaction.withoutUserInfo, showRefused: Redaction.schemeOnly, isSecret: true)
    }

    /// An HTTPS URL with a host and an optional port, without a path.
    static var httpsURL: ValueForm {
        ValueForm(
            noun: "a URL of a push service", advice: "Use https://host or https://host:port.",
            parse: { text throws(ValueRefusal) in
                let scheme = "https://"
                if text.lowercased().hasPrefix("http://") {
                    throw ValueRefusal(reason: "is not encrypted", advice: "Use https://host or https://host:port.")
                }
                guard text.lowercased().hasPrefix(scheme) else { throw ValueRefusal() }
                var authority = text.dropFirst(scheme.count)
                if authority.hasSuffix("/") { authority.removeLast() }
                guard isAuthority(authority) else { throw ValueRefusal() }
                return scheme + authority
            }, show: { $0 })
    }

    /// An HTTPS URL with a host, an optional port and a path.
    static var httpsEndpoint: ValueForm {
        let advice = "Use https://host/path or https://host:port/path."
        return ValueForm(
            noun: "a URL of a token endpoint", advice: advice,
            parse: { text throws(ValueRefusal) in
                let scheme = "https://"
                if text.lowercased().hasPrefix("http://") {
                    throw ValueRefusal(reason: "is not encrypted", advice: advice)
                }
                let rest = text.dropFirst(scheme.count)
                guard text.lowercased().hasPrefix(scheme), isAuthority(rest.prefix { $0 != "/" }) else {
                    throw ValueRefusal()
                }
                // The gateway must accept the URL too.
                guard (try? ProviderURL.parse(text)) != nil else {
                    throw ValueRefusal(reason: "has more than a host, a port and a path")
                }
                return scheme + rest
            }, show: { $0 })
    }

    /// An HTTPS URL with a host, an optional port, a path and a query. `http://` is accepted only for this machine. The
    /// query may be secret.
    static var feedURL: ValueForm {
        let advice = "Use https://host/path, or http://127.0.0.1:port/path for a feed on this machine."
        return ValueForm(
            noun: "a URL of a feed", advice: advice,
            parse: { text throws(ValueRefusal) in
                let scheme = text.prefix { $0 != ":" }.lowercased()
                guard scheme == "https" || scheme == "http", text.dropFirst(scheme.count).hasPrefix("://"),
                    text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains("#")
                else { throw ValueRefusal() }
                let rest = text.dropFirst(scheme.count + 3)
                let host = rest.prefix { $0 != "/" && $0 != "?" }
                guard !host.contains("@") else {
                    throw ValueRefusal(
                        reason: "contains a user or password",
                        advice: "Add a line `Authorization: Basic ...` to the file in headers_file.")
                }
                guard isAuthority(host), let authority = try? Authority(host) else { throw ValueRefusal() }
                guard scheme == "https" || Loopback.contains(host: authority.host) else {
                    throw ValueRefusal(reason: "is not encrypted", advice: advice)
                }
                return "\(scheme)://\(rest)"
            }, show: Redaction.withoutQuery, showRefused: Redaction.schemeOnly, isSecret: true)
    }

    private static func isAuthority(_ text: Substring) -> Bool {
        guard let authority = try? Authority(text) else { return false }
        if authority.isBracketed {
            return authority.host.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        return authority.host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }
    }
}

extension ValueForm where Value == ProxyURL {
    /// An HTTP URL with an optional user and password, a host and a port. Shown without the user.
    static var proxyURL: ValueForm {
        let advice = "Use http://host:port or http://user:password@host:port."
        return ValueForm(
            noun: "the address of an HTTP proxy", advice: advice,
            parse: { text throws(ValueRefusal) in
                do throws(ProxyURL.Malformed) { return try ProxyURL(text) } catch {
                    switch error {
                    case .scheme:
                        throw ValueRefusal(
                            reason: "does not start with http://",
                            advice: "\(advice) TLS through the proxy runs end to end to APNs.")
                    case .credentials:
                        throw ValueRefusal(
                            reason: "has a malformed user or password",
                            advice: "Use user:password@, with special characters as %XX.")
                    case .port: throw ValueRefusal(reason: "has no port from 1 to 65535")
                    case .rest: throw ValueRefusal(reason: "has more than a host and a port")
                    case .host: throw ValueRefusal()
                    }
                }
            }, show: { "http://\($0.credentials == nil ? "" : "***@")\($0)" }, showRefused: Redaction.schemeOnly,
            isSecret: true)
    }
}
