/// The rules by which an activity's devices get a broadcast channel.
public struct ChannelUse: Equatable, Sendable {
    /// True if a channel is created even for few devices.
    public var isRequired: Bool
    /// True if the provider keeps the newest message for phones that are offline.
    public var storesNewest: Bool

    public init(isRequired: Bool, storesNewest: Bool = true) {
        self.isRequired = isRequired
        self.storesNewest = storesNewest
    }

    /// The text in the activity's hash.
    var text: String { (isRequired ? "required" : "auto") + (storesNewest ? "" : "!") }

    init?(_ text: String) {
        let word = text.hasSuffix("!") ? text.dropLast() : text[...]
        guard word == "auto" || word == "required" else { return nil }
        self.init(isRequired: word == "required", storesNewest: word.count == text.count)
    }
}
