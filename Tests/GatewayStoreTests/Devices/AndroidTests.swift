import Delivery
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Android devices")
struct AndroidTests {
    private static let band = RosterGeometry.firstSlot(of: .fcm)
    private static let token = Array("fK3:APA91b_token-1".utf8)
    private static let other = Array("fK3:APA91b_token-2".utf8)

    private func report(
        _ stage: StoreStage, user: Int = 0, consent: Bool = true, environment: Device.Environment = .production
    ) async throws {
        stage.advance(.seconds(1))
        var device = StoreStage.device("9.0", consent: consent)
        (device.platform, device.environment) = (.android, environment)
        try await stage.store.devices.putDevice(device, StoreStage.key(user), tenantID: stage.tenant)
    }

    private func put(_ token: [UInt8], _ stage: StoreStage, user: Int = 0) async throws {
        stage.advance(.seconds(1))
        try await stage.store.devices.putRegistrationToken(token, StoreStage.key(user), tenantID: stage.tenant)
    }

    /// An activity that was started on one Android device.
    private func started(_ stage: StoreStage, token: [UInt8] = AndroidTests.token) async throws -> ActivityRecord {
        try await report(stage)
        try await put(token, stage)
        let record = try await stage.started(0..<1)
        #expect(record.slots.ranges == [Self.band..<(Self.band + 1)])
        return record
    }

    /// Says that the Live Activity is there.
    private func shown(_ stage: StoreStage, _ record: ActivityRecord, user: Int = 0) async throws -> String {
        try await stage.store.reports.sync(
            StoreStage.key(user), token: nil, reference: .id(record.activity.id, type: nil), systemActivityID: nil,
            tenantID: stage.tenant
        ).word
    }

    /// The page of an update to all, which has come to its end.
    private func update(
        _ stage: StoreStage, _ record: ActivityRecord,
        _ outcome: (PageOfDevices, inout PageOutcome) -> Void = { _, _ in }
    ) async throws -> PageOfDevices {
        let order = try #require(try await stage.begin(.update, try await stage.read(record.activity.id)))
        let number = RosterGeometry.page(ofSlot: Self.band)
        let page = try await stage.page(number, order)
        var written = PageOutcome(page: number)
        outcome(page, &written)
        try await stage.finish(written, order)
        try await stage.quarantine(written, order)
        for job in try await stage.jobs(order) {
            _ = try await stage.store.jobs.complete(job, order, as: stage.gateway)
        }
        return page
    }

    private func registrationToken(_ stage: StoreStage, user: Int = 0) async throws -> [UInt8]? {
        let record = try await stage.store.devices.user(StoreStage.key(user).insiderID, tenantID: stage.tenant)
        return record?.devices.first.flatMap { record?.registrationToken(device: $0.number) }.map { Array($0.token) }
    }

    @Test("It is eligible with a registration token, in a band of its own, where its app reaches Android")
    func registration() async throws {
        try await StoreStage.run { stage in
            let ids = StoreStage.ids(0..<1)
            var registration = StoredActivities.Registration(type: "T", endsAt: stage.now + .seconds(3600))
            func register() async throws -> RegistrationReport {
                try await stage.store.activities.register(registration, insiderIDs: ids, tenantID: stage.tenant)
            }
            try await report(stage)
            #expect(try await register().skipped[.noRegistrationToken] == 1)
            // A push-to-start token is none of Android's.
            try await stage.store.devices.putPushToStartToken(
                [1], StoreStage.key(0), tenantID: stage.tenant, type: nil)
            #expect(try await register().skipped[.noRegistrationToken] == 1)
            try await put(Self.token, stage)
            registration.served = [.apns, .apnsSandbox]
            #expect(try await register().skipped[.noRegistrationToken] == 1)
            registration.served = [.fcm]
            let report = try await register()
            #expect(report.devices == 1 && report.skipped.isEmpty)
            let id = try #require(report.activityID)
            #expect(try await stage.read(id).slots.ranges == [Self.band..<(Self.band + 1)])
            #expect(try await stage.startTokens(id) == [Int(Self.band): Self.token])
            // Its reports until the start count.
            try await put(Self.other, stage)
            #expect(try await stage.startTokens(id) == [Int(Self.band): Self.other])
            try await self.report(stage, consent: false)
            #expect(try await stage.startTokens(id).isEmpty)
            let iPhones = StoredActivities.Registration(type: "T", endsAt: registration.endsAt)
            try await stage.addDevices(1..<2)
            var served = iPhones
            served.served = [.fcm]
            let none = try await stage.store.activities.register(
                served, insiderIDs: StoreStage.ids(1..<2), tenantID: stage.tenant)
            #expect(none.skipped[.noPushToStartToken] == 1 && none.activityID == nil)
        }
    }

    @Test("Its environment does not change how it is reached")
    func environment() async throws {
        try await StoreStage.run { stage in
            for environment in [Device.Environment.production, .sandbox, .production] {
                try await report(stage, environment: environment)
                let device = try await stage.store.devices.user(StoreStage.key(0).insiderID, tenantID: stage.tenant)?
                    .devices.first
                #expect(device?.device.environment == environment && device?.changedKind == nil)
            }
        }
    }

    @Test("It is sent updates once it has said that its Live Activity is there, to the newest token")
    func gate() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            #expect(try await update(stage, record).skipped[.notSynced] == 1)
            #expect(try await stage.store.roster.reach(.update, in: record).holders == 0)
            #expect(try await shown(stage, record) == "synced")
            #expect(try await shown(stage, record) == "synced")
            #expect(try await stage.store.roster.reach(.update, in: record).holders == 1)
            #expect(try await update(stage, record).tokens == [0: Self.token])
            try await put(Self.other, stage)
            #expect(try await stage.store.roster.reach(.update, in: record).holders == 1)
            #expect(try await update(stage, record).tokens == [0: Self.other])
            // A token that comes with the report is not what it is reached by.
            _ = try await stage.sync(0, .id(record.activity.id, type: nil), token: [7, 7])
            #expect(try await update(stage, record).tokens == [0: Self.other])
            let states = try await stage.store.reader.summedStates(in: try await stage.read(record.activity.id))
            #expect(states[.active] == 1 && states.total == 1)
            // A device that takes its consent back gets no more.
            try await report(stage, consent: false)
            #expect(try await update(stage, record).skipped[.gdprDenied] == 1)
        }
    }

    @Test("One whose token comes after its report is reached from then on; one that has shown nothing is not")
    func lateToken() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            try await put(Self.other, stage)
            #expect(try await update(stage, record).tokens.isEmpty)
            // Its token is dropped, and it reports without one.
            let page = try await update(stage, record) { _, _ in }
            #expect(page.skipped[.notSynced] == 1)
            _ = try await stage.store.devices.drop(
                [
                    .init(
                        owner: .init(insiderID: StoreStage.key(0).insiderID, device: 1), token: Self.other,
                        asOf: stage.now)
                ],
                tenantID: stage.tenant, types: [UserRecord.registrationType])
            #expect(try await registrationToken(stage) == nil)
            #expect(try await shown(stage, record) == "synced")
            #expect(try await update(stage, record).skipped[.notSynced] == 1)
            try await put(Self.token, stage)
            #expect(try await update(stage, record).tokens == [0: Self.token])
            #expect(try await stage.store.roster.reach(.update, in: record).holders == 1)
        }
    }

    @Test(
        "Whatever order reports of tokens and of the Live Activity come in, the newest token is what it is reached by")
    func race() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            for round in 0..<30 {
                let token = Array("token-\(round)".utf8)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await put(token, stage) }
                    group.addTask { _ = try await shown(stage, record) }
                    try await group.waitForAll()
                }
                #expect(try await update(stage, record).tokens == [0: token], "round \(round)")
            }
        }
    }

    @Test(
        "A token that is called dead goes, with what it would have started, if it was reported before",
        arguments: [false, true])
    func dead(isReportedLater: Bool) async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            _ = try await shown(stage, record)
            let pushed = stage.now
            if isReportedLater {
                try await put(Self.token, stage)
            }
            _ = try await update(stage, record) { page, outcome in
                outcome.failed = [0]
                outcome.failedFor = [0]
                outcome.reasons = ["UNREGISTERED"]
                outcome.deadTokens = [(0, Self.token, pushed)]
            }
            #expect(try await registrationToken(stage) == (isReportedLater ? Self.token : nil))
            #expect(try await update(stage, record).tokens == (isReportedLater ? [0: Self.token] : [:]))
            _ = try await shown(stage, record)
            #expect(try await update(stage, record).tokens == (isReportedLater ? [0: Self.token] : [:]))
        }
    }

    @Test("A start finds a token dead")
    func deadAtStart() async throws {
        try await StoreStage.run { stage in
            try await report(stage)
            try await put(Self.token, stage)
            let record = try await stage.register(0..<1)
            let order = try #require(try await stage.begin(.start, record))
            var outcome = PageOutcome(page: RosterGeometry.page(ofSlot: Self.band))
            (outcome.failed, outcome.failedFor, outcome.reasons) = ([0], [0], ["UNREGISTERED"])
            outcome.deadTokens = [(0, Self.token, stage.now)]
            try await stage.finish(outcome, order)
            #expect(try await registrationToken(stage) == nil)
            // The token is free: another device may have it.
            try await report(stage, user: 1)
            try await put(Self.token, stage, user: 1)
            #expect(try await registrationToken(stage, user: 1) == Self.token)
        }
    }

    @Test("A token that is refused is not used until it is reported anew, for starts neither")
    func refused() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            _ = try await shown(stage, record)
            _ = try await update(stage, record) { _, outcome in
                (outcome.failed, outcome.failedFor, outcome.reasons) = ([0], [0], ["SENDER_ID_MISMATCH"])
                outcome.quarantinedTokens = [(0, Self.token)]
                outcome.pushedAt = stage.now
            }
            #expect(try await registrationToken(stage) == nil)
            #expect(try await update(stage, record).tokens.isEmpty)
            _ = try await shown(stage, record)
            #expect(try await update(stage, record).tokens.isEmpty)
            try await put(Self.token, stage)
            #expect(try await registrationToken(stage) == Self.token)
            #expect(try await update(stage, record).tokens == [0: Self.token])
        }
    }

    @Test(
        "Tokens of every length up to 1,024 bytes, and such as need escapes, are what is sent to",
        arguments: [1, 249, 250, 251, 254, 255, 256, 1_024])
    func lengths(length: Int) async throws {
        try await StoreStage.run { stage in
            let plain = [UInt8](repeating: UInt8(ascii: "x"), count: length)
            // Two users more, so that pages hold cells beside each other.
            try await stage.addDevices(1..<3)
            for user in 1..<3 {
                try await report(stage, user: user)
                try await put(Array("plain-\(user)".utf8), stage, user: user)
            }
            try await report(stage)
            for token in [plain, Array(plain.dropLast()) + [UInt8(ascii: "\"")]] where !token.isEmpty {
                try await put(token, stage)
                let record = try await stage.register(0..<3)
                let order = try #require(try await stage.begin(.start, record))
                let number = RosterGeometry.page(ofSlot: Self.band)
                let escaped = RegistrationToken.escaped(token)
                let expected = escaped.count > 1_024 ? nil : escaped
                let start = try await stage.page(number, order)
                let others = [1: Array("plain-1".utf8), 2: Array("plain-2".utf8)]
                #expect(start.tokens == others.merging(expected.map { [0: $0] } ?? [:]) { $1 })
                #expect(start.skipped[.noRegistrationToken] == (expected == nil ? 1 : 0))
                var outcome = PageOutcome(page: number)
                outcome.accepted = [0, 1, 2]
                try await stage.finish(outcome, order)
                for user in 0..<3 { _ = try await shown(stage, record, user: user) }
                let read = try await update(stage, record) { page, outcome in
                    guard let pushed = page.tokens[0] else { return }
                    (outcome.failed, outcome.failedFor, outcome.reasons) = ([0], [0], ["UNREGISTERED"])
                    outcome.deadTokens = [(0, pushed, stage.now)]
                }
                #expect(read.tokens == start.tokens)
                guard expected != nil else { continue }
                #expect(try await registrationToken(stage) == nil)
                #expect(try await update(stage, record).tokens == others)
            }
        }
    }

    @Test("A phone that changes from iOS to Android, and back, moves with its next report")
    func platforms() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let id = record.activity.id
            #expect(try await stage.sync(0, .id(id, type: nil), token: [1]).word == "synced")
            try await report(stage)
            try await put(Self.token, stage)
            #expect(try await shown(stage, record) == "synced")
            #expect(try await update(stage, record).tokens == [0: Self.token])
            #expect(try await stage.store.roster.reach(.update, in: try await stage.read(id)).holders == 1)
            stage.advance(.seconds(1))
            try await stage.store.devices.putDevice(StoreStage.device(), StoreStage.key(0), tenantID: stage.tenant)
            #expect(try await stage.sync(0, .id(id, type: nil), token: [2]).word == "synced")
            let read = try await stage.read(id)
            #expect(try await stage.store.roster.reach(.update, in: read).holders == 1)
            #expect(try await update(stage, record).tokens.isEmpty)
            #expect(read.devices == 1)
            // Before a start it has no token for its slot.
            let fresh = try await stage.register(0..<1)
            try await report(stage)
            #expect(try await stage.startTokens(fresh.activity.id).isEmpty)
        }
    }

    @Test("It is sent an end that it missed, and a Live Activity that was dismissed stays so")
    func ends() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            let slots = BroadcastScope.slots([Self.band])
            let end = try #require(try await stage.begin(.end, record, slots))
            try await stage.store.roster.remember([Self.band], endedBy: end.id, in: record.activity)
            #expect(try await shown(stage, record) == "late end")
            for job in try await stage.jobs(end) {
                _ = try await stage.store.jobs.complete(job, end, as: stage.gateway)
            }
            let second = try await started(stage)
            _ = try await shown(stage, second)
            _ = try await stage.store.reports.dismiss(
                StoreStage.key(0), reference: .id(second.activity.id, type: nil), tenantID: stage.tenant)
            #expect(try await shown(stage, second) == "synced")
            #expect(try await update(stage, second).skipped[.ended] == 1)
        }
    }

    /// Carries an end out, which the provider accepts.
    private func accept(_ end: BroadcastOrder, _ stage: StoreStage) async throws {
        var outcome = PageOutcome(page: RosterGeometry.page(ofSlot: Self.band))
        outcome.accepted = [0]
        try await stage.finish(outcome, end)
        for job in try await stage.jobs(end) {
            _ = try await stage.store.jobs.complete(job, end, as: stage.gateway)
        }
    }

    /// Carries out the end of one device that has missed it.
    private func acceptAlone(
        _ end: BroadcastOrder, _ stage: StoreStage, page: Int = RosterGeometry.page(ofSlot: Self.band)
    ) async throws {
        var outcome = PageOutcome(page: page)
        outcome.accepted = [0]
        let written = outcome
        try await withCheckedThrowingContinuation { done in
            stage.store.redis.reactor.execute {
                stage.store.pages.finishPart(written, of: end) { done.resume(with: $0) }
            }
        }
    }

    private func state(_ stage: StoreStage, _ record: ActivityRecord) async throws -> DeviceState? {
        try await stage.store.reader.devices(of: try await stage.read(record.activity.id), limit: 10).devices.first?
            .state
    }

    @Test("One that shows what has ended is sent the end again, at most once a minute, with its content or without")
    func missedEnd() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            #expect(try await shown(stage, record) == "synced")
            let end = try #require(try await stage.begin(.end, record))
            try await accept(end, stage)
            #expect(try await state(stage, record) == .ended)
            let id = record.activity.id
            for isContentKept in [true, true, false] {
                if !isContentKept { _ = try await stage.store.value(RedisCommand("DEL", Keys.broadcast(id, end.id))) }
                #expect(try await shown(stage, record) == "late end")
                // Before it is sent it may be reported again.
                #expect(try await shown(stage, record) == "late end")
                let read = try await stage.read(id)
                let late = try #require(try await stage.store.broadcasts.part(end.id, of: read, slot: Self.band))
                let isSame = Payload(late.payload)?.afterTimestamp == Payload(end.payload)?.afterTimestamp
                #expect(isSame == isContentKept)
                let page = try await stage.page(RosterGeometry.page(ofSlot: Self.band), late)
                #expect(page.tokens == [0: Self.token])
                try await acceptAlone(late, stage)
                #expect(try await state(stage, record) == .ended)
                stage.advance(.milliseconds(ScriptLimits.endAgain - 1))
                #expect(try await shown(stage, record) == "synced")
                #expect(try await state(stage, record) == .ended)
                stage.advance(.milliseconds(1))
            }
            let times = try await stage.store.reader.timeToSync(in: try await stage.read(id))
            #expect(times.values.map(\.count) == [1])
        }
    }

    @Test("One that has missed the end of its own Live Activity alone is ended again for the same reason")
    func missedEndOfItsOwn() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            _ = try await shown(stage, record)
            let end = try #require(try await stage.begin(.end, record, .slots([Self.band])))
            try await accept(end, stage)
            let outcome = try await stage.store.reports.sync(
                StoreStage.key(0), token: nil, reference: .id(record.activity.id, type: nil), systemActivityID: nil,
                tenantID: stage.tenant)
            guard case .endedBefore(_, Self.band, .endedByAPI) = outcome else {
                Issue.record("\(outcome.word)")
                return
            }
            #expect(try await state(stage, record) == .active)
            // No push goes to a user who withdraws the consent, so the app must end the Live Activity.
            stage.advance(.milliseconds(ScriptLimits.endAgain))
            try await accept(try #require(try await stage.begin(.end, record, .slots([Self.band]))), stage)
            try await report(stage, consent: false)
            #expect(try await shown(stage, record) == "not found")
            #expect(try await state(stage, record) == .ended)
        }
    }

    @Test("An iPhone gets the end again for a few new tokens, but not for a token that had the end")
    func iPhoneAfterEnd() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            #expect(try await stage.sync(0, .id(record.activity.id, type: nil), token: [1]).word == "synced")
            let end = try #require(try await stage.begin(.end, record))
            var outcome = PageOutcome(page: 0)
            outcome.accepted = [0]
            try await stage.finish(outcome, end)
            let reference = ActivityReference.id(record.activity.id, type: nil)
            #expect(try await stage.sync(0, reference, token: [1]).word == "synced")
            #expect(try await state(stage, record) == .ended)
            for token in 2..<(2 + UInt8(ScriptLimits.endsInRow)) {
                #expect(try await stage.sync(0, reference, token: [token]).word == "late end")
                let late = try await stage.store.broadcasts.part(
                    end.id, of: try await stage.read(record.activity.id), slot: 0)
                try await acceptAlone(try #require(late), stage, page: 0)
                #expect(try await state(stage, record) == .ended)
                for former in 1...token {
                    #expect(try await stage.sync(0, reference, token: [former]).word == "synced")
                }
            }
            #expect(try await stage.sync(0, reference, token: [99]).word == "synced")
            stage.advance(.milliseconds(ScriptLimits.endAgain))
            #expect(try await stage.sync(0, reference, token: [99]).word == "late end")
        }
    }

    @Test("Of two logins on one phone the last is started; the other's Live Activity goes on")
    func logins() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            _ = try await shown(stage, record)
            try await report(stage, user: 1)
            try await put(Self.token, stage, user: 1)
            #expect(try await registrationToken(stage) == nil)
            #expect(try await registrationToken(stage, user: 1) == Self.token)
            #expect(try await update(stage, record).tokens == [0: Self.token])
            let fresh = try await stage.store.activities.register(
                .init(type: "T", endsAt: stage.now + .seconds(3600)), insiderIDs: StoreStage.ids(0..<2),
                tenantID: stage.tenant)
            #expect(fresh.devices == 1 && fresh.skipped[.noRegistrationToken] == 1)
        }
    }

    @Test(
        "An answer about a former token, however late, leaves the new one's Live Activity alone",
        arguments: [20, 300], [false, true])
    func lateAnswer(length: Int, isRefused: Bool) async throws {
        try await StoreStage.run { stage in
            let (old, new) = ([UInt8](repeating: 0x61, count: length), [UInt8](repeating: 0x62, count: length))
            let record = try await started(stage, token: old)
            _ = try await shown(stage, record)
            stage.advance(.seconds(1))
            let pushed = stage.now
            try await put(new, stage)
            stage.advance(.seconds(1))
            _ = try await update(stage, record) { _, outcome in
                (outcome.failed, outcome.failedFor, outcome.reasons) = ([0], [0], ["X"])
                if isRefused {
                    outcome.quarantinedTokens = [(0, old)]
                    // No more is known than that it was pushed to before now.
                    outcome.pushedAt = stage.now
                } else {
                    outcome.deadTokens = [(0, old, pushed)]
                }
            }
            #expect(try await update(stage, record).tokens == [0: new])
            #expect(try await registrationToken(stage) == new)
            #expect(try await stage.store.roster.reach(.update, in: record).holders == 1)
        }
    }
}
