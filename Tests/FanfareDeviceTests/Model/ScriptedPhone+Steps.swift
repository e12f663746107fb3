import Foundation

@testable import FanfareDevice

extension ScriptedPhone {
    static let topics = ["ajax-psv", "az-twente", "nowhere", "utrecht"]

    /// Takes a random step.
    mutating func step() {
        switch draws.number(0..<24) {
        case 0, 1: rotateStartToken(storm: draws.happens(0.2))
        case 2, 3: startByPush()
        case 4: startByApp()
        case 5, 6: rotateToken()
        case 7: dismiss()
        case 8, 9, 10: wish()
        case 11: tap()
        case 12: schedule()
        case 13: cancel()
        case 14: changeDescription()
        case 15: signInOrOut()
        case 16: kill("by the system")
        case 17: moveClock()
        case 18, 19: changeNetwork()
        case 20: refresh()
        case 21: change { machine, _ in machine.retried() }
        case 22: overtake()
        default: break
        }
        pass(draws.happens(0.1) ? draws.fraction() * 3600 : draws.fraction() * 20)
        if !isRunning, draws.happens(0.6) { launch() }
    }

    private mutating func rotateStartToken(storm: Bool) {
        let type = ScriptedPhone.types[draws.number(0..<2)]
        note("start token of \(type) rotates\(storm ? ", a storm" : "")")
        for _ in 0..<(storm ? 40 : 1) {
            // Now and then a former token returns.
            let token = draws.happens(0.2) ? formerToken : draws.token()
            formerToken = startTokens[type] ?? token
            startTokens[type] = token
            change { $0.happened(.pushToStartToken(token, activityType: type), at: $1) }
        }
    }

    private mutating func startByPush() {
        guard let user, gateway.devices[user] != nil, shown.count < 6 else { return }
        count += 1
        let id = "\(ScriptedPhone.types[draws.number(0..<2)])-\(count)"
        gateway.pushed[id] = user
        shown[id] = Shown(token: draws.happens(0.5) ? draws.token() : nil, identity: user, since: course)
        note("\(id) is started by a push")
        // The system launches the app for it.
        if !isRunning { return launch() }
        for event in found(id) { change { $0.happened(event, at: $1) } }
    }

    private mutating func startByApp() {
        guard isRunning, let user, shown.count < 6 else { return }
        count += 1
        let id = "Order-\(count)"
        let external = ExternalActivity(activityType: "Order", externalID: "order-\(draws.number(0..<3))")
        shown[id] = Shown(token: draws.token(), external: external, identity: user, since: course)
        note("\(id) is started by the app")
        for event in found(id) { change { $0.happened(event, at: $1) } }
    }

    private mutating func rotateToken() {
        guard let id = shown.keys.sorted().randomElement(using: &draws) else { return }
        let token = draws.token()
        shown[id]?.token = token
        shown[id]?.content += 1
        note("token of \(id) rotates, a content comes")
        change { $0.happened(.updateToken(token, systemID: id), at: $1) }
        let content = shown[id]?.content ?? 0
        change { $0.happened(.content(systemID: id, fingerprint: "\(content)", staleDate: nil), at: $1) }
    }

    private mutating func dismiss() {
        guard let id = shown.keys.sorted().randomElement(using: &draws) else { return }
        // The library cannot report the dismissal of an unknown Live Activity.
        let isKnown = isRunning && machine.activities[id] != nil
        let isYoung = course - (shown[id]?.since ?? 0) < 3600
        shown[id] = nil
        note("\(id) is dismissed")
        if change({ $0.happened(.phase(.dismissed, systemID: id), at: $1) }) {
            if isKnown { gone.append(id) }
        } else if isYoung {
            goneUnseen.append(id)
        }
    }

    private mutating func wish() {
        guard isRunning, let user else { return }
        let topic = ScriptedPhone.topics[draws.number(0..<4)]
        let follows = draws.happens(0.5)
        note(follows ? "follows \(topic)" : "unfollows \(topic)")
        var outcome = WishOutcome.full
        let isKept = change { outcome = $0.wished(follows, topic, at: $1) }
        if isKept, outcome == .noted { wishes[user.insiderID, default: [:]][topic] = follows }
    }

    private mutating func tap() {
        guard let id = shown.keys.sorted().randomElement(using: &draws) else { return }
        let tapID = "tap-\(steps.count)"
        note("taps \(id)")
        if change({ _ = $0.tapped(id, tapID: tapID, at: $1) }) { tapIDs.append(tapID) }
    }

    private mutating func schedule() {
        guard isRunning, let user, gateway.devices[user] != nil,
            let external = shown.values.compactMap(\.external).min(by: { $0.externalID < $1.externalID })
        else { return }
        count += 1
        let label = "label-\(count)"
        note("schedules \(label) of \(external.externalID)")
        var outcome = ScheduleOutcome.notTaken
        let isKept = change { machine, now in
            let wait = Wait(from: now, seconds: 600_000)
            outcome = machine.scheduled(
                ScheduledChange(
                    id: label, external: external, event: .update, contentState: #"{"a":1}"#, label: label,
                    expireAfter: nil, wait: wait), at: now)
        }
        if isKept, case .queued = outcome {
            wanted["\(user.insiderID)/\(external.externalID)", default: []].insert(label)
        }
    }

    private mutating func cancel() {
        guard isRunning, let user, let lane = wanted.keys.sorted().first,
            lane.hasPrefix(user.insiderID + "/"), let label = wanted[lane]?.min(),
            let external = ExternalActivity(
                activityType: "Order", externalID: String(lane.dropFirst(user.insiderID.utf8.count + 1)))
        else { return }
        let takesAll = draws.happens(0.5)
        note("takes back \(takesAll ? "all" : label) of \(lane)")
        guard change({ $0.cancelled(external, id: takesAll ? nil : label, at: $1) }) else { return }
        if takesAll { wanted[lane] = nil } else { wanted[lane]?.remove(label) }
    }

    private mutating func changeDescription() {
        description.appVersion = "7.\(draws.number(0..<9))"
        description.pushOptIn = draws.happens(0.8)
        allows = draws.happens(0.8)
        note("says something else of itself")
        let (description, allows) = (description, allows)
        change { $0.described(description, at: $1) }
        change { $0.happened(.permission(allowsActivities: allows, frequentPushes: true), at: $1) }
    }

    private mutating func signInOrOut() {
        guard isRunning else { return }
        if let user, draws.happens(0.5) {
            note("signs out")
            guard change({ $0.signedOut(at: $1) }) else { return }
            signedOut.insert(user)
            self.user = nil
            wanted = wanted.filter { !$0.key.hasPrefix(user.insiderID + "/") }
            // A sign-out removes the user's schedules from the gateway.
            for (id, value) in gateway.schedules where value.lane.hasPrefix(user.insiderID + "/") {
                gateway.schedules[id] = nil
            }
        } else if user == nil {
            let name = ["ann", "bob"][draws.number(0..<2)]
            guard let identity = DeviceIdentity(insiderID: name, udid: "phone") else { return }
            note("\(name) signs in")
            let description = description
            guard change({ $0.signedIn(identity, description, at: $1) }) else { return }
            user = identity
            signedOut.remove(identity)
        }
    }

    private mutating func moveClock() {
        let seconds: Double = [-86_400, -3600, -5, 5, 3600, 86_400][draws.number(0..<6)]
        note("the clock is set by \(seconds) s")
        now.wall += seconds
        if draws.happens(0.3) {
            kill("by a restart of the phone")
            now.uptime = 3
            // A restart ends all Live Activities, also those that the app has not seen.
            shown = [:]
            goneUnseen = []
        }
    }

    private mutating func changeNetwork() {
        let bad = draws.happens(0.3) ? .late : ScriptedPhone.Network.allCases[draws.number(0..<10)]
        network = draws.happens(0.5) ? .good : bad
        note("network: \(network.rawValue)")
        if network == .none, draws.happens(0.3) { pass(3600) }
    }

    /// Sends new state while older requests are still under way.
    private mutating func overtake() {
        note("is overtaken")
        network = .late
        rotateStartToken(storm: false)
        rotateToken()
        wish()
        schedule()
        pass(draws.fraction() * 10)
        network = .good
        rotateStartToken(storm: false)
        rotateToken()
        wish()
        if draws.happens(0.3) { kill("by the system") }
    }

    private mutating func refresh() {
        note("asks for its topics")
        change { _ = $0.asked(at: $1) }
    }
}
