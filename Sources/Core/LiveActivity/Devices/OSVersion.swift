/// An operating system's version, as far as eligibility looks at it.
public struct OSVersion: Comparable, Hashable, Sendable, CustomStringConvertible {
    /// The 18 of 18.1.
    public let major: UInt16
    /// The 1 of 18.1.
    public let minor: UInt16

    /// The first iOS with push-to-start (Apple, ActivityKit).
    public static let pushToStart = OSVersion(major: 17, minor: 2)
    /// The first iOS with broadcast channels (Apple, ActivityKit).
    public static let channels = OSVersion(major: 18, minor: 0)

    public init(major: UInt16, minor: UInt16) {
        self.major = major
        self.minor = minor
    }

    /// Reads `18`, `17.2` or `17.2.1`; whatever follows the second part is passed over. Nil when a part is no number.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard let first = parts.first, let major = OSVersion.number(first) else { return nil }
        guard parts.count > 1 else {
            self.init(major: major, minor: 0)
            return
        }
        guard let minor = OSVersion.number(parts[1]) else { return nil }
        self.init(major: major, minor: minor)
    }

    /// Digits only: the standard library's initializer takes a sign as well.
    private static func number(_ digits: Substring) -> UInt16? {
        digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt16(digits) : nil
    }

    public static func < (left: OSVersion, right: OSVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    public var description: String { "\(major).\(minor)" }
}
