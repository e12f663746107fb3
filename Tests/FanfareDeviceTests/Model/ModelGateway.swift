import Foundation

@testable import FanfareDevice

/// A model of a gateway without a network, after the documents.
struct ModelGateway {
    struct Token: Equatable {
        var token: String
        var identity: DeviceIdentity
    }

    struct LiveActivity: Equatable {
        var token: String?
        var identity: DeviceIdentity
    }

    var devices: [DeviceIdentity: String] = [:]
    var startTokens: [String: Token] = [:]
    var liveActivities: [String: LiveActivity] = [:]
    var dismissed: Set<String> = []
    var taps: [String: Int] = [:]
    var wishes: [String: [String: Bool]] = [:]
    /// Keyed by id: the lane, which is the user and the activity, and the label.
    var schedules: [String: (lane: String, label: String)] = [:]
    /// The devices of the Live Activities that a push has started.
    var pushed: [String: DeviceIdentity] = [:]
    var live: Set<String> = []
    /// The activities that users' apps have opened.
    private(set) var opened: Set<String> = []
    private var lastSchedule = 0
    /// Replies to requests with an idempotency key, kept for an hour.
    private var answers: [String: (at: Double, body: Data?, reply: (status: Int, body: String))] = [:]
    /// Seconds, by the gateway's clock.
    var time = 0.0
    var requests: [String: Int] = [:]

    /// Handles a request as a serving gateway does.
    mutating func take(_ request: GatewayRequest) -> (status: Int, body: String) {
        guard let key = request.idempotencyKey.map({ "\(request.identity.name) \(request.path) \($0)" }) else {
            return carryOut(request)
        }
        answers = answers.filter { time - $0.value.at < 3600 }
        if let known = answers[key] {
            return known.body == request.body ? known.reply : (422, #"{"error":"no","code":"IDEMPOTENCY_KEY_REUSED"}"#)
        }
        let reply = carryOut(request)
        if reply.status < 400 { answers[key] = (time, request.body, reply) }
        return reply
    }

    private mutating func carryOut(_ request: GatewayRequest) -> (status: Int, body: String) {
        let body = request.body.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] } ?? [:]
        let path = String(request.path.dropFirst("/api/v1/sdk/".count))
        let identity = request.identity
        precondition(request.method == "GET" || body["insider_id"] as? String == identity.insiderID)
        requests[request.method + " " + path.split(separator: "?")[0], default: 0] += 1
        switch (request.method, path) {
        case ("PUT", "device"):
            devices[identity] = String(decoding: request.body ?? Data(), as: UTF8.self)
            return ModelGateway.success()
        case ("PUT", "push-to-start-token"):
            startTokens[body["activity_type"] as? String ?? ""] = Token(
                token: body["token"] as? String ?? "", identity: identity)
            return ModelGateway.success()
        case ("DELETE", "device"):
            erase(identity)
            return ModelGateway.success()
        case ("POST", "sync"): return sync(body, identity)
        case ("POST", "dismissed"):
            let id = body["system_activity_id"] as? String ?? ""
            guard liveActivities[id] != nil else { return ModelGateway.notFound }
            dismissed.insert(id)
            return ModelGateway.success()
        case ("POST", "tap"):
            guard liveActivities[body["system_activity_id"] as? String ?? ""] != nil else {
                return ModelGateway.notFound
            }
            taps[body["tap_id"] as? String ?? "", default: 0] += 1
            return ModelGateway.success(#","activity_id":"a""#)
        case ("POST", "schedule"), ("POST", "schedule/cancel"): return schedule(body, path, identity)
        case ("GET", _): return topics(identity)
        default: return follow(request, path)
        }
    }

    private mutating func sync(_ body: [String: Any], _ identity: DeviceIdentity) -> (Int, String) {
        let id = body["system_activity_id"] as? String ?? ""
        let isKnown = body["external_id"] != nil ? devices[identity] != nil : pushed[id] == identity
        guard isKnown else { return ModelGateway.notFound }
        let token = body["token"] as? String ?? liveActivities[id]?.token
        liveActivities[id] = LiveActivity(token: token, identity: identity)
        if let external = body["external_id"] { opened.insert("\(identity.insiderID)/\(external)") }
        return ModelGateway.success(#","activity_id":"activity-\#(id)""#)
    }

    private mutating func schedule(
        _ body: [String: Any], _ path: String, _ identity: DeviceIdentity
    ) -> (Int, String) {
        let lane = "\(identity.insiderID)/\(body["external_id"] ?? "")"
        if path == "schedule/cancel" {
            let id = body["schedule_id"] as? String
            for (key, value) in schedules where value.lane == lane && (id == nil || id == key) { schedules[key] = nil }
            return ModelGateway.success(#","canceled":1"#)
        }
        guard opened.contains(lane) else { return ModelGateway.notFound }
        lastSchedule += 1
        schedules["s\(lastSchedule)"] = (lane, body["name"] as? String ?? "")
        return ModelGateway.success(#","schedule_id":"s\#(lastSchedule)","activity_id":"a""#)
    }

    private mutating func follow(_ request: GatewayRequest, _ path: String) -> (Int, String) {
        let topic = String(path.split(separator: "/")[1])
        guard topic != "nowhere" else { return ModelGateway.notFound }
        wishes[request.identity.insiderID, default: [:]][topic] = request.method == "PUT"
        return ModelGateway.success(#","state":"upcoming""#)
    }

    private func topics(_ identity: DeviceIdentity) -> (Int, String) {
        let names = (wishes[identity.insiderID] ?? [:]).filter(\.value).keys.sorted()
        let list = names.map {
            #"{"topic":"\#($0)","activity_type":"T","state":"\#(live.contains($0) ? "live" : "upcoming")"}"#
        }
        return ModelGateway.success(#","topics":[\#(list.joined(separator: ","))]"#)
    }

    private mutating func erase(_ identity: DeviceIdentity) {
        devices[identity] = nil
        startTokens = startTokens.filter { $0.value.identity != identity }
        liveActivities = liveActivities.filter { $0.value.identity != identity }
        opened = opened.filter { !$0.hasPrefix(identity.insiderID + "/") }
    }

    static func success(_ fields: String = "") -> (Int, String) { (200, #"{"status":"success"\#(fields)}"#) }
    static let notFound = (404, #"{"error":"no","code":"NOT_FOUND"}"#)
}
