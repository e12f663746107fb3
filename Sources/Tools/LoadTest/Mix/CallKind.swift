/// The kinds of calls.
enum CallKind: Int, CaseIterable, Sendable {
    case register, addUsers, start, update, end, sync, putDevice, putToken, putRegistrationToken
    case putTopic, getTopic, deleteTopic, follow, unfollow, dismissed

    /// The name in options and reports.
    var name: String {
        switch self {
        case .register: "register"
        case .addUsers: "add-users"
        case .start: "start"
        case .update: "update"
        case .end: "end"
        case .sync: "sync"
        case .putDevice: "device"
        case .putToken: "token"
        case .putRegistrationToken: "registration-token"
        case .putTopic: "topic"
        case .getTopic: "topic-reading"
        case .deleteTopic: "topic-deletion"
        case .follow: "follow"
        case .unfollow: "unfollow"
        case .dismissed: "dismissed"
        }
    }

    /// The path below the gateway's URL, with `{topic}` for a topic's name.
    var path: String {
        switch self {
        case .register, .addUsers, .start, .update, .end: "/api/v1/live-activity/\(name)"
        case .sync: "/api/v1/sdk/sync"
        case .putDevice: "/api/v1/sdk/device"
        case .putToken: "/api/v1/sdk/push-to-start-token"
        case .putRegistrationToken: "/api/v1/sdk/registration-token"
        case .putTopic, .getTopic, .deleteTopic: "/api/v1/topics/{topic}"
        case .follow, .unfollow: "/api/v1/sdk/topics/{topic}/follow"
        case .dismissed: "/api/v1/sdk/dismissed"
        }
    }

    var method: String {
        switch self {
        case .putDevice, .putToken, .putRegistrationToken, .putTopic, .follow: "PUT"
        case .getTopic: "GET"
        case .deleteTopic, .unfollow: "DELETE"
        default: "POST"
        }
    }
}

/// A value for each kind of call.
struct PerKind<Value> {
    private var values: [Value]

    init(_ value: Value) {
        values = CallKind.allCases.map { _ in value }
    }

    subscript(_ kind: CallKind) -> Value {
        get { values[kind.rawValue] }
        _modify { yield &values[kind.rawValue] }
    }
}

extension PerKind: Sendable where Value: Sendable {}
