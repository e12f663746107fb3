import Encodings

/// Parts of a path as they come.
enum PathParameter {
    /// A part as it was before it was escaped for a URL (RFC 3986, section 2.1); clients escape more than they have to.
    /// Nil when its escapes are wrong.
    static func unescaped(_ escaped: Substring) -> String? {
        PercentEncoding.decode(escaped.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
