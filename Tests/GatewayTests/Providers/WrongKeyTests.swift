import Broadcasts
import Gateway
import GatewayAPI
import LiveActivity
import Logging
import MockAPNs
import PushClient
import ScrapedMetrics
import Testing
import TimeCore

@Suite("A gateway whose credential is refused, beside one that can push", .serialized)
struct WrongKeyTests {
    private func expectAllSent(_ number: Int64, _ count: Int, _ stage: TestStage) {
        let accepted = stage.pushes(.update).filter {
            $0.answer == .answered(status: 200, reason: nil) && $0.contentNumber == number
        }
        #expect(Set(accepted.map(\.token)).count == count)
    }

    @Test("A gateway whose credential is refused leaves its starts and updates to one that can push, and says so")
    func wrongKey() async throws {
        let log = CapturedLog()
        try await TestStage.run(configure: { $0.bearTrouble() }) { stage in
            let id = try await stage.started(300)
            try await stage.syncAll(0..<300, id)
            let bad = try await stage.startStranger(logger: log.logger(.error))
            for number in 1...9 {
                let answer = try await stage.call("update", TestStage.body(id, number: number))
                #expect(answer.accepted == 300, "\(answer.text)")
            }
            // The gateway with the bad key refuses a call and leaves the activity unstarted.
            let other = try await stage.register(300)
            let refused = try await stage.call("start", TestStage.body(other), port: bad.port)
            #expect(refused.status == 503 && refused.code == "OVERLOADED", "\(refused.text)")
            #expect(refused.headers["retry-after"] != nil)
            #expect(try await stage.call("start", TestStage.body(other)).accepted == 300)
            let page = try await stage.metrics(port: bad.port)
            let lettingsGo = try #require(page.value("fanfare_jobs_left_to_others_total"))
            #expect(lettingsGo >= 1)
            let paused = ["provider": stage.mock.url, "reason": "credential"]
            #expect(page.value("fanfare_push_paused", paused) == 1 && page.sum("fanfare_push_paused") == 1)
            await bad.stop()
            for (message, count) in [
                ("provider refuses the credential, pushes paused", 1),
                ("gateway cannot push, jobs handed over", Int(lettingsGo)),
            ] {
                let lines = try log.read().filter { $0.message == message }
                #expect(lines.count == count && lines.allSatisfy { $0.level == "error" }, "\(message)")
                #expect(lines.allSatisfy { $0.metadata["key"] == stage.mock.keyID })
                #expect(lines.allSatisfy { $0.metadata["reason"] == "InvalidProviderToken" })
                #expect(lines.allSatisfy { $0.metadata["remedy"] != nil })
            }
            expectAllSent(9, 300, stage)
        }
    }

    @Test("A gateway whose credential is refused takes no schedule that falls due, and each reaches everybody")
    func schedules() async throws {
        let clock = TestClock()
        try await TestStage.run(
            clock: clock,
            configure: {
                $0.bearTrouble()
                // The working gateway polls seldom, so that the other one is first at each job.
                $0.jobs.period = .milliseconds(200)
            }
        ) { stage in
            let id = try await stage.started(300)
            try await stage.syncAll(0..<300, id)
            let begun = clock.now
            // All of them within the time for which a gateway's word counts that it can push.
            let times = (1...9).map { begun + .milliseconds(500 * $0) }
            var schedules: [String] = []
            for (index, time) in times.enumerated() {
                schedules.append(
                    try await stage.schedule(
                        id, #""deliver_at":"\#(time.rfc3339)""#, content: TestStage.numberedContent(index + 1)))
            }
            let bad = try await stage.startStranger { $0.jobs.period = .milliseconds(10) }
            for (schedule, time) in zip(schedules, times) {
                clock.now = time
                #expect(try await stage.ended(schedule: schedule, of: id).text("state") == "done")
                let update = try await stage.ended(try #require(UniqueID(schedule)))
                #expect(update["state"]?.string == "done" && update["accepted"]?.int64 == 300, "\(update.text)")
            }
            let page = try await stage.metrics(port: bad.port)
            #expect(page.sum("fanfare_broadcasts_recorded_total") == 0 && page.sum("fanfare_jobs_taken_total") == 0)
            await bad.stop()
            expectAllSent(9, 300, stage)
        }
    }
}
