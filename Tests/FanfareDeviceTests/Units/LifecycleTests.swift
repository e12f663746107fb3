import Foundation
import Testing

@testable import FanfareDevice

@Suite("Live Activities")
struct LifecycleTests {
    private func found(_ id: String, external: ExternalActivity? = nil) -> SystemEvent {
        .found(FoundLiveActivity(systemID: id, activityType: "Match", activityID: nil, externalID: external))
    }

    private func ready() -> DeviceMachine {
        var machine = Given.signedIn()
        machine.sendAll(at: 0)
        return machine
    }

    @Test("One that a push has started is reported without a token, and with it when it comes")
    func adopted() throws {
        var machine = ready()
        machine.happened(found("a"), at: Given.moment(1))
        let shown = try machine.next(at: 1)
        #expect(
            String(decoding: shown.request.body ?? Data(), as: UTF8.self)
                == #"{"insider_id":"ann","udid":"phone-1","activity_type":"Match","system_activity_id":"a"}"#)
        machine.answered(
            shown.id, ScriptedPhone.answered(ModelGateway.success(#","activity_id":"x""#)), at: Given.moment(1), draw: 0
        )
        machine.happened(.updateToken(Data([0xAB]), systemID: "a"), at: Given.moment(2))
        let synced = try machine.next(at: 2)
        #expect(
            String(decoding: synced.request.body ?? Data(), as: UTF8.self).contains(
                #""token":"ab","activity_type":"Match""#))
        #expect(machine.activities["a"]?.activityID == "x")
    }

    @Test("At a relaunch nothing is told twice, and a token is not taken back")
    func relaunch() {
        var machine = ready()
        machine.happened(found("a"), at: Given.moment(1))
        machine.happened(.updateToken(Data([0xAB]), systemID: "a"), at: Given.moment(1))
        #expect(machine.sendAll(at: 1) == ["POST sync"])
        machine.launched(at: Given.moment(2))
        machine.happened(found("a"), at: Given.moment(2))
        #expect(machine.sendAll(at: 2) == [])
    }

    @Test("A dismissal follows the sync that waits, and one of what had ended is not told")
    func dismissed() {
        var machine = ready()
        machine.happened(found("a"), at: Given.moment(1))
        machine.happened(found("b"), at: Given.moment(1))
        machine.happened(.phase(.dismissed, systemID: "a"), at: Given.moment(1))
        machine.happened(.phase(.ended, systemID: "b"), at: Given.moment(1))
        machine.happened(.phase(.dismissed, systemID: "b"), at: Given.moment(1))
        #expect(machine.sendAll(at: 1) == ["POST sync", "POST dismissed"])
    }

    @Test("One that is gone at the second look after a launch counts as dismissed")
    func gone() {
        var machine = ready()
        machine.happened(found("a"), at: Given.moment(1))
        machine.sendAll(at: 1)
        machine.launched(at: Given.moment(100))
        machine.happened(.inventory([], activityType: "Match"), at: Given.moment(100))
        #expect(machine.sendAll(at: 100) == [])
        machine.passed(at: Given.moment(105))
        #expect(machine.takeActions() == [.takeInventory])
        machine.happened(.inventory([], activityType: "Match"), at: Given.moment(105))
        #expect(machine.sendAll(at: 105) == ["POST dismissed"])
    }

    @Test("One that the system may have ended by itself does not", arguments: [(28_900.0, 0.0), (10.0, -990.0)])
    func systemEnded(seconds: Double, restart: Double) {
        var machine = ready()
        machine.happened(found("a"), at: Given.moment(1))
        machine.sendAll(at: 1)
        var now = Given.moment(seconds)
        now.uptime += restart
        machine.launched(at: now)
        machine.happened(.inventory([], activityType: "Match"), at: now)
        now.uptime += 6
        machine.happened(.inventory([], activityType: "Match"), at: now)
        #expect(machine.queue.waiting.isEmpty)
        #expect(machine.activities.known.isEmpty)
    }

    @Test(
        "What the gateway knows no more is ended here; what it never knew is the app's own", arguments: [true, false])
    func unknown(isKnown: Bool) {
        var machine = ready()
        machine.happened(found("a"), at: Given.moment(0))
        let answer = ScriptedPhone.answered(ModelGateway.success(isKnown ? #","activity_id":"x""# : ""))
        machine.sendAll(at: 0, answer)
        machine.happened(.updateToken(Data([1]), systemID: "a"), at: Given.moment(1))
        let refusal = DeviceMachine.refusal(404, "NOT_FOUND")
        for second in 1...200 { machine.sendAll(at: Double(second), refusal) }
        #expect(machine.takeActions() == (isKnown ? [.end(systemID: "a", activityType: "Match")] : []))
        machine.happened(.phase(.dismissed, systemID: "a"), at: Given.moment(201))
        #expect(machine.queue.waiting.isEmpty == isKnown)
    }

    @Test("A sync whose activity the gateway has to guess is not overtaken by one of its type before it is stuck")
    func guessed() {
        var machine = ready()
        machine.happened(found("a"), at: Given.moment(0))
        #expect(machine.sendAll(at: 0, .unanswered) == ["POST sync"])
        machine.happened(found("b", external: Given.order), at: Given.moment(0))
        #expect(machine.sendAll(at: 0) == [])
        func answer(_ sending: DeviceMachine.Sending) -> GatewayAnswer {
            let isGuessed = String(decoding: sending.request.body ?? Data(), as: UTF8.self).contains(#""a""#)
            return isGuessed ? .unanswered : ScriptedPhone.answered(ModelGateway.success())
        }
        for round in 1...3 {
            #expect(!machine.queue.waiting.filter { $0.subject == "sync:b" }.isEmpty)
            _ = machine.asked(at: Given.moment(Double(round) * 1000))
            while let next = machine.nextSending(at: Given.moment(Double(round) * 1000)) {
                machine.answered(next.id, answer(next), at: Given.moment(Double(round) * 1000), draw: 0)
            }
        }
        #expect(machine.queue.waiting.map(\.subject) == ["sync:a"])
    }

    @Test("A clock that was set back keeps nothing longer than the system does")
    func staleDateByAClockThatWasSet() {
        var machine = ready()
        machine.happened(found("a"), at: Given.moment(0))
        machine.sendAll(at: 0)
        let date = Given.moment(7200).wall
        machine.happened(.content(systemID: "a", fingerprint: "1", staleDate: date), at: Given.moment(0))
        #expect(machine.pause(at: Given.moment(3600, wall: -31_536_000)) == 25_200)
        #expect(machine.pause(at: Given.moment(3600)) == 3600)
    }

    @Test("When nothing comes for half an hour it is ended here, and nothing is reported")
    func stale() {
        var machine = ready()
        machine.happened(found("a"), at: Given.moment(0))
        machine.happened(.content(systemID: "a", fingerprint: "1", staleDate: nil), at: Given.moment(0))
        machine.sendAll(at: 0)
        machine.happened(.content(systemID: "a", fingerprint: "2", staleDate: nil), at: Given.moment(1000))
        #expect(machine.pause(at: Given.moment(1000)) == 1800)
        machine.passed(at: Given.moment(2799))
        #expect(machine.takeActions() == [])
        machine.passed(at: Given.moment(2800))
        #expect(machine.takeActions() == [.end(systemID: "a", activityType: "Match")])
        machine.happened(.phase(.dismissed, systemID: "a"), at: Given.moment(2801))
        #expect(machine.sendAll(at: 2801) == [])
    }

    @Test("What came while the app did not run is heard of before anything is ended", arguments: [true, false])
    func suspended(hasContent: Bool) {
        var machine = ready()
        machine.happened(found("a"), at: Given.moment(0))
        machine.happened(.content(systemID: "a", fingerprint: "1", staleDate: nil), at: Given.moment(0))
        machine.passed(at: Given.moment(4000))
        #expect(machine.takeActions() == [])
        #expect(machine.activities.pause(1800, at: Given.moment(4000)) == 5)
        if hasContent {
            machine.happened(.content(systemID: "a", fingerprint: "2", staleDate: nil), at: Given.moment(4001))
        }
        machine.passed(at: Given.moment(4005))
        #expect(machine.takeActions().isEmpty == hasContent)
    }

    @Test("What is told once more at a launch is nothing new, and a content may hold for longer")
    func staleDate() {
        var machine = ready()
        machine.happened(found("a"), at: Given.moment(0))
        let later = Given.moment(5000).wall
        machine.happened(.content(systemID: "a", fingerprint: "1", staleDate: later), at: Given.moment(0))
        machine.launched(at: Given.moment(1700))
        machine.happened(found("a"), at: Given.moment(1700))
        machine.happened(.content(systemID: "a", fingerprint: "1", staleDate: later), at: Given.moment(1700))
        #expect(machine.activities["a"]?.secondsUntilStale(1800, at: Given.moment(1700)) == 3300)
        machine.happened(.content(systemID: "a", fingerprint: "1", staleDate: nil), at: Given.moment(1700))
        #expect(machine.activities["a"]?.secondsUntilStale(1800, at: Given.moment(1700)) == 100)
        #expect(machine.activities["a"]?.secondsUntilStale(nil, at: Given.moment(1700)) == nil)
    }

    @Test("Of what is gone nothing is remembered after a day")
    func forgotten() {
        var machine = ready()
        for number in 0..<40 {
            let time = Double(number) * 86_400
            machine.happened(found("a\(number)"), at: Given.moment(time))
            machine.sendAll(at: time)
            machine.happened(.phase(.dismissed, systemID: "a\(number)"), at: Given.moment(time))
            machine.sendAll(at: time)
        }
        #expect(machine.queue.confirmed.keys.sorted() == ["device:3:ann:phone-1", "sync:a39"])
        #expect(machine.activities.known.isEmpty)
    }

    @Test("A sync that comes too early is tried six times, and others go on meanwhile")
    func tooEarly() {
        var machine = ready()
        machine.happened(found("a"), at: Given.moment(0))
        var tries = 0
        for second in 0..<400 {
            tries += machine.sendAll(at: Double(second), DeviceMachine.refusal(404, "NOT_FOUND")).count
        }
        #expect(tries == 6)
        #expect(machine.queue.refusals.map(\.code) == ["NOT_FOUND"])
        machine.happened(found("b"), at: Given.moment(401))
        #expect(machine.sendAll(at: 401) == ["POST sync"])
    }

    @Test("A tap is attributed, told once, and not sent after an hour")
    func taps() {
        var machine = ready()
        #expect(machine.tapped("a", tapID: "t", at: Given.moment(0)) == true)
        machine.sendAll(
            at: 0, ScriptedPhone.answered(ModelGateway.success(#","activity_id":"x","schedule_name":"half""#)))
        let attribution = TapAttribution(activityID: "x", scheduleID: nil, scheduleName: "half")
        #expect(machine.takeActions() == [.tapAnswered(tapID: "t", .attributed(attribution))])
        #expect(machine.tapped("a", tapID: "u", at: Given.moment(1)) == true)
        machine.passed(at: Given.moment(3602))
        #expect(machine.sendAll(at: 3602) == [])
        #expect(machine.queue.refusals.map(\.code) == ["EXPIRED"])
    }

    @Test(
        "A device that takes pushes again reports its Live Activities again, once",
        arguments: ["push", "gdpr", "system"])
    func pushesAllowedAgain(setting: String) {
        var machine = Given.signedIn()
        machine.happened(found("a"), at: Given.moment(0))
        machine.happened(.updateToken(Data([1, 2]), systemID: "a"), at: Given.moment(0))
        #expect(machine.sendAll(at: 0).contains("POST sync"))
        func set(_ allows: Bool, at seconds: Double) {
            guard setting != "system" else {
                let event = SystemEvent.permission(allowsActivities: allows, frequentPushes: false)
                return machine.happened(event, at: Given.moment(seconds))
            }
            let description = DeviceDescription(
                osVersion: "18.1", appVersion: "7.4.0", pushOptIn: allows || setting == "gdpr",
                gdprConsent: allows || setting == "push", environment: .production)
            machine.described(description, at: Given.moment(seconds))
        }
        set(false, at: 1)
        #expect(machine.sendAll(at: 1) == ["PUT device"])
        set(true, at: 2)
        #expect(machine.sendAll(at: 2) == ["PUT device", "POST sync"])
        set(true, at: 3)
        #expect(machine.sendAll(at: 3) == [])
    }

    @Test("What the app opens is reported by the name that the app gives it, behind the device's description")
    func own() {
        var machine = Given.signedIn()
        machine.happened(found("a", external: Given.order), at: Given.moment(0))
        machine.described(Given.description, at: Given.moment(0))
        let requests = [machine.queue.begin(at: Given.moment(0))?.report.kind]
        #expect(requests == ["device"])
        #expect(machine.activities["a"]?.sync.lane(Given.ann) == "own:user:5:Order:order-1")
    }
}
