import Foundation
import Testing

@testable import FanfareDevice

@Suite("What a phone costs")
struct TypicalDayTests {
    /// Simulates a day on which the app is opened three times and a match is followed. A push starts its Live Activity,
    /// which the user allows a minute later. Updates follow for two hours until a push ends it. The phone is offline
    /// for twenty minutes.
    @Test("A typical day is twelve requests, and a day on which nothing happens at most one")
    func day() {
        var phone = ScriptedPhone(seed: 1)
        phone.mayBeKilled = false
        phone.rotatesUnderWay = false
        phone.user = Given.ann
        phone.startTokens["Match"] = phone.draws.token()
        phone.launch()
        phone.change { _ = $0.asked(at: $1) }
        phone.gateway.requests = [:]

        open(&phone)
        phone.change { _ = $0.wished(true, "ajax-psv", at: $1) }
        phone.pass(5 * 3600)
        open(&phone)
        phone.network = .none
        phone.change { _ = $0.wished(true, "az-twente", at: $1) }
        phone.pass(600)
        phone.change { _ = $0.wished(false, "az-twente", at: $1) }
        phone.pass(600)
        phone.network = .good
        phone.change { machine, _ in machine.retried() }
        phone.pass(5 * 3600)
        match(&phone)
        phone.pass(3 * 3600)
        open(&phone)
        let requests = phone.gateway.requests
        print(
            "a typical day:",
            requests.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        #expect(requests.values.reduce(0, +) == 12)

        phone.gateway.requests = [:]
        for _ in 0..<4 {
            phone.kill("by the system")
            phone.launch()
            phone.pass(6 * 3600)
        }
        #expect(phone.gateway.requests.values.reduce(0, +) <= 1)
    }

    private func open(_ phone: inout ScriptedPhone) {
        phone.kill("by the system")
        phone.launch()
        phone.change { _ = $0.asked(at: $1) }
        phone.pass(60)
    }

    private func match(_ phone: inout ScriptedPhone) {
        let id = "Match-1"
        phone.gateway.pushed[id] = Given.ann
        phone.shown[id] = .init(token: nil, identity: Given.ann)
        phone.kill("by the system")
        // The system replaces a used push-to-start token.
        phone.startTokens["Match"] = phone.draws.token()
        phone.launch()
        phone.pass(60)
        for hour in 0..<4 {
            if hour % 2 == 0 {
                let token = phone.draws.token()
                phone.shown[id]?.token = token
                phone.change { $0.happened(.updateToken(token, systemID: id), at: $1) }
            }
            for _ in 0..<5 {
                phone.shown[id]?.content += 1
                let content = phone.shown[id]?.content ?? 0
                phone.change { $0.happened(.content(systemID: id, fingerprint: "\(content)", staleDate: nil), at: $1) }
                phone.pass(360)
            }
        }
        phone.change { _ = $0.tapped(id, tapID: "t1", at: $1) }
        phone.change { _ = $0.tapped(id, tapID: "t2", at: $1) }
        phone.pass(10)
        phone.shown[id] = nil
        phone.change { $0.happened(.phase(.ended, systemID: id), at: $1) }
        phone.change { $0.happened(.phase(.dismissed, systemID: id), at: $1) }
        open(&phone)
    }
}
