public import Foundation

/// The result of a request.
public enum GatewayAnswer: Sendable {
    /// An HTTP answer.
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - retryAfter: The header `Retry-After` in seconds; nil if absent.
    ///   - body: The unchanged body.
    case answered(status: Int, retryAfter: TimeInterval?, body: Data)
    /// Nothing was sent: the network is missing, the name is unknown, or the connection was refused.
    case notSent
    /// Nothing was sent: the app's closure returned no signature.
    case unsigned
    /// No answer arrived in time, or the connection broke. The gateway may have received the request.
    case unanswered
}

/// The fields of an answer that the library uses.
struct GatewayReply: Decodable, Equatable, Sendable {
    var status: String?
    var activityID: String?
    var scheduleID: String?
    var scheduleName: String?
    var state: TopicState?
    var topics: [FollowedTopic]?
    var error: String?
    var code: String?
    var quota: String?

    enum CodingKeys: String, CodingKey {
        case activityID = "activity_id"
        case scheduleID = "schedule_id"
        case scheduleName = "schedule_name"
        case status, state, topics, error, code, quota
    }

    init() {}

    /// Ignores fields of unknown form, because gateways may be older or newer than the app.
    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) -> String? { try? fields.decode(String.self, forKey: key) }
        status = text(.status)
        activityID = text(.activityID)
        scheduleID = text(.scheduleID)
        scheduleName = text(.scheduleName)
        state = text(.state).flatMap(TopicState.init)
        topics = try? fields.decode([FollowedTopic].self, forKey: .topics)
        (error, code, quota) = (text(.error), text(.code), text(.quota))
    }

    /// Reads a body. One that is not JSON gives an empty reply, because something on the way may answer instead of the
    /// gateway.
    init(reading body: Data) {
        self = (try? JSONDecoder().decode(GatewayReply.self, from: body)) ?? GatewayReply()
    }
}

/// The state of a topic.
public enum TopicState: String, Codable, Sendable {
    /// The topic has not started.
    case upcoming
    /// The topic has a Live Activity.
    case live
    /// The topic has ended.
    case ended
}

/// A topic that the user follows, as listed by the gateway.
struct FollowedTopic: Codable, Equatable, Sendable {
    var topic: String
    var state: TopicState?
    var activityID: String?
    var deviceState: String?

    enum CodingKeys: String, CodingKey {
        case topic, state
        case activityID = "activity_id"
        case deviceState = "device_state"
    }

    init(topic: String, state: TopicState?, activityID: String? = nil, deviceState: String? = nil) {
        (self.topic, self.state, self.activityID, self.deviceState) = (topic, state, activityID, deviceState)
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        topic = try fields.decode(String.self, forKey: .topic)
        state = (try? fields.decode(String.self, forKey: .state)).flatMap(TopicState.init)
        activityID = try? fields.decode(String.self, forKey: .activityID)
        deviceState = try? fields.decode(String.self, forKey: .deviceState)
    }
}
