import LiveActivity
import Testing
import TimeCore

@Suite("When an activity is ended by itself")
struct EndingTests {
    private let now = WallTime(seconds: 1_800_000_000)

    private func activity(_ state: Activity.State, endsIn: Int, startedAgo: Int? = nil) -> Activity {
        Activity(
            id: UniqueID(high: 1, low: 2), tenantID: "t", type: "T", state: state, createdAt: now,
            startedAt: startedAgo.map { WallTime(seconds: now.seconds - Int64($0)) },
            endsAt: WallTime(seconds: now.seconds + Int64(endsIn)))
    }

    @Test("One that is not started ends at its time, not before")
    func registered() {
        let hour = TimeInterval.seconds(3600)
        #expect(
            Lifecycle.ending(of: activity(.registered, endsIn: 1), lifetime: hour, now: now)
                == .later(WallTime(seconds: now.seconds + 1)))
        for seconds in [0, -1, -86_400] {
            #expect(
                Lifecycle.ending(of: activity(.registered, endsIn: seconds), lifetime: hour, now: now)
                    == .now(.expired))
        }
    }

    @Test("A started one ends at its time or after its lifetime, whichever comes first, and says which")
    func started() {
        let hour = TimeInterval.seconds(3600)
        func ending(_ endsIn: Int, _ startedAgo: Int, _ lifetime: TimeInterval?) -> Lifecycle.Ending {
            Lifecycle.ending(
                of: activity(.started, endsIn: endsIn, startedAgo: startedAgo), lifetime: lifetime, now: now)
        }
        #expect(ending(600, 3599, hour) == .later(WallTime(seconds: now.seconds + 1)))
        #expect(ending(600, 3600, hour) == .now(.lifetime))
        #expect(ending(0, 3600, hour) == .now(.expired))
        #expect(ending(60, 600, hour) == .later(WallTime(seconds: now.seconds + 60)))
        #expect(ending(60, 86_400, nil) == .later(WallTime(seconds: now.seconds + 60)))
        #expect(ending(0, 86_400, nil) == .now(.expired))
    }

    @Test("One that devices have opened by themselves ends at its time alone")
    func openedByDevices() {
        var own = activity(.started, endsIn: 600, startedAgo: 86_400)
        own.externalID = "order-7"
        let end = WallTime(seconds: now.seconds + 600)
        #expect(Lifecycle.ending(of: own, lifetime: .seconds(3600), now: now) == .later(end))
        #expect(Lifecycle.ending(of: own, lifetime: .seconds(3600), now: end) == .now(.expired))
    }

    @Test("A dead one does not end again")
    func dead() {
        #expect(
            Lifecycle.ending(of: activity(.dead, endsIn: -1, startedAgo: 5), lifetime: .seconds(1), now: now)
                == .never)
    }
}
