public import Foundation

/// What came of a request.
public enum GatewayAnswer: Sendable {
    /// The gateway answered.
    /// - Parameters:
    ///   - status: of HTTP.
    ///   - retryAfter: the header `Retry-After` in seconds; nil where there is none.
    ///   - body: as it came.
    case answered(status: Int, retryAfter: TimeInterval?, body: Data)
    /// Nothing was sent: there is no network, the name is unknown, or the connection was refused.
    case notSent
    /// Nothing was sent: the app's closure gave no signature.
    case unsigned
    /// No answer came in time, or the connection broke: the gateway may have got the request.
    case unanswered
}

/// What of a reply's body the library reads; whatever else is in it is passed over.
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

    /// Gateways are older and newer than apps: what has an unknown form is passed over.
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

    /// A body that is no JSON says nothing: whatever stands between a phone and a gateway may answer in the latter's
    /// place.
    init(reading body: Data) {
        self = (try? JSONDecoder().decode(GatewayReply.self, from: body)) ?? GatewayReply()
    }
}

/// Where a topic stands.
public enum TopicState: String, Codable, Sendable {
    /// It has not begun.
    case upcoming
    /// It has a Live Activity now.
    case live
    /// It is over.
    case ended
}

/// What the gateway says of a topic that the user follows.
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
