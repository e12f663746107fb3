import Delivery
import Testing
import TimeCore

@Suite("What a gateway does about its jobs")
struct PushDutyTests {
    private func duty(
        _ own: PushAbility, _ peers: PeerAbilities, age: TimeInterval? = .seconds(5), hasLetGo: Bool = false,
        othersCan: TimeInterval? = .seconds(2)
    ) -> PushDuty {
        PushDuty(PushReport(own, age: age), hasLetGo: hasLetGo, othersCan: othersCan, peers: peers)
    }

    @Test("Who cannot push tries once more when others can, and leaves its jobs to them when it still cannot")
    func lettingGo() {
        let peers = PeerAbilities(can: 1, cannot: 3, unknown: 2)
        #expect(duty(.cannot, peers, othersCan: nil) == .probe)
        #expect(duty(.cannot, peers, othersCan: .milliseconds(1_999)) == .goOn)
        #expect(duty(.cannot, peers) == .letGo)
        #expect(duty(.cannot, peers, hasLetGo: true, othersCan: nil) == .letGo)
        #expect(duty(.can, peers) == .goOn)
    }

    @Test("While nobody else can push there is nobody to leave jobs to: whoever has let go takes them up again")
    func nobodyCan() {
        #expect(duty(.cannot, PeerAbilities(cannot: 2), hasLetGo: true) == .takeUp)
        #expect(duty(.cannot, PeerAbilities(), hasLetGo: true) == .takeUp)
        #expect(duty(.cannot, PeerAbilities(cannot: 2)) == .goOn)
        // A gateway of unknown ability has to probe first.
        #expect(duty(.cannot, PeerAbilities(cannot: 2, unknown: 1), hasLetGo: true) == .goOn)
    }

    @Test("Who does not know whether it can push finds out when another one cannot")
    func unknown() {
        #expect(duty(.unknown, PeerAbilities(cannot: 1)) == .probe)
        #expect(duty(.unknown, PeerAbilities(can: 1, unknown: 3)) == .goOn)
    }

    @Test("Who was not served since another one's pause began finds out as well")
    func shown() {
        let peers = PeerAbilities(cannot: 2, newestPause: .seconds(3))
        #expect(duty(.can, peers, age: .milliseconds(3_001)) == .probe)
        #expect(duty(.can, peers, age: nil) == .probe)
        #expect(duty(.can, peers, age: .seconds(3)) == .goOn)
        // A success that is more than five seconds old is not enough.
        let long = PeerAbilities(cannot: 1, newestPause: .seconds(60))
        #expect(duty(.can, long, age: .milliseconds(5_001)) == .probe)
        #expect(duty(.can, long, age: .seconds(5)) == .goOn)
        // A peer without a known age of its pause requests no probe.
        #expect(duty(.can, PeerAbilities(cannot: 1), age: nil) == .goOn)
    }

    @Test("To who is paused only those can push who were served since, and to others all that say so")
    func seen() {
        let peers = [
            PushReport(.can, age: .seconds(3)), PushReport(.can, age: .milliseconds(3_001)), PushReport(.can),
            PushReport(.unknown), PushReport(.cannot, age: .seconds(9)), PushReport(.cannot, age: .seconds(4)),
            PushReport(.cannot),
        ]
        #expect(
            PeerAbilities(peers, seenBy: PushReport(.cannot, age: .seconds(3)))
                == PeerAbilities(can: 1, cannot: 3, unknown: 3, newestPause: .seconds(4)))
        for own in [PushReport(.can, age: .zero), PushReport(.can), PushReport(.unknown)] {
            #expect(
                PeerAbilities(peers, seenBy: own)
                    == PeerAbilities(can: 3, cannot: 3, unknown: 1, newestPause: .seconds(4)))
        }
        #expect(PeerAbilities([], seenBy: PushReport(.can)) == PeerAbilities())
        let served = [PushReport(.can, age: .seconds(10)), PushReport(.can, age: .milliseconds(10_001))]
        #expect(
            PeerAbilities(served, seenBy: PushReport(.cannot, age: .seconds(60))) == PeerAbilities(can: 1, unknown: 1))
    }

    @Test("A refused credential is its gateway's own trouble: others count as they say, and need not show it")
    func credential() {
        let own = PushReport(.cannot, age: .seconds(1), isMisconfigured: true)
        let peers = PeerAbilities([PushReport(.can), PushReport(.unknown), own], seenBy: own)
        #expect(peers == PeerAbilities(can: 1, cannot: 1, unknown: 1))
        #expect(PushDuty(own, hasLetGo: false, othersCan: nil, peers: peers) == .letGo)
        let alone = PeerAbilities([PushReport(.unknown)], seenBy: own)
        #expect(PushDuty(own, hasLetGo: false, othersCan: nil, peers: alone) == .goOn)
        let seen = PeerAbilities([own], seenBy: PushReport(.can))
        #expect(PushDuty(PushReport(.can), hasLetGo: false, othersCan: nil, peers: seen) == .goOn)
    }
}
