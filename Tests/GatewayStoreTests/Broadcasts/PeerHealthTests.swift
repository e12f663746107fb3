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

    @Test("Each ability is counted, and what rests is added up")
    func counts() {
        let entries = [
            ("a", PushHealthReport(.can, resting: 2).text(at: Self.now)),
            ("b", PushHealthReport(.cannot, resting: 3).text(at: Self.now)),
            ("c", PushHealthReport(.unknown).text(at: Self.now)), ("d", "1:999999"),
        ]
        let (peers, gone) = PeerHealth.read(entries, now: Self.now, maximumAge: Self.age)
        #expect(peers.abilities == PeerAbilities(can: 2, cannot: 1, unknown: 1) && peers.resting == 5)
        #expect(gone.isEmpty)
    }

    @Test("What was told too long ago counts for nothing, and is forgotten in the end; so is what nobody can read")
    func age() {
        let entries = [
            ("late", PushHealthReport(.can, resting: 2).text(at: WallTime(milliseconds: 992_999))),
            ("gone", PushHealthReport(.can).text(at: WallTime(milliseconds: 929_999))),
            ("damaged", "x:1000000"), ("strange", "9:1000000"), ("empty", ""),
        ]
        let (peers, gone) = PeerHealth.read(entries, now: Self.now, maximumAge: Self.age)
        #expect(peers == PeerHealth())
        #expect(gone == ["gone", "damaged", "strange", "empty"])
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
            #expect(try await exchange(one, PushHealthReport(.cannot, resting: 4)) == PeerHealth())
            let heard = try await exchange(other, PushHealthReport(.can))
            #expect(heard.abilities == PeerAbilities(cannot: 1) && heard.resting == 4)
            let again = try await exchange(one, PushHealthReport(.unknown))
            #expect(again.abilities == PeerAbilities(can: 1) && again.resting == 0)
        }
    }
}
