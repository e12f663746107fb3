import GatewayStore
import LiveActivity

extension ChannelUse {
    /// Reads `channel` and `channel_storage` of an activity's options; nil where its devices are to follow no channel.
    /// Without a word it has one where the app can.
    /// - Parameter isOffered: whether the tenant's app has broadcast capability.
    init?(_ options: JSONValue?, isOffered: Bool) throws {
        let channel = try options?.optionalString("channel", path: "options.channel")
        let storage = try options?.optionalString("channel_storage", path: "options.channel_storage")
        guard ["auto", "required", "never", nil].contains(channel) else {
            throw APIError.invalid("options.channel", "auto, required or never")
        }
        guard ["newest", "none", nil].contains(storage) else {
            throw APIError.invalid("options.channel_storage", "newest or none")
        }
        guard isOffered || channel == nil || channel == "never" else {
            throw APIError(
                .validationFailed,
                "options.channel must be never, because the app has no broadcast capability (apns.broadcast_capability)"
            )
        }
        guard isOffered, channel != "never" else {
            guard storage == nil else {
                throw APIError(.validationFailed, "options.channel_storage is only for activities with a channel")
            }
            return nil
        }
        self.init(isRequired: channel == "required", storesNewest: storage != "none")
    }
}
