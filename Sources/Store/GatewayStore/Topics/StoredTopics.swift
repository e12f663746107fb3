public import LiveActivity
import RedisClient
import TimeCore

/// Topics: their contents, and the gateways that drive them.
public final class StoredTopics: StoreFeature {
    let context: StoreContext
    let segments: StoredSegments

    init(_ context: StoreContext, segments: StoredSegments) {
        self.context = context
        self.segments = segments
    }
}

extension StoredTopics {
    /// A topic; nil if it does not exist.
    public func topic(_ id: TopicID) async throws(StoreError) -> TopicRecord? {
        TopicRecord(id, try await value(RedisCommand("HGETALL", Keys.topic(id))).fields)
    }

    /// Writes the owner's newest content of a topic, unless newer content is stored. The contents are kept, sealed
    /// if there is a sealing key, because later followers receive the newest one.
    /// - Parameter present: The topic as it was read before; nil if it did not exist.
    public func put(
        _ write: TopicWrite, to id: TopicID, over present: TopicRecord?
    ) async throws(StoreError) -> TopicChange {
        // The name comes first, perhaps on another node. A name without a topic does no harm.
        _ = try await value(RedisCommand("ZADD", Keys.topicNames(id.tenantID), 0, id.name))
        let now = wallClock()
        let call = Scripts.putTopic(
            topic: Keys.topic(id), due: Keys.due(id.shard), running: present?.activityID.map(Keys.activity),
            item: id.description, now: now.milliseconds, tenant: id.tenantID, name: id.name, type: write.type,
            state: write.state.rawValue, digest: write.digest, sequence: write.sequence.map(String.init) ?? "",
            start: try sealed(write.start, id), update: try sealed(write.update, id),
            ending: try sealed(write.ending, id), priority: write.priority.map(String.init) ?? "",
            endsAt: write.endsAt.map { String($0.milliseconds) } ?? "", channel: write.channelUse?.text ?? "",
            idAttribute: write.activityIDAttribute ?? "", label: write.label ?? "",
            attributes: try sealed(write.attributes, id),
            seen: present.map { "\($0.version) \($0.state.rawValue)" } ?? "")
        switch try await run(call.replicated(within: StoreContext.replication)) {
        case .changed(let version):
            noteDue(id.shard, at: now.milliseconds)
            return .changed(version: version)
        case .unchanged: return .unchanged
        case .stale(let sequence): return .stale(Int64(sequence))
        case .anotherType(let type): return .typeMismatch(registered: type)
        case .live: return .isLive
        case .needsStart: return .alertMissing
        case .raced: return .contended
        }
    }

    /// The most topics in one listing.
    public static let longestListing = 1000

    /// The fields that a listing reads. Content is not among them.
    private static let listedFields = [
        "type", "state", "sequence", "version", "created_at", "changed_at", "live_since", "ends_at", "activity",
        "concluded", "label",
    ]

    /// A page of a tenant's topics in the order of their names, with the `listedFields`.
    /// - Parameters:
    ///   - state: Only topics in this state; nil for all. A page may then have fewer than `limit` topics and still a
    ///     next one.
    ///   - after: The last name of the former page; nil for the beginning.
    /// - Returns: The topics, and the name for `after` of the next page; nil if there is none.
    public func topics(
        tenantID: String, state: TopicState?, limit: Int, after: String?
    ) async throws(StoreError) -> (topics: [TopicRecord], next: String?) {
        let key = Keys.topicNames(tenantID)
        let reply = try await value(
            RedisCommand("ZRANGEBYLEX", key, after.map { "(\($0)" } ?? "-", "+", "LIMIT", 0, limit + 1))
        let all = (reply.array ?? []).compactMap(\.string)
        let ids = all.prefix(limit).map { TopicID(tenantID: tenantID, name: $0) }
        let replies = try await values(
            ids.map { RedisCommand("HMGET", arguments: [Keys.topic($0)] + StoredTopics.listedFields) })
        let topics = zip(ids, replies).compactMap { id, reply in
            TopicRecord(
                id,
                zip(StoredTopics.listedFields, reply.array ?? []).compactMap { name, value in
                    value.bytes.map { (name: Array(name.utf8), value: $0) }
                })
        }
        return (topics.filter { state == nil || $0.state == state }, all.count > limit ? ids.last?.name : nil)
    }

    /// The result of a deletion.
    public enum Deletion: Sendable {
        case deleted, notFound
        /// The topic is live, or its activity is being ended.
        case inUse
    }

    /// Deletes a topic without a running activity, with its followers.
    public func delete(_ id: TopicID) async throws(StoreError) -> Deletion {
        let call = Scripts.deleteTopic(topic: Keys.topic(id), due: Keys.due(id.shard), item: id.description)
        guard let isDeleted = try await run(call) else { return .notFound }
        guard isDeleted else { return .inUse }
        _ = try await value(RedisCommand("ZREM", Keys.topicNames(id.tenantID), id.name))
        // A topic that was made in the meantime keeps its name.
        if try await topic(id) != nil {
            _ = try await value(RedisCommand("ZADD", Keys.topicNames(id.tenantID), 0, id.name))
        }
        _ = try await segments.deleteSegment(id.name, tenantID: StoredTopics.listOwner(id.tenantID))
        return .deleted
    }

    // MARK: Contents

    private func sealed(_ payload: Payload?, _ id: TopicID) throws(StoreError) -> [UInt8] {
        guard let payload else { return [] }
        let kept = try kept(payload, of: id.sealingID, tenantID: id.tenantID)
        // An unsealed payload is stored whole, with a placeholder for its timestamp.
        return kept.after.isEmpty ? kept.before : payload.bytes(timestamp: StoredTopics.noTime)
    }

    /// A placeholder with as many digits as a timestamp.
    private static let noTime: Int64 = 1_000_000_000

    /// Opens a payload that a topic keeps; nil for none. Throws if this gateway cannot open it.
    private func content(_ kept: [UInt8]?, _ id: TopicID) throws(StoreError) -> Payload? {
        guard let kept else { return nil }
        let payload =
            ContentSealer.isSealed(kept)
            ? opened(kept, of: id.sealingID, tenantID: id.tenantID) : Payload(kept)
        guard let payload else { throw .damaged("a topic's content, or it is sealed with another key") }
        return payload
    }

    /// The content of a start: the newest state, the newest attributes of this life, and the newest alert.
    public func startContent(_ topic: TopicRecord) throws(StoreError) -> Payload? {
        guard let start = try content(topic.start, topic.id) else { return nil }
        return StoredTopics.start(
            start, try content(topic.update, topic.id), try keptAttributes(topic), type: topic.type)
    }

    /// Returns the contents that a topic has after a write, in the form that is sent. Kept content that cannot be
    /// unsealed counts as absent, so that new content replaces it.
    /// - Parameter present: The topic before; nil if it did not exist.
    public func contents(of present: TopicRecord?, after write: TopicWrite, _ id: TopicID) -> TopicContents {
        let former = present.flatMap { write.beginsLife(after: $0) ? nil : $0 }
        var contents = TopicContents(type: write.type, channelUse: write.channelUse)
        contents.ending = write.ending
        contents.activityIDAttribute = write.activityIDAttribute ?? former?.activityIDAttribute
        guard write.state != .ended else { return contents }
        contents.update = write.update ?? former.flatMap { try? content($0.update, id) }
        guard let alert = write.start ?? former.flatMap({ try? content($0.start, id) }) else { return contents }
        let attributes =
            write.attributes.map { (type: write.type, payload: $0) } ?? former.flatMap { try? keptAttributes($0) }
        contents.start = StoredTopics.start(alert, contents.update, attributes, type: write.type)
        return contents
    }

    private static func start(
        _ start: Payload, _ update: Payload?, _ attributes: (type: String, payload: Payload)?, type: String
    ) -> Payload? {
        // Attributes of another type do not fit.
        let fitting = attributes.flatMap { $0.type == type ? $0.payload : nil }
        return Payload.start(
            start.bytes(timestamp: noTime), withStateOf: (update ?? start).bytes(timestamp: noTime),
            attributes: fitting ?? .attributes(ArraySlice("{}".utf8), type: type))
    }

    /// The newest attributes that are kept of a topic; nil if none were given.
    private func keptAttributes(_ topic: TopicRecord) throws(StoreError) -> (type: String, payload: Payload)? {
        try content(topic.attributes, topic.id)?.attributes()
    }

    /// The newest content as an update.
    public func updateContent(_ topic: TopicRecord) throws(StoreError) -> Payload? {
        try content(topic.update, topic.id)
    }

    /// The last content as an end; nil when the owner gave none.
    public func endContent(_ topic: TopicRecord) throws(StoreError) -> Payload? {
        try content(topic.ending, topic.id)
    }

    /// The owner of the segments that hold the lists of a tenant's topics. It keeps their names apart from the tenant's
    /// own segments.
    public static func listOwner(_ tenantID: String) -> String { "\(tenantID)/topics" }
}
