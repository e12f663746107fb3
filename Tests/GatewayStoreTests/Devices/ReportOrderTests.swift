import LiveActivity
import Reactor
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Reports that come out of their order")
struct ReportOrderTests {
    private func device(_ stage: StoreStage) async throws -> Device? {
        let key = StoreStage.key(0)
        return try await stage.store.devices.user(key.insiderID, tenantID: stage.tenant)?.device(key.udid)?.device
    }

    private func put(_ stage: StoreStage, consent: Bool, _ seconds: Int64) async throws {
        try await stage.store.devices.putDevice(
            StoreStage.device(consent: consent), StoreStage.key(0), tenantID: stage.tenant,
            receivedAt: WallTime(milliseconds: stage.now.milliseconds + seconds * 1000))
    }

    @Test("A consent that was withdrawn stays withdrawn when an older report comes, in the rosters as well")
    func consent() async throws {
        try await StoreStage.run { stage in
            try await put(stage, consent: true, -60)
            try await stage.store.devices.putPushToStartToken([1], StoreStage.key(0), tenantID: stage.tenant, type: nil)
            let id = try await stage.register(0..<1).activity.id
            #expect(try await stage.startTokens(id).count == 1)
            try await put(stage, consent: false, -20)
            for seconds in [-30, -21] as [Int64] {
                try await put(stage, consent: true, seconds)
                #expect(try await device(stage)?.gdprConsent == false)
                #expect(try await stage.startTokens(id).isEmpty)
            }
            // Said again, it is the newest word: what was reported in between comes to nothing.
            try await put(stage, consent: false, -10)
            try await put(stage, consent: true, -15)
            #expect(try await device(stage)?.gdprConsent == false)
            try await put(stage, consent: true, -5)
            #expect(try await device(stage)?.gdprConsent == true)
            #expect(try await stage.startTokens(id) == [0: [1]])
        }
    }

    @Test("An older token does not take a newer one's place; one of another type has an order of its own")
    func token() async throws {
        try await StoreStage.run { stage in
            let key = StoreStage.key(0)
            try await put(stage, consent: true, 0)
            func report(_ token: [UInt8], _ type: String?, _ seconds: Int64) async throws -> [UInt8]? {
                try await stage.store.devices.putPushToStartToken(
                    token, key, tenantID: stage.tenant, type: type,
                    receivedAt: WallTime(milliseconds: stage.now.milliseconds + seconds * 1000))
                let user = try await stage.store.devices.user(key.insiderID, tenantID: stage.tenant)
                return user?.pushToStartToken(udid: key.udid, type: type ?? "").map { Array($0.token) }
            }
            #expect(try await report([2], nil, -10) == [2])
            #expect(try await report([1], nil, -20) == [2])
            #expect(try await report([3], "T", -30) == [3])
            #expect(try await report([4], nil, -10) == [4], "of the same moment the one that comes later counts")
            #expect(try await report([2], nil, -5) == [2])
        }
    }

    @Test("A report from a clock that ran hours ahead holds nobody up")
    func wrongClock() async throws {
        try await StoreStage.run { stage in
            try await put(stage, consent: true, 3 * 3600)
            try await put(stage, consent: false, 0)
            #expect(try await device(stage)?.gdprConsent == false)
        }
    }

    @Test("A report that has waited too long is not carried out")
    func late() async throws {
        try await StoreStage.run { stage in
            let (stream, continuation) = AsyncStream.makeStream(of: ReportAnswer.self)
            let queue = ReportQueue(stage.store.reports, stage.store.followers) { answers in
                for answer in answers { continuation.yield(answer) }
            }
            let now = MonotonicTime.now()
            let tooLong = ReportQueue.patience.nanoseconds + 1_000_000_000
            for (ticket, age) in [tooLong, 0].enumerated() {
                queue.carryOut([
                    DeviceReport(
                        ticket: ticket, admission: stage.admission, device: StoreStage.key(ticket),
                        content: .change(.device(StoreStage.device())),
                        received: .init(
                            wallTime: stage.now,
                            monotonicTime: MonotonicTime(nanoseconds: now.nanoseconds - age)))
                ])
            }
            var words: [Int: String] = [:]
            for await answer in stream {
                switch answer.outcome {
                case .late: words[answer.ticket] = "late"
                case .changed: words[answer.ticket] = "changed"
                default: words[answer.ticket] = "something else"
                }
                if words.count == 2 { break }
            }
            #expect(words == [0: "late", 1: "changed"])
            let user = try await stage.store.devices.user(StoreStage.key(0).insiderID, tenantID: stage.tenant)
            #expect(user == nil)
        }
    }
}
