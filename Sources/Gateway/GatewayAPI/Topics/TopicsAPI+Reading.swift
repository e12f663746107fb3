import GatewayStore
import Hummingbird
import LiveActivity
import TimeCore

extension TopicsAPI {
    private static let defaultLimit = 100

    func show(_ request: CustomerRequest) async throws -> Reply {
        guard let topic = try await store.topic(try id(request)) else { throw APIError.noTopic }
        let listed = try await followerStore.listed(topic.id)
        let queued = try await followerStore.queued(topic.id)
        var isRunning = false
        var counts: DeviceStateCounts?
        var broadcasts: [BroadcastRecord] = []
        if let activity = topic.activityID, let status = try await reader.status(of: activity) {
            let activity = status.record.activity
            isRunning = !topic.isOver && activity.state == .started && activity.endsAt > clock()
            let cohorts = try await reader.stateCounts(in: status.record)
            counts = cohorts.values.reduce(into: DeviceStateCounts()) { $0.add($1) }
            broadcasts = try await reader.recentBroadcasts(of: status)
        }
        return .success { writer in
            writer.topic(topic)
            writer.field("work", topic.work(isRunning: isRunning, queued: queued).rawValue)
            writer.object("followers") { writer in
                writer.field("app", topic.following)
                writer.field("customer", listed)
                writer.field("unfollowed", topic.unfollowed)
                writer.field("queued", queued)
            }
            if let counts { writer.object("counts") { $0.counts(counts) } }
            writer.array("broadcasts") { array in
                for record in broadcasts { array.object { $0.summary(record) } }
            }
        }
    }

    func list(_ request: CustomerRequest) async throws -> Reply {
        let query = request.query
        let limit = try limit(request, most: StoredTopics.longestListing)
        let state = try query.get("state").map { text in
            guard let state = TopicState(rawValue: text) else {
                throw APIError.invalid("state", "upcoming, live or ended")
            }
            return state
        }
        let cursor = query.get("cursor")
        if let cursor, !TopicName.isValid(cursor) { throw APIError.badCursor }
        let page = try await store.topics(tenantID: request.tenantID, state: state, limit: limit, after: cursor)
        return .success { writer in
            writer.array("topics") { array in
                for topic in page.topics { array.object { $0.topic(topic) } }
            }
            writer.field("cursor", page.next)
        }
    }

    func followers(_ request: CustomerRequest) async throws -> Reply {
        let limit = try limit(request, most: StoredFollowers.longestFollowerListing)
        let cursor = request.query.get("cursor")
        if let cursor, cursor.wholeMatch(of: /[0-9]{1,9}\.[0-9]{1,9}/) == nil { throw APIError.badCursor }
        guard let topic = try await store.topic(try id(request)) else { throw APIError.noTopic }
        let page = try await followerStore.followers(of: topic, limit: limit, after: cursor)
        return .success { writer in
            writer.array("followers") { array in
                for follower in page.followers {
                    array.object {
                        $0.field("insider_id", follower.insiderID)
                        $0.field("source", follower.source.rawValue)
                    }
                }
            }
            writer.field("cursor", page.next)
        }
    }

    private func limit(_ request: CustomerRequest, most: Int) throws -> Int {
        guard let text = request.query.get("limit") else { return TopicsAPI.defaultLimit }
        guard let limit = Int(text), (1...most).contains(limit) else {
            throw APIError.invalid("limit", "a number from 1 to \(most)")
        }
        return limit
    }
}

extension APIError {
    fileprivate static var badCursor: APIError {
        .invalid("cursor", "the cursor of an earlier reply of this endpoint")
    }
}

extension JSONObjectWriter {
    /// Writes the fields that all replies about a topic share.
    mutating func topic(_ topic: TopicRecord) {
        field("topic", topic.id.name)
        field("activity_type", topic.type)
        field("name", topic.label)
        field("state", topic.state.rawValue)
        field("sequence", topic.sequence.map { Int($0) })
        field("activity_id", topic.activityID?.description)
        field("ended_by", topic.concluded)
        field("ends_at", topic.endsAt?.rfc3339)
        field("created_at", topic.createdAt.rfc3339)
        field("changed_at", topic.changedAt.rfc3339)
        field("live_since", topic.liveSince?.rfc3339)
    }
}
