import Foundation

/// The state of a phone and its pending reports, as a value. Methods receive events with their time, and `takeActions`
/// returns the actions to perform. The whole state is stored on disk.
struct DeviceMachine: Codable, Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case end(systemID: String, activityType: String)
        case takeInventory
        /// The gateway rejected the signature of this identity. The next request needs a new one.
        case renewSignature(DeviceIdentity)
        /// The gateway has answered a tap.
        case tapAnswered(tapID: String, TapOutcome)
        /// The gateway has listed the user's topics, or will not.
        case listed(Bool)
    }

    private(set) var identity: DeviceIdentity?
    private(set) var description: DeviceDescription?
    private(set) var allowsActivities = true
    private(set) var frequentPushes = false
    /// The latest push-to-start tokens by type; at most 64.
    private(set) var startTokens: [String: String] = [:]
    var queue = ReportQueue()
    var activities = LiveActivities()
    var follows = Follows()
    var schedules = Schedules()

    var settings = Settings()
    private var actions: [Action] = []

    /// Values of the configuration, which are not stored on disk.
    struct Settings: Equatable, Sendable {
        var retry = RetryPolicy()
        var staleAfter: TimeInterval? = 1800
    }

    private enum CodingKeys: String, CodingKey {
        case identity, description, allowsActivities, frequentPushes, startTokens, queue, activities, follows, schedules
    }

    init(settings: Settings = Settings()) { self.settings = settings }

    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    mutating func act(_ action: Action) { actions.append(action) }

    mutating func submit(_ report: Report, _ identity: DeviceIdentity, _ now: Moment, _ wait: Wait? = nil) -> UInt64? {
        queue.submit(report, for: identity, at: now, refreshAfter: settings.retry.refreshAfter, wait: wait)
    }

    // MARK: Sign-in and description

    /// Handles a sign-in. Also called for a user who is still signed in.
    mutating func signedIn(_ identity: DeviceIdentity, _ description: DeviceDescription, at now: Moment) {
        if let former = self.identity, former.insiderID != identity.insiderID { follows.signedOut() }
        self.identity = identity
        self.description = description
        describe(now)
        for type in startTokens.keys.sorted() { tellStartToken(type, now) }
        carryOut(activities.signedIn(identity), now)
    }

    /// Handles a changed description of the phone.
    mutating func described(_ description: DeviceDescription, at now: Moment) {
        let tookPushes = takesPushes
        self.description = description
        describe(now)
        if !tookPushes { reportAgain(now) }
    }

    /// True if the user allows pushes and has consented.
    private var takesPushes: Bool {
        guard let description else { return false }
        return description.pushOptIn && description.gdprConsent && allowsActivities
    }

    /// Reports all Live Activities again if the device takes pushes now. The gateway dropped their tokens when it did
    /// not.
    private mutating func reportAgain(_ now: Moment) {
        guard takesPushes, let identity else { return }
        queue.forgetConfirmations { confirmation in
            guard confirmation.identity == identity, case .sync = confirmation.report else { return false }
            return true
        }
        carryOut(activities.signedIn(identity), now)
    }

    private mutating func describe(_ now: Moment) {
        guard let identity, let description else { return }
        let report = Report.DeviceReport(
            description: description, allowsActivities: allowsActivities, frequentPushes: frequentPushes)
        _ = submit(.device(report), identity, now)
    }

    private mutating func tellStartToken(_ type: String, _ now: Moment) {
        guard let identity, let token = startTokens[type] else { return }
        _ = submit(.pushToStartToken(token, activityType: type), identity, now)
    }

    /// Handles a sign-out. Ends the Live Activities, and erases the device at the gateway after the user's pending
    /// changes.
    mutating func signedOut(at now: Moment) {
        guard let identity else { return }
        queue.withdraw { $0.identity == identity && !$0.report.outlivesSignOut }
        let wait = queue.settlement(of: identity, at: now, settling: settings.retry.settling)
        queue.forgetConfirmations { $0.identity == identity }
        _ = submit(.erase, identity, now, wait)
        carryOut(activities.signedOut(), now)
        follows.signedOut()
        schedules = Schedules()
        self.identity = nil
    }

    // MARK: System events

    mutating func happened(_ event: SystemEvent, at now: Moment) {
        switch event {
        case .permission(let allows, let frequent):
            let tookPushes = takesPushes
            (allowsActivities, frequentPushes) = (allows, frequent)
            describe(now)
            if !tookPushes { reportAgain(now) }
        case .pushToStartToken(let token, let type):
            guard startTokens[type] != nil || startTokens.count < 64 else { return }
            startTokens[type] = token.hex
            tellStartToken(type, now)
        case .found(let found): carryOut(activities.found(found, for: identity, at: now), now)
        case .updateToken(let token, let systemID):
            carryOut(activities.tokenCame(token.hex, systemID: systemID), now)
        case .content(let systemID, let fingerprint, let staleDate):
            activities.contentCame(systemID: systemID, fingerprint: fingerprint, staleDate: staleDate, at: now)
        case .phase(let phase, let systemID): carryOut(activities.changed(systemID, to: phase), now)
        case .inventory(let ids, let type):
            carryOut(activities.inventoried(ids, activityType: type, at: now), now)
        }
    }

    mutating func carryOut(_ lifecycle: [LifecycleAction], _ now: Moment) {
        for action in lifecycle {
            switch action {
            case .report(let report, let identity): _ = submit(report, identity, now)
            case .withdrawSync(let id): queue.withdraw { $0.subject == "sync:" + id }
            case .end(let id, let type): act(.end(systemID: id, activityType: type))
            case .takeInventory: act(.takeInventory)
            }
        }
    }

    // MARK: Time

    /// Handles timeouts. Call it after `pause`.
    mutating func passed(at now: Moment) {
        carryOut(activities.passed(settings.staleAfter, at: now), now)
        schedules.passed(at: now)
        for expired in queue.expire(at: now, triesOfOne: settings.retry.triesOfOne) {
            refused(expired, code: "EXPIRED", message: "", at: now)
        }
    }

    /// The seconds until a request is due or `passed` has work; nil if only an event can cause that.
    func pause(at now: Moment) -> TimeInterval? {
        [queue.pause(at: now), activities.pause(settings.staleAfter, at: now)].compactMap { $0 }.min()
    }
}

extension Data {
    /// Two hexadecimal digits for each byte.
    var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
