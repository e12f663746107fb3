/// The rules for an app's bundle identifier (Apple: "CFBundleIdentifier").
public enum BundleIdentifier {
    /// Apple's limit.
    private static let longest = 155
    /// Marks the topics that the gateway makes of the identifier.
    private static let topicMark = ".push-type."

    /// The rule that a text breaks; nil for an identifier that an app can have.
    public static func fault(_ text: String) -> String? {
        if text.contains(topicMark) {
            return "it is a topic; the gateway adds \(topicMark)liveactivity to the bundle identifier"
        }
        guard text.utf8.count <= longest else { return "it has more than \(longest) characters" }
        guard text.utf8.allSatisfy(isAllowed) else {
            return "it must have only ASCII letters, digits, hyphens and dots"
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.contains(where: \.isEmpty) ? "one of its parts between dots is empty" : nil
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
