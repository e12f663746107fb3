import Foundation
import Testing

@testable import FanfareDevice

@Suite("Lives of scripted phones against a model of the gateway")
struct ModelWalkTests {
    @Test("Whatever is lost on the way, the gateway knows each phone's newest tokens and wishes in the end")
    func lives() {
        var failed = 0
        var steps = 0
        for life in 0..<UInt64(WalkSettings.lives) where failed < 3 {
            let seed = WalkSettings.seed &+ life
            var phone = ModelWalkTests.walk(seed)
            steps += phone.steps.count
            let findings = phone.findings()
            guard !findings.isEmpty else { continue }
            failed += 1
            phone.steps.append("")
            Issue.record(
                """
                Seed \(seed) (FANFARE_SEED=\(seed) FANFARE_DEVICE_LIVES=1 repeats it):
                \(findings.joined(separator: "\n"))
                \(phone.steps.joined(separator: "\n"))
                """)
        }
        print("\(WalkSettings.lives) lives, \(steps) steps, from seed \(WalkSettings.seed) on")
    }

    @Test(
        "A life in which the app is killed once, at every place in turn, ends alike", arguments: 0..<3 as Range<UInt64>)
    func everyPlace(life: UInt64) {
        let seed = WalkSettings.seed &+ life
        let places = ModelWalkTests.walk(seed, killAt: 0).places
        #expect(places > 20)
        for place in 1...places {
            let phone = ModelWalkTests.walk(seed, killAt: place)
            let findings = phone.findings()
            guard !findings.isEmpty else { continue }
            Issue.record(
                """
                Seed \(seed), killed at place \(place) of \(places):
                \(findings.joined(separator: "\n"))
                \(phone.steps.joined(separator: "\n"))
                """)
            return
        }
    }

    static func walk(_ seed: UInt64, killAt: Int? = nil) -> ScriptedPhone {
        var phone = ScriptedPhone(seed: seed)
        phone.killAt = killAt
        phone.user = DeviceIdentity(insiderID: "ann", udid: "phone")
        phone.launch()
        for _ in 0..<phone.draws.number(5..<80) { phone.step() }
        phone.settle()
        return phone
    }
}
