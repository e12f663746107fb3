/// The rule for names of stored segments: 1 to 128 letters, digits and `-`, `.`, `_`, `~`, `:`, but neither `.` nor
/// `..`. These need no escapes in a path.
public enum SegmentName {
    /// The maximum length in bytes, which equal characters here.
    public static let maximumLength = 128

    /// True if the name is valid.
    public static func isValid(_ name: String) -> Bool {
        (1...maximumLength).contains(name.utf8.count) && name != "." && name != ".." && name.utf8.allSatisfy(isAllowed)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
