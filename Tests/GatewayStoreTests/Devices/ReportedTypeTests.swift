import Testing

@testable import GatewayStore

@Suite("Reports by activity type alone")
struct ReportedTypeTests {
    private func place(
        _ stand: ReportedType.Stand, _ rank: ReportedType.TokenRank = .unknown, hasToken: Bool = false,
        isOfType: Bool = true
    ) -> ReportedType.Place {
        ReportedType.Place(rank: rank, isOfType: isOfType, hasToken: hasToken, stand: stand)
    }

    private func decide(_ places: [ReportedType.Place], isDismissed: Bool = false) -> ReportedType.Decision {
        ReportedType.decide(places, isDismissed: isDismissed)
    }

    @Test("The only running activity takes a report, whether it has a token or not")
    func single() {
        #expect(decide([]) == .none)
        for hasToken in [true, false] {
            #expect(decide([place(.over), place(.running, hasToken: hasToken), place(.gone)]) == .place(1))
        }
    }

    @Test("A report goes to the only running activity that waits for a token")
    func waiting() {
        let places = [place(.running, hasToken: true), place(.running), place(.running, hasToken: true)]
        #expect(decide(places) == .place(1))
        #expect(decide(places, isDismissed: true) == .ambiguous([0, 1, 2]))
    }

    @Test("An activity that lost its token, or has another name, takes a report only if no other one runs")
    func doubtful() {
        var lost = place(.running)
        lost.hasLostToken = true
        #expect(decide([lost, place(.over)]) == .place(0))
        #expect(decide([place(.running, hasToken: true), lost]) == .ambiguous([0, 1]))
        #expect(decide([place(.running), lost]) == .ambiguous([0, 1]))
        #expect(decide([place(.gone), lost], isDismissed: true) == .place(1))
    }

    @Test(
        "Beside a running activity with another name, an ended one that never reported makes a report ambiguous",
        arguments: [true, false])
    func otherName(hasToken: Bool) {
        var (other, named) = (place(.running, hasToken: hasToken), place(.over))
        (other.hasOtherName, named.hasOtherName) = (true, true)
        let silent = place(.over)
        for isDismissed in [false, true] {
            #expect(decide([other, named, place(.gone)], isDismissed: isDismissed) == .place(0))
            #expect(decide([other, place(.gone), silent], isDismissed: isDismissed) == .ambiguous([0, 2]))
            #expect(decide([place(.running), silent], isDismissed: isDismissed) == .place(0))
            #expect(decide([place(.running, hasToken: true), silent], isDismissed: isDismissed) == .place(0))
            #expect(decide([silent, named], isDismissed: isDismissed) == .place(0))
        }
        #expect(decide([other, place(.running), silent]) == (hasToken ? .place(1) : .ambiguous([0, 1])))
        other.rank = .present
        #expect(decide([silent, other]) == .place(1))
    }

    @Test("A report is ambiguous and names the candidates if several activities wait, or none")
    func ambiguous() {
        #expect(decide([place(.running), place(.running, hasToken: true), place(.running)]) == .ambiguous([0, 2]))
        let synced = place(.running, hasToken: true)
        #expect(decide([synced, place(.gone), synced]) == .ambiguous([0, 2]))
    }

    @Test("A token decides before all else, by its strongest relation, and never for another type")
    func tokens() {
        let running = place(.running)
        #expect(decide([running, place(.gone, .last), place(.running, .present)]) == .place(2))
        #expect(decide([running, place(.gone, .earlier), place(.gone, .last)]) == .place(2))
        let former = [running, place(.running, .earlier, hasToken: true)]
        #expect(decide(former) == .former(1) && decide(former, isDismissed: true) == .place(1))
        #expect(decide([running, place(.running, .ofEarlierLiveActivity)], isDismissed: true) == .former(1))
        #expect(decide([running, place(.running, .present, isOfType: false)]) == .none)
    }

    @Test("An activity that has ended takes a report only where none runs, the newest first")
    func over() {
        #expect(decide([place(.gone), place(.over), place(.over)]) == .place(1))
        #expect(decide([place(.over), place(.running, hasToken: true)]) == .place(1))
    }

    @Test("A token or name decides the login; without either it is another only if the device shows none of its own")
    func otherLogin() {
        typealias Place = ReportedType.LoginPlace
        func find(_ places: [Place], mayBeOwn: Bool = false) -> Int? {
            ReportedType.otherLogin(places, mayBeOwn: mayBeOwn)
        }
        let shown = Place(isShown: true, hasToken: true)
        for mayBeOwn in [false, true] {
            #expect(find([shown, Place(rank: .ofEarlierLiveActivity), Place(hasName: true)], mayBeOwn: mayBeOwn) == 1)
            #expect(find([shown, Place(rank: .earlier), Place(rank: .present)], mayBeOwn: mayBeOwn) == 2)
            #expect(find([shown, Place(hasName: true)], mayBeOwn: mayBeOwn) == 1)
        }
        #expect(find([shown, Place(isShown: true), shown]) == 1)
        #expect(find([Place(), shown, shown, Place()]) == 2)
        #expect(find([Place(), Place(hasToken: true)]) == nil && find([]) == nil)
        #expect(find([shown, Place(isShown: true)], mayBeOwn: true) == nil)
    }
}
