import Foundation

@testable import FanfareDevice

extension ScriptedPhone {
    /// Ends all faults, and launches the app now and then.
    mutating func settle() {
        note("everything works again")
        network = .good
        for _ in 0..<6 {
            if !isRunning { launch() }
            pass(3600)
            if draws.happens(0.5) { kill("in the end") }
        }
        mayBeKilled = false
        if !isRunning { launch() }
        pass(7 * 3600)
        // The app requests the follows to show bells.
        change { _ = $0.asked(at: $1) }
        pass(60)
    }

    /// Returns the differences from the expected state.
    func findings() -> [String] {
        var findings: [String] = []
        func expect(_ holds: Bool, _ text: @autoclosure () -> String) { if !holds { findings.append(text()) } }
        expect(machine.queue.waiting.isEmpty, "\(machine.queue.waiting.map(\.report)) wait")
        expect(machine.queue.hold == nil, "it is on hold")
        if let user {
            expect(gateway.devices[user] == expectedDevice(user), "device: \(gateway.devices[user] ?? "none")")
            for (type, token) in startTokens {
                expect(
                    gateway.startTokens[type] == ModelGateway.Token(token: token.hex, identity: user),
                    "start token of \(type): \(String(describing: gateway.startTokens[type])), not \(token.hex)")
            }
            expectTopics(user, &findings)
        }
        for (id, activity) in shown
        where activity.identity != nil && machine.activities[id]?.identity == activity.identity {
            let known = gateway.liveActivities[id]
            expect(known != nil && known?.token == activity.token?.hex, "\(id): \(String(describing: known))")
        }
        for id in gone + goneUnseen where gateway.liveActivities[id] != nil {
            expect(gateway.dismissed.contains(id), "\(id) was dismissed, and the gateway does not know")
        }
        for identity in signedOut {
            expect(gateway.devices[identity] == nil, "\(identity.insiderID) has signed out, and is known")
            expect(!gateway.startTokens.values.contains { $0.identity == identity }, "a token of one who signed out")
            expect(
                !gateway.liveActivities.values.contains { $0.identity == identity },
                "a Live Activity of one who signed out")
        }
        expectWishes(&findings)
        let scheduled = Dictionary(grouping: gateway.schedules.values, by: \.lane).mapValues {
            $0.map(\.label).sorted()
        }
        for lane in Set(scheduled.keys).union(wanted.keys) {
            let found = (scheduled[lane] ?? []).filter { !excused.contains($0) }
            let expected = (wanted[lane] ?? []).subtracting(excused).sorted()
            expect(found == expected, "schedules of \(lane): \(found), not \(expected)")
        }
        let requests = gateway.requests.values.reduce(0, +)
        expect(requests < 60 + 12 * steps.count, "\(requests) requests")
        return findings
    }

    private func expectedDevice(_ user: DeviceIdentity) -> String {
        let report = Report.device(
            .init(description: description, allowsActivities: allows, frequentPushes: true))
        return String(decoding: GatewayRequest(report, for: user, at: now).body ?? Data(), as: UTF8.self)
    }

    private func expectWishes(_ findings: inout [String]) {
        for (user, topics) in wishes {
            for (topic, follows) in topics where topic != "nowhere" {
                let known = gateway.wishes[user]?[topic] ?? false
                if known != follows { findings.append("\(user) wants \(topic): \(follows), the gateway has \(known)") }
            }
        }
    }

    private func expectTopics(_ user: DeviceIdentity, _ findings: inout [String]) {
        for topic in ScriptedPhone.topics {
            let isRung = machine.bell(topic) != .off
            let follows = topic != "nowhere" && wishes[user.insiderID]?[topic] ?? false
            // After a sign-out the follows are unknown until the gateway has answered.
            if isRung != follows {
                findings.append("the bell of \(topic) is \(machine.bell(topic)), wanted \(follows)")
            }
        }
    }
}
