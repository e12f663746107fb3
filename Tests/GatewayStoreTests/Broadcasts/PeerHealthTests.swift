import Delivery
import LiveActivity
import Reactor
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("What gateways tell each other of their health")
struct PeerHealthTests {
    private static let now = WallTime(milliseconds: 1_000_000)
    private static let age = TimeInterval.seconds(7)

    @Test("What each has told is as old as it is by now, and what rests is added up")
    func reports() {
        let earlier = WallTime(milliseconds: 998_500)
        let later = WallTime(milliseconds: 1_000_700)
        let entries = [
            ("a", PushHealthReport(PushReport(.can, age: .milliseconds(20)), resting: 2).text(at: earlier)),
            ("b", PushHealthReport(PushReport(.cannot, age: .seconds(5)), resting: 3).text(at: Self.now)),
            // A clock that is ahead.
            ("c", PushHealthReport(PushReport(.cannot, age: .seconds(4))).text(at: later)),
            ("d", PushHealthReport(PushReport(.unknown)).text(at: Self.now)),
            ("i", PushHealthReport(PushReport(.cannot, age: .zero, isMisconfigured: true)).text(at: Self.now)),
            // A clock that is too far ahead.
            ("j", PushHealthReport(PushReport(.can)).text(at: WallTime(milliseconds: 1_002_001))),
            // Impossible ages.
            ("f", "1:999999:0:-1"), ("g", "1:999999:0:9223372036854775807"), ("h", "1:999999:0:x"),
        ]
        let (peers, gone) = PeerHealth.read(entries, now: Self.now, maximumAge: Self.age)
        #expect(
            peers.pushes == [
                PushReport(.can, age: .milliseconds(1_520)), PushReport(.cannot, age: .seconds(5)),
                PushReport(.cannot, age: .seconds(4)), PushReport(.unknown),
                PushReport(.cannot, age: .zero, isMisconfigured: true), PushReport(.can), PushReport(.can),
                PushReport(.can),
            ])
        #expect(peers.resting == 5)
        #expect(gone.isEmpty)
    }

    @Test("What was told too long ago counts for nothing, and is forgotten in the end; so is what nobody can read")
    func age() {
        let entries = [
            ("late", PushHealthReport(PushReport(.can), resting: 2).text(at: WallTime(milliseconds: 992_999))),
            ("gone", PushHealthReport(PushReport(.can)).text(at: WallTime(milliseconds: 929_999))),
            ("damaged", "x:1000000:0"), ("strange", "9:1000000:0"), ("short", "1:1000000"), ("empty", ""),
        ]
        let (peers, gone) = PeerHealth.read(entries, now: Self.now, maximumAge: Self.age)
        #expect(peers == PeerHealth())
        #expect(gone == ["gone", "damaged", "strange", "short", "empty"])
    }

    @Test("Gateways hear of each other, and not of themselves")
    func exchange() async throws {
        try await StoreStage.run { stage in
            let provider = ProviderIdentity(
                ProviderAccount(("team", "TEAM"), ("key", "KEY")), authority: "host:443")
            let (one, other) = (UniqueID.random(), UniqueID.random())
            func exchange(_ gateway: UniqueID, _ report: PushHealthReport) async throws -> PeerHealth {
                try await withCheckedThrowingContinuation { continuation in
                    stage.store.redis.reactor.execute {
                        stage.store.health.exchangePushHealth(
                            of: provider, as: gateway, report, maximumAge: Self.age
                        ) { continuation.resume(with: $0) }
                    }
                }
            }
            #expect(try await exchange(one, PushHealthReport(PushReport(.cannot), resting: 4)) == PeerHealth())
            let heard = try await exchange(other, PushHealthReport(PushReport(.can)))
            #expect(heard.pushes == [PushReport(.cannot)] && heard.resting == 4)
            let again = try await exchange(one, PushHealthReport(PushReport(.unknown)))
            #expect(again.pushes == [PushReport(.can)] && again.resting == 0)
        }
    }
}
