/// What a topic may be called: what a stored segment may, see `SegmentName`.
public enum TopicName {
    /// In bytes, which are characters here.
    public static let maximumLength = SegmentName.maximumLength

    /// Whether a topic may be called so.
    public static func isValid(_ name: String) -> Bool { SegmentName.isValid(name) }
}
