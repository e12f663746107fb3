/// The rule for names of topics, identical to `SegmentName`.
public enum TopicName {
    /// The maximum length in bytes, which equal characters here.
    public static let maximumLength = SegmentName.maximumLength

    /// True if the name is valid.
    public static func isValid(_ name: String) -> Bool { SegmentName.isValid(name) }
}
