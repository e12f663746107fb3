import Delivery
public import GatewayStore
import LiveActivity
import TimeCore

extension BroadcastService {
    /// Throws `payloadTooLarge` if the contents of a topic are too long for a kind of route that the topic can have.
    /// Followers arrive at any time by any route, so a topic with channels is checked for single devices too.
    public func check(_ contents: TopicContents, of id: TopicID) throws(BroadcastRefusal) {
        let activity = Activity(
            id: id.newActivityID(), tenantID: id.tenantID, type: contents.type, createdAt: store.wallClock(),
            endsAt: store.wallClock(), activityIDAttribute: contents.activityIDAttribute)
        let start = contents.start?.adding(idOf: activity)
        let payloads = [(start, PushEvent.start), (contents.update, .update), (contents.ending, .end)]
        for channels in channelsToCheck(contents, id) {
            for (payload, event) in payloads {
                guard let payload else { continue }
                let excess = jobs.apps.excess(of: payload, event, in: activity, over: [], channels: channels)
                if let excess { throw .payloadTooLarge(excess.bytes, limit: excess.limit, excess.cohort) }
            }
        }
    }

    private func channelsToCheck(_ contents: TopicContents, _ id: TopicID) -> [Channels] {
        guard contents.channelUse != nil, offersChannels(to: id.tenantID) else { return [Channels()] }
        var channels = Channels()
        for (kind, _) in BroadcastService.environments {
            channels.set(BroadcastService.anyChannel, of: kind, storesNewest: true)
        }
        return [Channels(), channels]
    }

    /// A channel id as long as those of APNs: 16 bytes in Base64.
    private static let anyChannel = String(repeating: "A", count: 22) + "=="

    /// True if the dismissal of a topic's Live Activity is an unfollow.
    public var dismissUnfollows: Bool { jobs.settings.topics.dismissUnfollows }

    /// Drives a topic soon, on this gateway or the one with its lease.
    public func seeTo(_ topic: TopicID) { jobs.seeTo(topic) }
}
