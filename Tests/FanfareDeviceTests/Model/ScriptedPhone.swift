import Foundation

@testable import FanfareDevice

/// A scripted phone: the state of its system and its user, the library's machine, and a model of the gateway. It
/// follows the driver's order of steps, and may be killed between any two.
struct ScriptedPhone {
    struct Shown: Equatable {
        var token: Data?
        var external: ExternalActivity?
        var identity: DeviceIdentity?
        var content = 0
        var since = 0.0
    }

    enum Network: String, CaseIterable {
        case good, none, answersLost, late, unauthorized, forbidden, limited, unavailable, switchedOff, broken
    }

    static let types = ["Match", "Order"]

    var draws: SeededDraws
    var gateway = ModelGateway()
    var machine = DeviceMachine()
    var disk: Data?
    private var kept: DeviceMachine?
    var now = Moment(wall: Date(timeIntervalSince1970: 1_800_000_000), uptime: 1000)
    var network = Network.good
    /// The answer of a proxy in front of the gateway; nil passes the request on.
    var barrier: (GatewayRequest) -> GatewayAnswer? = { _ in nil }
    /// Unanswered requests that arrive later.
    var late: [(at: Double, request: GatewayRequest)] = []
    /// Seconds since the walk began, independent of the phone's clocks.
    var course = 0.0
    var isRunning = false
    var mayBeKilled = true
    /// The number of the place at which the app is killed; nil kills at random.
    var killAt: Int?
    private(set) var places = 0
    var rotatesUnderWay = true
    var steps: [String] = []

    // The true state.
    var user: DeviceIdentity?
    var description = DeviceDescription(osVersion: "18.1", pushOptIn: true, gdprConsent: true, environment: .production)
    var allows = true
    var startTokens: [String: Data] = [:]
    var formerToken = Data([0])
    var shown: [String: Shown] = [:] { didSet { excuse(oldValue) } }
    /// Schedules of Live Activities that ended before the gateway knew them. The gateway may or may not have them.
    var excused: Set<String> = []
    var gone: [String] = []
    /// Live Activities dismissed unseen by the app since the phone's last restart.
    var goneUnseen: [String] = []
    var signedOut: Set<DeviceIdentity> = []
    var wishes: [String: [String: Bool]] = [:]
    var wanted: [String: Set<String>] = [:]
    var tapIDs: [String] = []
    var count = 0

    init(seed: UInt64) { draws = SeededDraws(seed: seed) }

    mutating func note(_ step: String) { steps.append("\(Int(course))s \(step)") }

    // MARK: What the driver does

    /// Applies a change, saves it, and performs its effects. Returns false if the app was killed before the save.
    @discardableResult
    mutating func change(_ body: (inout DeviceMachine, Moment) -> Void) -> Bool {
        guard isRunning else { return false }
        body(&machine, now)
        if diesNow(0.01) {
            kill("before it was kept")
            return false
        }
        proceed()
        return true
    }

    private mutating func diesNow(_ probability: Double) -> Bool {
        guard mayBeKilled else { return false }
        places += 1
        return killAt.map { $0 == places } ?? draws.happens(probability)
    }

    mutating func proceed() {
        var rounds = 0
        while isRunning {
            rounds += 1
            precondition(rounds < 5000, "the machine sends without end")
            carryOut(machine.takeActions())
            let sending = machine.nextSending(at: now)
            keep()
            guard let sending else { return }
            if diesNow(0.02) { return kill("before it was sent") }
            let answer = answer(to: sending.request)
            if diesNow(0.02) { return kill("before its answer") }
            // Events can occur during an upload.
            if rotatesUnderWay, draws.happens(0.1) { rotateUnderWay() }
            guard isRunning else { return }
            machine.answered(sending.id, answer, at: now, draw: draws.fraction())
        }
    }

    private mutating func keep() {
        guard machine != kept else { return }
        kept = machine
        disk = try? Snapshot.data(of: machine)
    }

    private mutating func rotateUnderWay() {
        if draws.happens(0.5), let type = startTokens.keys.sorted().first {
            let token = draws.token()
            startTokens[type] = token
            note("start token of \(type) rotates under way")
            machine.happened(.pushToStartToken(token, activityType: type), at: now)
        } else if let id = shown.keys.sorted().first, shown[id]?.token != nil {
            let token = draws.token()
            shown[id]?.token = token
            note("token of \(id) rotates under way")
            machine.happened(.updateToken(token, systemID: id), at: now)
        }
        keep()
    }

    private mutating func answer(to request: GatewayRequest) -> GatewayAnswer {
        spend(draws.fraction() * 0.4)
        if let answer = barrier(request) {
            if case .unanswered = answer { spend(15) }
            return answer
        }
        switch network {
        case .good: return ScriptedPhone.answered(gateway.take(request))
        case .none: return .notSent
        case .answersLost:
            if draws.happens(0.5) { _ = gateway.take(request) }
            spend(15)
            return .unanswered
        case .late:
            late.append((course + draws.fraction() * 40, request))
            spend(15)
            return .unanswered
        case .unauthorized: return ScriptedPhone.refused(401, "UNAUTHORIZED")
        case .forbidden: return ScriptedPhone.refused(403, "QUOTA_EXCEEDED", #","quota":"users""#)
        case .limited: return ScriptedPhone.refused(429, "RATE_LIMITED", retryAfter: 41)
        case .unavailable: return ScriptedPhone.refused(503, "STORE_UNAVAILABLE", retryAfter: 1)
        case .switchedOff:
            // A disabled tenant still forgets devices.
            if request.method == "DELETE", request.path.hasSuffix("/device") { _ = gateway.take(request) }
            return .answered(status: 202, retryAfter: nil, body: Data(#"{"status":"success"}"#.utf8))
        case .broken: return .answered(status: 200, retryAfter: nil, body: Data("<html>sign in</html>".utf8))
        }
    }

    static func answered(_ reply: (status: Int, body: String)) -> GatewayAnswer {
        .answered(status: reply.status, retryAfter: nil, body: Data(reply.body.utf8))
    }

    static func refused(_ status: Int, _ code: String, _ more: String = "", retryAfter: Double? = nil) -> GatewayAnswer
    {
        .answered(
            status: status, retryAfter: retryAfter, body: Data(#"{"error":"no","code":"\#(code)"\#(more)}"#.utf8))
    }

    private mutating func carryOut(_ actions: [DeviceMachine.Action]) {
        for action in actions {
            switch action {
            case .end(let id, _):
                guard shown[id] != nil else { continue }
                shown[id] = nil
                note("\(id) is ended here")
                machine.happened(.phase(.dismissed, systemID: id), at: now)
            case .takeInventory: takeInventory()
            case .renewSignature, .tapAnswered, .listed: break
            }
        }
    }

    private mutating func excuse(_ before: [String: Shown]) {
        for (id, activity) in before where shown[id] == nil {
            guard let external = activity.external, let identity = activity.identity else { continue }
            let lane = "\(identity.insiderID)/\(external.externalID)"
            if !gateway.opened.contains(lane) { excused.formUnion(wanted[lane] ?? []) }
        }
    }

    func inventory(_ type: String) -> [String] { shown.keys.filter { $0.hasPrefix(type) }.sorted() }

    private mutating func takeInventory() {
        for type in ScriptedPhone.types {
            machine.happened(.inventory(inventory(type), activityType: type), at: now)
        }
    }

    // MARK: Life and death of the app

    mutating func kill(_ when: String) {
        note("killed \(when)")
        isRunning = false
        machine = DeviceMachine()
    }

    mutating func launch() {
        note("launched")
        isRunning = true
        machine = disk.flatMap(Snapshot.machine) ?? DeviceMachine()
        machine.launched(at: now)
        tell([.permission(allowsActivities: allows, frequentPushes: true)])
        for type in ScriptedPhone.types {
            tell(startTokens[type].map { [.pushToStartToken($0, activityType: type)] } ?? [])
        }
        for id in shown.keys.sorted() { tell(found(id)) }
        for type in ScriptedPhone.types { tell([.inventory(inventory(type), activityType: type)]) }
        if let user { change { [description] in $0.signedIn(user, description, at: $1) } }
    }

    private mutating func tell(_ events: [SystemEvent]) {
        for event in events { change { $0.happened(event, at: $1) } }
    }

    /// Returns the events that the system reports when it finds a Live Activity.
    func found(_ id: String) -> [SystemEvent] {
        guard let activity = shown[id] else { return [] }
        let type = String(id.split(separator: "-")[0])
        return [
            .found(FoundLiveActivity(systemID: id, activityType: type, externalID: activity.external)),
            .content(systemID: id, fingerprint: "\(activity.content)", staleDate: nil),
        ] + (activity.token.map { [.updateToken($0, systemID: id)] } ?? [])
    }

    // MARK: Time

    /// Lets time pass without the machine. Late requests arrive at its end.
    mutating func spend(_ seconds: Double) {
        course += seconds
        now.uptime += seconds
        now.wall += seconds
        gateway.time += seconds
        let due = late.filter { $0.at <= course }
        late.removeAll { $0.at <= course }
        for item in due { _ = gateway.take(item.request) }
    }

    /// Lets time pass, and runs the machine when it is due.
    mutating func pass(_ seconds: Double) {
        let end = course + seconds
        var rounds = 0
        while course < end {
            rounds += 1
            precondition(rounds < 5000, "the machine is due without end")
            let pause = isRunning ? machine.pause(at: now) ?? .infinity : .infinity
            spend(min(end - course, pause + 0.005))
            change { $0.passed(at: $1) }
        }
    }
}
