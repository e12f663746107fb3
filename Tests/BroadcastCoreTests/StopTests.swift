import APNsCore
import Delivery
import Testing
import TimeCore

@testable import BroadcastCore

@Suite("Stopping a broadcast")
struct StopTests {
    private static let reasons: [BroadcastCore.StopReason] = [.superseded, .stopped(reason: "Why"), .handedOver]

    private func expect(
        _ core: borrowing BroadcastCore, _ stopReason: BroadcastCore.StopReason, stopped: Int, accepted: Int
    ) {
        #expect(core.tally.accepted == accepted)
        switch stopReason {
        case .superseded: #expect(core.tally.superseded == stopped && core.tally.failures == 0)
        // Two devices had failed before the stop.
        case .stopped:
            #expect(core.tally.failed == ["Why": stopped - 2, "ServiceUnavailable": 2] && core.tally.superseded == 0)
        case .handedOver: #expect(core.tally.failures == 0 && core.tally.superseded == 0 && core.isIncomplete == true)
        }
    }

    @Test(
        "Invariant 5: waiting, retrying and refused devices are counted; those in flight keep their answer",
        arguments: reasons)
    func everyPlace(stopReason: BroadcastCore.StopReason) throws {
        var core = Stage.core(.update, devices: 10)
        let now = Stage.start
        let first = try core.next(now)
        let second = try core.next(now)
        let third = try core.next(now)
        core.send(Stage.busy, at: now)
        core.stop(stopReason)
        core.stop(.stopped(reason: "the second reason"))
        #expect(core.stopReason == stopReason && !core.isFinished && core.inFlight == 3)
        core.expectNothingToPush(now + .seconds(30))
        #expect(core.nextRetry == nil)
        core.pushEnded(first, .accepted, now: now, jitter: 0)
        core.pushEnded(second, Stage.busy, now: now, jitter: 0)
        core.pushRefused(third)
        #expect(core.isFinished && core.nextRetry == nil)
        expect(core, stopReason, stopped: 9, accepted: 1)
        core.expectFinished([0])
    }

    @Test(
        "Invariant 1: pages that are read or still to be read when it is stopped are counted as well",
        arguments: reasons.prefix(2)
    )
    func pagesAfterwards(stopReason: BroadcastCore.StopReason) {
        var core = BroadcastCore(event: .update, pages: [4, 5, 6])
        core.expectToRead(4)
        core.stop(stopReason)
        core.pageRead(Stage.page(4, 3))
        core.expectFinished([4])
        core.expectToRead(5)
        core.pageUnreadable(5, devices: 11)
        // Devices of an unreadable page count by the stop's reason, unless the broadcast is superseded.
        let reason = stopReason == .superseded ? "StoreUnavailable" : "Why"
        core.expectToRead(6)
        core.pageRead(Stage.page(6, 0))
        core.expectToRead(nil)
        #expect(core.isFinished == true)
        core.expectFinished([5, 6])
        #expect(core.tally.superseded == (stopReason == .superseded ? 3 : 0))
        #expect(core.tally.failed == [reason: stopReason == .superseded ? 11 : 14])
    }

    @Test("Retries and first tries alternate, so that devices without answers hold up no others")
    func alternation() throws {
        var core = BroadcastCore(event: .update, pages: [0])
        core.expectToRead(0)
        core.pageRead(Stage.page(0, 6))
        let noAnswer = PushOutcome.unsent(.timedOut, mayHaveBeenDelivered: true)
        for _ in 0..<3 { core.send(noAnswer, at: Stage.start) }
        let later = Stage.start + .seconds(3600)
        var tokens: [Int] = []
        for _ in 0..<6 {
            let next = core.nextPush(now: later)
            tokens.append(try #require(next).position)
        }
        #expect(tokens.map { $0 < 3 } == [true, false, true, false, true, false])
        #expect(Set(tokens) == Set(0..<6))
    }

    @Test("A push without an answer counts as unknown when a newer update takes over")
    func unanswered() throws {
        var core = BroadcastCore(event: .update, pages: [0])
        core.expectToRead(0)
        core.pageRead(Stage.page(0, 3))
        let noAnswer = PushOutcome.unsent(.timedOut, mayHaveBeenDelivered: true)
        core.send(noAnswer, at: Stage.start)
        let next = core.nextPush(now: Stage.start)
        let underWay = try #require(next)
        // A refusal of the next try says nothing about the first one.
        let retry = core.nextPush(now: Stage.start + .seconds(60))
        #expect(retry?.position == 0)
        core.pushEnded(try #require(retry), Stage.busy, now: Stage.start + .seconds(60), jitter: 0)
        core.stop(.superseded)
        core.pushEnded(underWay, noAnswer, now: Stage.start, jitter: 0)
        #expect(core.isFinished && core.tally.failed == ["unknown": 2] && core.tally.superseded == 1)
    }

    @Test("Invariant 8: devices of pages in doubt count as unknown, unless their outcome is known", arguments: reasons)
    func pagesInDoubt(stopReason: BroadcastCore.StopReason) throws {
        var core = BroadcastCore(event: .update, pages: [7, 3, 5, 9], inDoubt: 3)
        core.expectToRead(7)
        core.expectToRead(3)
        core.pageRead(Stage.page(7, 4))
        core.send(.accepted, at: Stage.start)
        core.send(Stage.badToken, at: Stage.start)
        core.stop(stopReason)
        core.pageRead(Stage.page(3, 2))
        guard stopReason != .handedOver else {
            #expect(core.tally.failed == ["BadDeviceToken": 1] && core.isIncomplete == true)
            return
        }
        core.expectToRead(5)
        core.pageUnreadable(5, devices: 11)
        core.expectToRead(9)
        core.pageRead(Stage.page(9, 5))
        #expect(core.isFinished == true)
        let isSuperseded = stopReason == .superseded
        #expect(core.tally.accepted == 1 && core.tally.superseded == (isSuperseded ? 5 : 0))
        let failed = ["BadDeviceToken": 1, "unknown": 15]
        #expect(core.tally.failed == (isSuperseded ? failed : failed.merging(["Why": 5]) { $1 }))
        let results = core.takeResults().sorted { $0.number < $1.number }
        #expect(results.map(\.unknown) == [[0, 1], [], [2, 3], []])
        // The next update resumes at the first device without a push.
        #expect(results.map(\.supersededFrom) == (isSuperseded ? [0, nil, 2, 0] : [nil, nil, nil, nil]))
    }

    @Test("A page that is taken over tells the first device that was sent nothing, as the page has them in order")
    func supersededFrom() throws {
        var core = BroadcastCore(event: .update, pages: [0, 1, 2])
        for page in 0...2 { core.expectToRead(page) }
        let rotated = [5, 6, 0, 1].map { (index: $0, token: 0..<3) }
        core.pageRead(BroadcastPage(number: 0, devices: rotated, bytes: [1, 2, 3]))
        core.pageRead(Stage.page(1, 2))
        let tags = try (0..<4).map { _ in try core.next(Stage.start) }
        core.pushAccepted(tags[0])
        core.pushAccepted(tags[1])
        core.stop(.superseded)
        core.pageRead(Stage.page(2, 0))
        core.pushAccepted(tags[3])
        core.pushEnded(tags[2], Stage.busy, now: Stage.start, jitter: 0)
        let results = core.takeResults().sorted { $0.number < $1.number }
        #expect(results.map(\.supersededFrom) == [0, 0, nil])
        #expect(results.map(\.tally.accepted) == [3, 0, 0])
    }

    @Test("Invariant 6: a gateway that hands over reads no further page, and says that something is left")
    func handedOver() throws {
        var core = BroadcastCore(event: .start, pages: [4, 5, 6, 7])
        for page in 4...6 { core.expectToRead(page) }
        core.pageRead(Stage.page(4, 3))
        core.send(.accepted, at: Stage.start)
        core.stopReading()
        core.expectToRead(nil)
        // Open pages continue.
        core.send(.accepted, at: Stage.start)
        // One push is noted and waits for a stream.
        let noted = try core.next(Stage.start)
        core.pushRefused(noted)
        core.stop(.handedOver)
        core.expectNothingToPush(Stage.start)
        core.pageRead(Stage.page(5, 2))
        core.pageNotRead()
        #expect(core.isFinished == true && core.isIncomplete == true)
        let results = core.takeResults()
        #expect(results.map(\.number) == [4, 5] && results.map(\.left) == [1, 2])
        #expect(results.map(\.tally.accepted) == [2, 0] && core.tally.accepted == 2)
        #expect(results.map(\.released) == [[2], []])
    }

    @Test("Invariant 6: pages that were not asked for, or are given back, are left as well")
    func handedOverUnread() {
        var unread = BroadcastCore(event: .start, pages: [4, 5])
        unread.stop(.handedOver)
        unread.expectToRead(nil)
        #expect(unread.isFinished == true && unread.isIncomplete == true)
        var givenBack = BroadcastCore(event: .start, pages: [4])
        givenBack.expectToRead(4)
        givenBack.stop(.handedOver)
        #expect(givenBack.isFinished == false)
        givenBack.pageNotRead()
        #expect(givenBack.isFinished == true && givenBack.isIncomplete == true)
        #expect(unread.tally.failures == 0 && givenBack.tally.failures == 0)
    }

    @Test("One answer stops nothing, whatever it is", arguments: [400, 403, 404, 405, 302, 408, 421] as [UInt16])
    func oneAnswer(status: UInt16) {
        var core = Stage.core(.start, devices: 500)
        for reason in [RejectionReason.missing, .badPriority, .unknown("Whatever"), .invalidProviderToken] {
            core.send(Stage.rejected(status, reason), at: Stage.start)
        }
        #expect(core.stopReason == nil)
        for _ in 0..<490 { core.send(.accepted, at: Stage.start) }
        #expect(core.stopReason == nil && core.tally.accepted == 490)
    }

    @Test("A small broadcast of which all pushes are rejected stops after twenty, a smaller one says so at its end")
    func smallAlarm() {
        func core(_ devices: Int) -> BroadcastCore {
            var core = BroadcastCore(event: .start, pages: [0], devices: devices)
            _ = core.pageToRead()
            core.pageRead(Stage.page(0, devices))
            while core.stopReason == nil, core.sendNext(Stage.rejected(400, .badPriority), at: Stage.start) {}
            return core
        }
        let stopped = core(150)
        #expect(stopped.stopReason == .stopped(reason: "BadPriority") && stopped.alarm.answers == 20)
        let small = core(19)
        #expect(small.stopReason == nil && small.isFinished && small.alarm.reasonOfNearlyAll == "BadPriority")
        let five = core(5)
        let four = core(4)
        #expect(five.alarm.reasonOfNearlyAll == "BadPriority" && four.alarm.reasonOfNearlyAll == nil)
        var mixed = Stage.core(.start, devices: 6)
        for _ in 0..<4 { mixed.send(Stage.badToken, at: Stage.start) }
        mixed.send(Stage.badToken, at: Stage.start)
        mixed.send(.accepted, at: Stage.start)
        #expect(mixed.alarm.reasonOfNearlyAll == nil)
    }

    @Test("Who was sent nothing when a broadcast stops is unsent; who was tried has failed for that reason")
    func unsent() {
        var core = Stage.core(.start, devices: 10)
        core.send(Stage.busy, at: Stage.start)
        core.send(.unsent(.noConnection("x"), mayHaveBeenDelivered: false), at: Stage.start)
        core.send(.accepted, at: Stage.start)
        core.stop(.stopped(reason: "Expired"))
        let result = core.takeResults().first
        #expect(result?.failed == [0] && result?.reasons == ["ServiceUnavailable"] && result?.accepted == [2])
        #expect(result?.unsent.sorted() == [1, 3, 4, 5, 6, 7, 8, 9] && result?.unsentReason == "Expired")
        #expect(core.tally.failed == ["ServiceUnavailable": 1, "Expired": 8] && core.isFinished)
    }

    @Test("A push that waited beyond its content's time stops the broadcast, and counts as unsent")
    func expired() {
        var core = Stage.core(.start, devices: 3)
        core.send(.accepted, at: Stage.start)
        core.send(.unsent(.expired, mayHaveBeenDelivered: false), at: Stage.start)
        #expect(core.stopReason == .stopped(reason: "Expired") && core.tally.failed == ["Expired": 2])
    }

    /// Returns a broadcast to 1,200 devices whose pages have all been read.
    /// - Parameter devices: The number of devices that the alarm receives.
    private func opened(devices: Int) -> BroadcastCore {
        var core = BroadcastCore(event: .start, pages: [0, 1], devices: devices)
        for number in 0..<2 where core.pageToRead() == number { core.pageRead(Stage.page(number, 600)) }
        return core
    }

    /// Returns a broadcast to 1,200 devices. The first thousand get the outcomes of their numbers.
    private func alarm(_ outcome: (Int) -> PushOutcome) -> BroadcastCore {
        var core = opened(devices: .max)
        for number in 0..<1001 where !core.sendNext(outcome(number), at: Stage.start) { break }
        return core
    }

    @Test("The alarm: 950 of the first thousand tokens rejected stop the broadcast, 949 do not; the rest is unsent")
    func alarmShare() {
        for accepted in [0, 50, 51] {
            let core = alarm { $0 < accepted ? .accepted : Stage.badToken }
            #expect(
                core.stopReason == (accepted <= 50 ? .stopped(reason: "BadDeviceToken") : nil), "\(accepted) accepted")
            if accepted <= 50 { #expect(core.tally.failed == ["BadDeviceToken": 1200 - accepted]) }
        }
    }

    @Test("The alarm looks as long as the broadcast lasts: what goes wrong in the middle stops the rest")
    func lateAlarm() {
        var core = opened(devices: 1_200)
        for _ in 0..<700 { core.send(.accepted, at: Stage.start) }
        var rejected = 0
        while core.stopReason == nil, core.sendNext(Stage.rejected(400, .badPriority), at: Stage.start) {
            rejected += 1
        }
        #expect(core.stopReason == .stopped(reason: "BadPriority") && rejected == 120)
    }

    @Test(
        "Refused tokens that come in a bunch behind others leave nobody out; nearly all from the beginning stop the rest",
        arguments: [31, 32, 100, 600])
    func bunch(good: Int) {
        var core = opened(devices: 1_200)
        for _ in 0..<good { core.send(.accepted, at: Stage.start) }
        for _ in 0..<599 where core.stopReason == nil { core.send(Stage.badToken, at: Stage.start) }
        // The alarm needs a share of 95 percent.
        guard good > 31 else {
            #expect(core.stopReason == .stopped(reason: "BadDeviceToken"))
            return
        }
        core.send(Stage.rejected(400, .badPriority), at: Stage.start)
        #expect(core.stopReason == nil)
        while core.sendNext(.accepted, at: Stage.start) {}
        #expect(core.tally.failed == ["BadDeviceToken": 599, "BadPriority": 1] && core.tally.accepted == 600)
        #expect(core.isFinished == true)
    }

    @Test("A thousand refused tokens one behind the other are a bunch; as many between good ones are none")
    func longBunch() {
        for isBunch in [true, false] {
            var alarm = RejectionAlarm(devices: 1_000_000, .init())
            var reasons = 0
            for number in 0..<20_000 {
                let isRefused = isBunch ? number >= 19_000 : number % 20 == 7
                guard isRefused else {
                    alarm.answered()
                    continue
                }
                if alarm.addressRefused("BadDeviceToken") != nil { reasons += 1 }
            }
            #expect(alarm.blamesAddresses != isBunch && reasons == 0 && alarm.reasonOfWrongEnvironment == nil)
        }
    }

    @Test("What is rejected for the request's sake stops the rest, whatever bunches of refused tokens lie between")
    func requestsBesideBunches() {
        var core = opened(devices: 1_200)
        for _ in 0..<400 { core.send(.accepted, at: Stage.start) }
        var rejected = 0
        while core.stopReason == nil, rejected < 200 {
            core.send(Stage.badToken, at: Stage.start)
            core.send(Stage.rejected(400, .badPriority), at: Stage.start)
            rejected += 1
        }
        #expect(core.stopReason == .stopped(reason: "BadPriority") && rejected == 120)
    }

    @Test("The alarm does not depend on which answer comes last", arguments: [0, 500, 999])
    func alarmOrder(acceptedAt place: Int) {
        #expect(alarm { $0 == place ? .accepted : Stage.badToken }.stopReason == .stopped(reason: "BadDeviceToken"))
        let dead = alarm { $0 == place ? Stage.rejected(410, .unregistered) : Stage.badToken }
        #expect(dead.stopReason == .stopped(reason: "BadDeviceToken"))
    }

    @Test("Pushes that got no final answer do not count for the alarm, neither way")
    func alarmBase() {
        var core = BroadcastCore(event: .update, pages: [0, 1, 2])
        for number in 0..<3 where core.pageToRead() == number { core.pageRead(Stage.page(number, 1000)) }
        for _ in 0..<1000 { core.send(Stage.busy, at: Stage.start) }
        for number in 0..<1000 {
            #expect(core.stopReason == nil, "after \(number) rejections")
            core.send(Stage.badToken, at: Stage.start)
        }
        #expect(core.stopReason == .stopped(reason: "BadDeviceToken") && core.isFinished)
    }

    @Test("Addresses that are refused tell of a wrong place by their share of the answers, which dead ones do not")
    func wrongPlace() {
        var alarm = RejectionAlarm(devices: 1_000, .init())
        for _ in 0..<80 { alarm.answered() }
        for _ in 0..<19 { #expect(alarm.addressRefused("BadDeviceToken") == nil) }
        // The alarm needs a hundred answers.
        #expect(alarm.reasonOfWrongEnvironment == nil)
        #expect(alarm.addressRefused("BadDeviceToken") == nil)
        #expect(alarm.reasonOfWrongEnvironment == "BadDeviceToken" && !alarm.blamesAddresses)
        // One more answer lowers the share of rejections below a fifth.
        alarm.answered()
        #expect(alarm.reasonOfWrongEnvironment == nil && alarm.blamesAddresses)
        var others = RejectionAlarm(devices: 1_000, .init())
        for _ in 0..<70 { others.answered() }
        for _ in 0..<30 { _ = others.rejected("PayloadEmpty") }
        #expect(others.reasonOfWrongEnvironment == nil)
    }
}
