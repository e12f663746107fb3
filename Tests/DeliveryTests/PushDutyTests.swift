import Delivery
import Testing
import TimeCore

@Suite("What a gateway does about its jobs")
struct PushDutyTests {
    private func duty(
        _ own: PushAbility, _ peers: PeerAbilities, paused: TimeInterval = .seconds(5), hasLetGo: Bool = false
    ) -> PushDuty {
        PushDuty(own, paused: paused, hasLetGo: hasLetGo, peers: peers)
    }

    @Test("Who cannot push leaves its jobs to those who can, but not for a pause of a moment")
    func lettingGo() {
        let peers = PeerAbilities(can: 1, cannot: 3, unknown: 2)
        #expect(duty(.cannot, peers) == .letGo)
        #expect(duty(.cannot, peers, hasLetGo: true) == .letGo)
        #expect(duty(.cannot, peers, paused: .milliseconds(999)) == .goOn)
        #expect(duty(.can, peers) == .goOn)
    }

    @Test("While nobody else can push there is nobody to leave jobs to: whoever has let go takes them up again")
    func nobodyCan() {
        #expect(duty(.cannot, PeerAbilities(cannot: 2), hasLetGo: true) == .takeUp)
        #expect(duty(.cannot, PeerAbilities(), hasLetGo: true) == .takeUp)
        #expect(duty(.cannot, PeerAbilities(cannot: 2)) == .goOn)
        // Those who do not know find out first.
        #expect(duty(.cannot, PeerAbilities(cannot: 2, unknown: 1), hasLetGo: true) == .goOn)
    }

    @Test("Who does not know whether it can push finds out when another one cannot")
    func unknown() {
        #expect(duty(.unknown, PeerAbilities(cannot: 1)) == .probe)
        #expect(duty(.unknown, PeerAbilities(can: 1, unknown: 3)) == .goOn)
        #expect(duty(.can, PeerAbilities(cannot: 1)) == .goOn)
    }
}
