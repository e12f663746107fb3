/// How devices of an activity that can follow a channel come to have one.
public struct ChannelUse: Equatable, Sendable {
    /// Whether it is made however few they are.
    public var isRequired: Bool
    /// Whether the provider keeps the newest message for phones that are off.
    public var storesNewest: Bool

    public init(isRequired: Bool, storesNewest: Bool = true) {
        self.isRequired = isRequired
        self.storesNewest = storesNewest
    }

    /// As the activity's hash has it.
    var text: String { (isRequired ? "required" : "auto") + (storesNewest ? "" : "!") }

    init?(_ text: String) {
        let word = text.hasSuffix("!") ? text.dropLast() : text[...]
        guard word == "auto" || word == "required" else { return nil }
        self.init(isRequired: word == "required", storesNewest: word.count == text.count)
    }
}
