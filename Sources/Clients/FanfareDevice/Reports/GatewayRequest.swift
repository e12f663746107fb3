public import Foundation

/// A request to the gateway, without its credentials.
public struct GatewayRequest: Hashable, Sendable {
    /// `GET`, `PUT`, `POST` or `DELETE`.
    public let method: String
    /// The escaped path and query, relative to the gateway's URL.
    public let path: String
    /// A JSON object; nil for no body.
    public let body: Data?
    /// The identity that must sign the request.
    public let identity: DeviceIdentity
    /// The key by which the gateway recognizes a repetition; nil if repetitions are harmless.
    public let idempotencyKey: String?
}

extension GatewayRequest {
    /// - Parameter now: The time from which a schedule's offset is counted.
    init(_ report: Report, for identity: DeviceIdentity, at now: Moment) {
        var body = JSONObject()
        body.add("insider_id", identity.insiderID)
        body.add("udid", identity.udid)
        var method = "POST"
        var path = "/api/v1/sdk/"
        switch report {
        case .device(let device):
            (method, path) = ("PUT", path + "device")
            body.add(device)
        case .pushToStartToken(let token, let type):
            (method, path) = ("PUT", path + "push-to-start-token")
            body.add("token", token)
            body.add("activity_type", type)
        case .sync(let sync):
            path += "sync"
            body.add(sync)
        case .dismissed(let systemID, let activityID, _):
            path += "dismissed"
            body.add("activity_id", activityID)
            body.add("system_activity_id", systemID)
        case .tap(let systemID, let tapID, _):
            path += "tap"
            body.add("system_activity_id", systemID)
            body.add("tap_id", tapID)
        case .follow(let topic): (method, path) = ("PUT", path + "topics/\(topic)/follow")
        case .unfollow(let topic): (method, path) = ("DELETE", path + "topics/\(topic)/follow")
        case .topics:
            method = "GET"
            path += "topics?insider_id=\(identity.insiderID.queryEscaped)&udid=\(identity.udid.queryEscaped)"
        case .schedule(let change):
            path += "schedule"
            body.add(change.external)
            body.add(change, at: now)
        case .cancelSchedules(let external, let scheduleID):
            path += "schedule/cancel"
            body.add(external)
            body.add("schedule_id", scheduleID)
        case .erase: (method, path) = ("DELETE", path + "device")
        }
        self.method = method
        self.path = path
        self.body = method == "GET" ? nil : body.data
        self.identity = identity
        idempotencyKey = nil
    }

    /// Returns the request with the body and key of an attempt.
    func said(as attempt: Attempt) -> GatewayRequest {
        GatewayRequest(
            method: method, path: path, body: attempt.body, identity: identity, idempotencyKey: attempt.key)
    }
}

extension JSONObject {
    fileprivate mutating func add(_ device: Report.DeviceReport) {
        add("platform", "ios")
        add("os_version", device.description.osVersion)
        add("app_version", device.description.appVersion)
        add("push_opt_in", device.description.pushOptIn && device.allowsActivities)
        add("gdpr_consent", device.description.gdprConsent)
        add("frequent_pushes", device.frequentPushes)
        add("environment", device.description.environment.rawValue)
    }

    fileprivate mutating func add(_ sync: Report.SyncReport) {
        add("token", sync.token)
        add("activity_id", sync.external == nil ? sync.activityID : nil)
        if let external = sync.external { add(external) } else { add("activity_type", sync.activityType) }
        add("system_activity_id", sync.systemID)
    }

    fileprivate mutating func add(_ external: ExternalActivity) {
        add("activity_type", external.activityType)
        add("external_id", external.externalID)
        add("external_scope", external.scope.rawValue)
    }

    fileprivate mutating func add(_ change: ScheduledChange, at now: Moment) {
        add("offset", Int(change.wait.left(at: now).rounded()))
        add("event", change.event.rawValue)
        add("content_state", json: change.contentState)
        add("name", change.label)
        if let expireAfter = change.expireAfter { add("options", json: "{\"expire_after\":\(expireAfter)}") }
    }
}

extension String {
    /// The text percent-encoded as a query value.
    fileprivate var queryEscaped: String {
        utf8.map { $0.isUnreserved ? String(UnicodeScalar($0)) : "%" + Data([$0]).hex }.joined()
    }
}
