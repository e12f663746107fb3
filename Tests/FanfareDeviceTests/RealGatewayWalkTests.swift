import Foundation
import Testing

@testable import FanfareDevice

@Suite(
    "Lives of phones against a real gateway", .serialized,
    .enabled(
        if: RealGateway.isThere,
        "the executable is not beside the tests, nor named by FANFARE_BINARY; `make test` builds it, and runs them"))
struct RealGatewayWalkTests {
    static let lives = 50

    @Test(
        "In the end the gateway has each phone's newest tokens, wishes and schedules, and pushes to them alone",
        .timeLimit(.minutes(5)))
    func lives() async throws {
        let gateway = try await RealGateway()
        defer { gateway.end() }
        try gateway.command([
            "tenant", "set-limits", "shop", "--device-sdk-requests-per-minute", "off", "--user-sdk-requests-per-minute",
            "off",
        ])
        // New limits take effect within a second.
        try await Task.sleep(for: .milliseconds(1100))
        for topic in ["ajax-psv", "az-twente"] {
            _ = try await gateway.call("PUT", "/api/v1/topics/\(topic)", topicBody("upcoming"))
        }
        let phones = try (0..<RealGatewayWalkTests.lives).map {
            try LivePhone($0, gateway, seed: WalkSettings.seed &+ UInt64($0) &* 1000)
        }
        try await each(phones) { phone in
            try await phone.launch()
            try await phone.settle()
        }
        let activity = try await start(phones, gateway)
        let findings = try await each(phones) { phone -> [String] in
            for _ in 0..<25 { try await phone.step() }
            try await phone.settle()
            return try await phone.findings(gateway, activity)
        }
        for (phone, found) in zip(phones, findings) where !found.isEmpty { report(phone, found) }
        try await expectUpdate(phones, activity, gateway)
        try await expectTopicStart(phones, gateway)
        let requests = phones.map { $0.transport.requests.values.reduce(0, +) }.reduce(0, +)
        print("\(phones.count) lives, \(phones.map(\.steps.count).reduce(0, +)) steps, \(requests) requests")
    }

    private func report(_ phone: LivePhone, _ findings: [String]) {
        Issue.record(
            """
            \(phone.identity.insiderID), seed \(phone.seed):
            \(findings.joined(separator: "\n"))
            \(phone.steps.joined(separator: "\n"))
            """)
    }

    private func topicBody(_ state: String) -> String {
        #"{"activity_type":"MatchAttributes","state":"\#(state)","#
            + #""content":{"title":"Kick-off","message":"","content_state":{"home":0},"attributes":{}}}"#
    }

    /// Registers an activity, starts it on all phones by pushes, and reports it to each phone.
    private func start(_ phones: [LivePhone], _ gateway: RealGateway) async throws -> String {
        let users = phones.map { "\"\($0.identity.insiderID)\"" }.joined(separator: ",")
        let ends = ISO8601DateFormatter().string(from: Date().addingTimeInterval(7200))
        let registered = try await gateway.call(
            "POST", "/api/v1/live-activity/register",
            #"{"activity_type":"MatchAttributes","insider_ids":[\#(users)],"ends_at":"\#(ends)"}"#)
        let id = registered["activity_id"] as? String ?? ""
        let started = try await gateway.call(
            "POST", "/api/v1/live-activity/start",
            #"{"activity_id":"\#(id)","activity_type":"MatchAttributes","#
                + #""content":{"title":"Goal","message":"","content_state":{"home":1},"attributes":{}}}"#)
        #expect(started["sessions_triggered"] as? Int == phones.count)
        let pushed = Set(try await gateway.pushes().filter { $0.event == "start" }.map(\.token))
        #expect(pushed == Set(phones.map(\.startToken.hex)))
        for (number, phone) in phones.enumerated() {
            // Every third phone has no update token until its user allows updates.
            phone.shown["pushed-\(number)"] = .some(number % 3 == 0 ? nil : Data(phone.startToken.reversed()))
            phone.tellFound("pushed-\(number)")
        }
        return id
    }

    /// Expects an update to reach the newest update token of each phone that has one, and no other token.
    private func expectUpdate(_ phones: [LivePhone], _ activity: String, _ gateway: RealGateway) async throws {
        let before = try await gateway.pushes().count
        _ = try await gateway.call(
            "POST", "/api/v1/live-activity/update",
            #"{"activity_id":"\#(activity)","activity_type":"MatchAttributes","content":{"content_state":{"home":2}}}"#)
        let pushed = try await gateway.pushes(since: before).filter { $0.event == "update" }.map(\.token).sorted()
        let expected = phones.compactMap { phone in
            phone.shown.first { $0.key != phone.ownID }.flatMap { $0.value?.hex }
        }.sorted()
        #expect(pushed == expected)
        #expect(!expected.isEmpty)
    }

    /// Expects a topic that goes live to reach the newest push-to-start tokens of its followers, and no others.
    private func expectTopicStart(_ phones: [LivePhone], _ gateway: RealGateway) async throws {
        let before = try await gateway.pushes().count
        let followers = Set(phones.filter { $0.wishes["ajax-psv"] == true }.map(\.startToken.hex))
        _ = try await gateway.call("PUT", "/api/v1/topics/ajax-psv", topicBody("live"))
        try? await RealGateway.wait("the topic's starts", seconds: 20) {
            try await gateway.pushes(since: before).filter { $0.event == "start" }.count >= followers.count
        }
        let pushed = try await gateway.pushes(since: before).filter { $0.event == "start" }.map(\.token)
        #expect(Set(pushed) == followers)
        #expect(pushed.count == followers.count && !followers.isEmpty)
    }

    @discardableResult
    private func each<Value: Sendable>(
        _ phones: [LivePhone], _ body: @escaping @Sendable (LivePhone) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            var values: [Int: Value] = [:]
            for (number, phone) in phones.enumerated() {
                if number >= 10, let (done, value) = try await group.next() { values[done] = value }
                group.addTask { (number, try await body(phone)) }
            }
            for try await (number, value) in group { values[number] = value }
            return phones.indices.compactMap { values[$0] }
        }
    }
}

extension LivePhone {
    /// Returns the differences between the gateway and this phone.
    func findings(_ gateway: RealGateway, _ activity: String) async throws -> [String] {
        var findings: [String] = []
        func expect(_ holds: Bool, _ text: @autoclosure () -> String) { if !holds { findings.append(text()) } }
        let reply = try await gateway.call("GET", "/api/v1/users/\(identity.insiderID)/devices")
        guard let known = (reply["devices"] as? [[String: Any]])?.first else { return ["the gateway has no device"] }
        expect(
            known["app_version"] as? String == description.appVersion, "app_version \(known["app_version"] ?? "none")")
        let tokens = (known["tokens"] as? [[String: Any]] ?? []).filter {
            $0["activity_type"] as? String == LivePhone.type
        }
        expect(
            tokens.count == 1 && tokens[0]["ends_with"] as? String == String(startToken.hex.suffix(6))
                && tokens[0]["state"] as? String == "usable", "start token \(tokens), not …\(startToken.hex.suffix(6))")
        let states = known["activities"] as? [[String: Any]] ?? []
        let state = states.first { $0["activity_id"] as? String == activity }?["device_state"] as? String
        let pushed = shown.first { $0.key != ownID }
        let expected = hasDismissed ? "ended" : pushed?.value == nil ? "shown" : "active"
        expect(state == expected, "the Live Activity is \(state ?? "unknown"), not \(expected)")
        let query = "insider_id=\(identity.insiderID)&udid=\(identity.udid)"
        let topics =
            try await gateway.call("GET", "/api/v1/sdk/topics?\(query)", as: identity)["topics"] as? [[String: Any]]
        let followed = Set((topics ?? []).compactMap { $0["topic"] as? String })
        expect(followed == Set(wishes.filter(\.value).keys), "follows \(followed), wants \(wishes)")
        for topic in LivePhone.topics {
            let bell = await device?.bell(topic) ?? .off
            expect((bell != .off) == (wishes[topic] ?? false), "the bell of \(topic) is \(bell)")
        }
        try await expectOwn(gateway, &findings)
        return findings
    }

    private func expectOwn(_ gateway: RealGateway, _ findings: inout [String]) async throws {
        guard ownID != nil, let external else { return }
        let query =
            "external_id=\(external.externalID)&activity_type=\(LivePhone.type)&insider_id=\(identity.insiderID)"
        let reply = try await gateway.call("GET", "/api/v1/live-activity/schedule?\(query)")
        let waiting = reply["user_schedules"] as? Int ?? 0
        guard waiting != scheduled.count else { return }
        let refusals = await device?.status.refusals.map { "\($0.kind): \($0.code) \($0.message)" } ?? []
        findings.append("\(waiting) schedules, not \(scheduled.count); refused were \(refusals)")
    }
}
