/// The calls that are played.
enum CallKind: Int, CaseIterable, Sendable {
    case register, addUsers, start, update, end, sync, putDevice, putToken, putRegistrationToken

    /// As people and programs see it.
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
        }
    }

    /// Where the call goes, below the gateway's URL.
    var path: String {
        switch self {
        case .register, .addUsers, .start, .update, .end: "/api/v1/live-activity/\(name)"
        case .sync: "/api/v1/sdk/sync"
        case .putDevice: "/api/v1/sdk/device"
        case .putToken: "/api/v1/sdk/push-to-start-token"
        case .putRegistrationToken: "/api/v1/sdk/registration-token"
        }
    }

    var method: String {
        switch self {
        case .putDevice, .putToken, .putRegistrationToken: "PUT"
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
