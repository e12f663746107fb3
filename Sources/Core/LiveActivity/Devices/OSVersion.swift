/// An operating system's version, as far as eligibility depends on it.
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

    /// Parses `18`, `17.2` or `17.2.1`, without the third part. Returns nil if one of the others is not a number.
    public init?(_ text: String) {
        var parts: (UInt16, UInt16) = (0, 0)
        var (number, digits) = (1, 0)
        for byte in text.utf8 {
            if byte == UInt8(ascii: ".") {
                guard digits > 0 else { return nil }
                if number == 2 { break }
                (number, digits) = (2, 0)
                continue
            }
            guard let digit = OSVersion.digit(byte) else { return nil }
            let former = number == 1 ? parts.0 : parts.1
            let (product, isTooLarge) = former.multipliedReportingOverflow(by: 10)
            let (sum, isOver) = product.addingReportingOverflow(digit)
            guard !isTooLarge, !isOver else { return nil }
            if number == 1 { parts.0 = sum } else { parts.1 = sum }
            digits += 1
        }
        guard digits > 0 else { return nil }
        self.init(major: parts.0, minor: parts.1)
    }

    /// Accepts digits only, because the standard library's initializer also accepts a sign.
    private static func digit(_ byte: UInt8) -> UInt16? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? UInt16(byte - UInt8(ascii: "0")) : nil
    }

    public static func < (left: OSVersion, right: OSVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    public var description: String { "\(major).\(minor)" }
}
