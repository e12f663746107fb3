import LiveActivity
import Testing
import TimeCore

@Suite("The rules of schedules")
struct ScheduleRulesTests {
    private let now = WallTime(seconds: 1_800_000_000)

    private func after(_ seconds: Int) -> WallTime { WallTime(seconds: now.seconds + Int64(seconds)) }

    @Test("A schedule may be for now by a clock a little slow, and has to come before the activity's end")
    func times() {
        func allows(_ seconds: Int) -> Bool { ScheduleRules.allows(after(seconds), endsAt: after(60), now: now) }
        #expect([-6, -5, 0, 59, 60, 61].map(allows) == [false, true, true, true, false, false])
    }

    @Test("It is carried out from its time on, until it is older than it may be")
    func timing() {
        func timing(_ seconds: Int, _ limit: Int?) -> ScheduleRules.Timing {
            ScheduleRules.timing(after(seconds), expiresAfter: limit.map { .seconds($0) }, now: now)
        }
        #expect(timing(1, 0) == .later(after(1)))
        #expect(timing(0, 0) == .now && timing(-1, 0) == .expired)
        #expect(timing(-60, 60) == .now && timing(-61, 60) == .expired)
        #expect(timing(-86_400, nil) == .now)
    }

    @Test("Cancelling for devices drops what is left without one, shortens a longer list, and spares the whole segment")
    func cancelling() {
        let keys = (0..<3).map { DeviceKey(insiderID: "u\($0)", udid: "d\($0)") }
        func cancelling(_ targets: [Int]?, _ devices: Set<Int>) -> ScheduleRules.Cancelling {
            ScheduleRules.cancelling(targets.map { $0.map { keys[$0] } }, for: Set(devices.map { keys[$0] }))
        }
        #expect(cancelling(nil, [0, 1, 2]) == .untouched)
        #expect(cancelling([0, 1], [2]) == .untouched)
        #expect(cancelling([0, 1], [1, 0, 2]) == .dropped)
        #expect(cancelling([0, 0], [0]) == .dropped)
        #expect(cancelling([0, 1, 2], [1]) == .narrowed([keys[0], keys[2]]))
        // The pair counts, not one half of it.
        let other = DeviceKey(insiderID: "u0", udid: "d1")
        #expect(ScheduleRules.cancelling([keys[0]], for: [other]) == .untouched)
    }
}
