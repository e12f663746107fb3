import Gateway
import GatewayStore
import LoadTest
import MockAPNs
import TerminalDisplay
import Testing
import TimeCore

@Suite("Load tests against a gateway", .serialized)
struct LoadGeneratorTests {
    private struct SilentObserver: LoadObserver {
        func began(_ step: String, total: Int?) {}
        func progressed(_ step: String, done: Int) {}
        func ended(_ step: String, note: String) {}
    }

    private func target(_ stage: TestStage, devices: Int) -> LoadTarget {
        var target = LoadTarget()
        target.url = "http://127.0.0.1:\(stage.gateways[0].port)"
        target.devices = devices
        target.mocks = [stage.mock.controlURL].compactMap { $0 }
        return target
    }

    @Test("An update reaches all devices after registration, start and a storm of reports")
    func storm() async throws {
        try await TestStage.run { stage in
            var devices = DeviceLoad()
            devices.target = target(stage, devices: 400)
            devices.sdkKey = stage.tenant.sdkKey
            devices.registers = true
            let registered = try await LoadTest.devices(devices, observer: SilentObserver(), control: LoadControl())
            #expect(registered.failed == 0, "\(registered.text(.plain))")

            var start = BroadcastLoad()
            start.target = target(stage, devices: 400)
            start.apiKeys = [stage.tenant.apiKey]
            start.segmentSize = 400
            start.startsOne = true
            let started = try await LoadTest.broadcasts(start, observer: SilentObserver(), control: LoadControl())
            let id = try #require(started.activityID, "\(started.text(.plain))")
            #expect(stage.pushes(.start).count == 400)

            devices.registers = false
            devices.activity = .id(id)
            devices.within = .milliseconds(500)
            let storm = try await LoadTest.devices(devices, observer: SilentObserver(), control: LoadControl())
            #expect(storm.failed == 0 && storm.phases.first?.succeeded == 400, "\(storm.text(.plain))")

            let body = """
                {"activity_id":"\(id)","activity_type":"\(start.activityType)","content":{"content_state":{"n":1}}}
                """
            #expect(try await stage.call("update", body).accepted == 400)
            #expect(Set(stage.pushes(.update).map(\.token)).count == 400)
        }
    }

    @Test("Marketing systems run activities without a refusal, and their counts match the provider's")
    func lives() async throws {
        try await TestStage.run(mock: { $0.controlPort = 0 }) { stage in
            var devices = DeviceLoad()
            devices.target = target(stage, devices: 100)
            devices.sdkKey = stage.tenant.sdkKey
            devices.registers = true
            let registered = try await LoadTest.devices(devices, observer: SilentObserver(), control: LoadControl())
            #expect(registered.failed == 0, "\(registered.text(.plain))")

            var load = BroadcastLoad()
            load.target = target(stage, devices: 100)
            load.apiKeys = [stage.tenant.apiKey]
            load.sdkKeys = [stage.tenant.sdkKey]
            load.segmentSize = 20
            load.targetShare = 0.3
            load.targets = 4
            load.rate = 100
            load.duration = nil
            load.calls = 200
            load.inFlight = 8
            let report = try await LoadTest.broadcasts(load, observer: SilentObserver(), control: LoadControl())
            // Updates of an activity may overlap. The newest wins, so an older one may count fewer pushes.
            #expect(report.failed == 0, "\(report.text(.plain))")
            let phase = try #require(report.phases.first)
            #expect(Set(phase.kinds.map(\.name)).isSuperset(of: ["register", "start", "update", "end", "sync"]))
            // Phones in several activities show the content of each.
            let phones = try #require(report.phones)
            #expect(phones.isRight && phones.refused == 0 && phones.compared > 100, "\(phones)")
            for (event, name) in [(MockPushEvent.start, "start"), (.update, "update"), (.end, "end")] {
                #expect(phase.pushes.first { $0.name == name }?.count == stage.pushes(event).count, "\(name)")
            }
        }
    }

    @Test(
        "A match day starts each follower once without a refusal, and its report matches the provider's"
    )
    func matchDay() async throws {
        try await TestStage.run(mock: { $0.controlPort = 0 }) { stage in
            var load = TopicLoad()
            load.target = target(stage, devices: 300)
            load.apiKey = stage.tenant.apiKey
            load.sdkKey = stage.tenant.sdkKey
            load.registers = true
            load.topics = 2
            load.before = .seconds(1)
            load.storm = .seconds(2)
            load.length = .seconds(6)
            load.goals = 3
            load.reportWithin = .seconds(1)
            // A phone that reports before its start is not started. Busy cores delay starts.
            load.reportAfter = .seconds(2)
            load.unfollowShare = 0.1
            load.dismissShare = 0.1
            load.settleWithin = .seconds(120)
            let report = try await LoadTest.topics(load, observer: SilentObserver(), control: LoadControl())
            let text = report.text(.plain)
            #expect(report.failed == 0, "\(text)")
            let day = try #require(report.matchDay)
            #expect(day.isWhole && day.unsettled == 0, "\(text)")
            #expect(
                report.phases.map(\.name) == ["devices", "tokens", "topics", "match", "settling", "deletions"],
                "\(text)")

            // No follower is started twice. A follower who unfollows before the start gets none.
            let starts = stage.pushes(.start).map(\.token)
            #expect(Set(starts).count == starts.count && starts.count > 285, "\(text)")
            let devices = day.states.reduce(0) { $0 + $1.count }
            #expect((starts.count...starts.count + 15).contains(devices) && devices <= 300, "\(text)")
            #expect(day.opening.topics == 2 && day.opening.accepted == day.opening.devices, "\(text)")
            #expect(day.opening.devices > 100 && day.opening.devices < 200, "\(text)")

            let ends = stage.pushes(.end).map(\.token)
            #expect(Set(ends).count == ends.count && ends.count > 200, "\(text)")
            let reasons = Set(day.ends.map(\.name))
            #expect(reasons.isSuperset(of: ["match_end", "user_unfollow", "user_dismissed"]), "\(text)")
            let phase = try #require(report.phases.first { $0.name == "match" })
            #expect(Set(phase.kinds.map(\.name)).isSuperset(of: ["follow", "unfollow", "dismissed", "sync", "topic"]))
            #expect(stage.pushes(.update).count > 100, "\(text)")
            let phones = try #require(report.phones)
            #expect(phones.isRight && phones.refused == 0 && phones.compared > 150, "\(phones)")
        }
    }
}
