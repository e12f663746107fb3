import LiveActivity

extension ChannelRegister {
    /// The control port's page of channels, in the order of their creation.
    var json: [UInt8] {
        let all = channels.values.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
        return JSONWriter.object {
            $0.array("channels") { list in
                for channel in all { list.object { Self.write(channel, to: &$0) } }
            }
        }
    }

    private static func write(_ channel: MockChannel, to object: inout JSONObjectWriter) {
        object.field("id", channel.id)
        object.field("message_storage_policy", channel.storesMessages ? 1 : 0)
        object.field("created", channel.created)
        object.field("followers", channel.followers.count)
        object.field("publishes", channel.publishCount)
        guard let last = channel.lastPublish else { return }
        object.object("last_publish") {
            $0.field("time", last.time)
            $0.field("event", last.event?.rawValue)
            $0.field("timestamp", last.timestamp)
            $0.field("priority", last.priority)
            $0.field("expiration", last.expiration)
            $0.field("followers", last.followers)
        }
    }
}
