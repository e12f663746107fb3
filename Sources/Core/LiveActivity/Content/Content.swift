/// The customer's content as slices of the request's bytes. They are copied into the payload without decoding.
public struct Content: Sendable {
    /// A JSON string with its quotes, or an object that names a localized text of the app (`loc-key`, `loc-args`).
    public var title: ArraySlice<UInt8>?
    /// A JSON string with its quotes, or an object that names a localized text of the app (`loc-key`, `loc-args`).
    public var message: ArraySlice<UInt8>?
    /// A JSON object with its braces.
    public var contentState: ArraySlice<UInt8>?
    /// A JSON object with its braces.
    public var attributes: ArraySlice<UInt8>?

    public init(
        title: ArraySlice<UInt8>? = nil, message: ArraySlice<UInt8>? = nil, contentState: ArraySlice<UInt8>? = nil,
        attributes: ArraySlice<UInt8>? = nil
    ) {
        self.title = title
        self.message = message
        self.contentState = contentState
        self.attributes = attributes
    }

    /// True if the content has a title or message for an alert.
    public var hasAlert: Bool { title != nil || message != nil }

    /// True if `attributes` have a member of this name. Names are compared as bytes, with escapes resolved.
    public func hasAttribute(_ name: String) -> Bool {
        guard let attributes, let root = try? JSONDocument(parsing: Array(attributes)).root else { return false }
        return root.firstMember(in: [name]) != nil
    }
}

/// The parts of the payload that a caller sets in `options`.
public struct PresentationOptions: Equatable, Sendable {
    /// Epoch seconds after which the Live Activity shows as outdated.
    public var staleDate: Int64?
    /// Epoch seconds at which an ended Live Activity leaves the lock screen.
    public var dismissalDate: Int64?
    /// A JSON number, unchanged.
    public var relevanceScore: ArraySlice<UInt8>?
    /// A JSON string with its quotes, unchanged.
    public var sound: ArraySlice<UInt8>?

    public init(
        staleDate: Int64? = nil, dismissalDate: Int64? = nil, relevanceScore: ArraySlice<UInt8>? = nil,
        sound: ArraySlice<UInt8>? = nil
    ) {
        self.staleDate = staleDate
        self.dismissalDate = dismissalDate
        self.relevanceScore = relevanceScore
        self.sound = sound
    }
}
