import Broadcasts
import GatewayStore
import LiveActivity
import TimeCore

/// Topics and their followers.
struct TopicsAPI: Sendable {
    let store: any TopicStore
    let followerStore: any FollowerStore
    let reader: any ActivityReading
    /// Reads and keeps the owners' lists of followers.
    let lists: SegmentsAPI
    let service: any TopicCarrier
    let clock: @Sendable () -> WallTime

    func put(_ request: CustomerRequest, _ body: JSONValue) async throws -> Reply {
        let id = try id(request)
        let write = try TopicWrite(
            body, offersChannels: service.offersChannels(to: request.tenantID), now: clock())
        let outcome = try await TopicsAPI.put(write, to: id, store, service)
        let topic = try await store.topic(id)
        return .success { writer in
            if let topic { writer.topic(topic) }
            if outcome == .unchanged { writer.field("unchanged", true) }
        }
    }

    /// Writes an owner's content, from a call or a feed. Throws `APIError` if it is refused.
    @discardableResult
    static func put(
        _ write: TopicWrite, to id: TopicID, _ store: any TopicStore, _ service: any TopicCarrier
    ) async throws -> TopicChange {
        let change = try await checkedPut(write, to: id, store, service)
        switch change {
        case .changed: service.seeTo(id)
        case .unchanged: break
        case .contended:
            throw APIError(.storeUnavailable, "another request is changing the topic; try again", retryAfter: 1)
        case .stale(let present):
            throw APIError(.staleSequence, "sequence must be at least \(present), the topic's sequence")
        case .typeMismatch(let registered):
            throw APIError(ActivityRefusal.typeMismatch(registered: registered))
        case .isLive: throw APIError(.validationFailed, "state must be live or ended, because the topic is live")
        case .alertMissing:
            throw APIError(
                .contentRequired, "content.title and content.message are required when a topic goes live")
        }
        return change
    }

    /// Throws if a push is too long for a kind of route, or if the attributes have the key of the activity's id.
    static func check(_ contents: TopicContents, of id: TopicID, _ service: any TopicCarrier) throws(APIError) {
        if let key = contents.activityIDAttribute, contents.start?.hasAttribute(key) == true {
            throw APIError(Payload.AttributeTaken(key: key))
        }
        do throws(BroadcastRefusal) { try service.check(contents, of: id) } catch { throw APIError(error) }
    }

    /// Writes content if pushes of it, composed with the content that is kept, fit every kind of route. Throws
    /// `APIError` if they do not.
    private static func checkedPut(
        _ write: TopicWrite, to id: TopicID, _ store: any TopicStore, _ service: any TopicCarrier
    ) async throws -> TopicChange {
        let tries = Tries()
        while true {
            let present = try await store.topic(id)
            if write.isNews(to: present) {
                try check(store.contents(of: present, after: write, id), of: id, service)
            }
            let change = try await store.put(write, to: id, over: present)
            guard change == .contended, try await tries.next() else { return change }
        }
    }

    func delete(_ request: CustomerRequest) async throws -> Reply {
        let id = try id(request)
        let tries = Tries()
        while true {
            switch try await store.delete(id) {
            case .deleted: return .success()
            case .notFound: throw APIError.noTopic
            case .inUse: break
            }
            // A live topic is ended first, and deleted once the end is recorded.
            if let topic = try await store.topic(id), topic.state == .live {
                var write = TopicWrite(type: topic.type, state: .ended, digest: [])
                write.ending = .end(content: nil, options: PresentationOptions())
                _ = try await store.put(write, to: id, over: topic)
            }
            service.seeTo(id)
            guard try await tries.next() else {
                throw APIError(.storeUnavailable, "the topic is ending; try again", retryAfter: 1)
            }
        }
    }

    /// The topic that a path names.
    func id(_ request: CustomerRequest) throws -> TopicID {
        let name = request.name("topic") ?? ""
        guard TopicName.isValid(name) else { throw APIError.badTopicName }
        return TopicID(tenantID: request.tenantID, name: name)
    }
}

extension APIError {
    static var noTopic: APIError { APIError(.notFound, "the topic does not exist") }

    /// Refuses a command for the activity of a topic.
    static func ofTopic(_ topic: TopicID) -> APIError {
        APIError(
            .validationFailed,
            "activity_id: the activity belongs to the topic \(topic.name); change it with PUT /api/v1/topics/\(topic.name)"
        )
    }

    static var badTopicName: APIError {
        .invalid("the topic's name", "1 to \(TopicName.maximumLength) letters, digits and -._~:, and not . or ..")
    }
}

extension DeviceReport.Content {
    /// A follow or unfollow of the topic that the path names.
    static func follow(_ follows: Bool, _ body: JSONValue, _ parameters: [String: Substring]) throws -> Self {
        guard let name = parameters["topic"].flatMap({ PathParameter.unescaped($0) }), TopicName.isValid(name) else {
            throw APIError.badTopicName
        }
        return .follow(topic: name, follows)
    }
}

/// Drives topics.
protocol TopicCarrier: Sendable {
    func offersChannels(to tenantID: String) -> Bool

    /// Throws `BroadcastRefusal` when the contents are too long for a kind of route that the topic can have.
    func check(_ contents: TopicContents, of id: TopicID) throws(BroadcastRefusal)

    /// Drives a topic that has changed.
    func seeTo(_ topic: TopicID)
}

extension BroadcastService: TopicCarrier {}
