import ConnectionCore
import Encodings
import Testing

@Suite("The table of connections") struct ConnectionTableTests {
    private let first = AddressGroup(IPAddress("192.0.2.1"))
    private let second = AddressGroup(IPAddress("192.0.2.2"))

    private func open(
        _ table: inout ConnectionTable, _ group: AddressGroup, isProxy: Bool = false
    ) throws -> ConnectionTable.Place {
        guard case .accepted(let place, nil) = table.opened(group, isProxy: isProxy) else {
            throw Refused()
        }
        return place
    }

    private struct Refused: Error {}

    private func leaving(_ table: inout ConnectionTable, _ group: AddressGroup) -> ConnectionTable.Place? {
        guard case .accepted(_, let place) = table.opened(group) else { return nil }
        return place
    }

    @Test("The address with the most makes way, its oldest first, and whoever comes gets in")
    func most() throws {
        var table = ConnectionTable(maximum: 4)
        let lone = try open(&table, second)
        let flood = [try open(&table, first), try open(&table, first), try open(&table, first)]
        var leaver = leaving(&table, second)
        #expect(leaver == flood[0])
        table.closed(flood[0])
        #expect(table.count == 4)
        // Two each: the one that has had as many for longer is the first address, which lost one before the other came.
        leaver = leaving(&table, AddressGroup(IPAddress("192.0.2.3")))
        #expect(leaver == flood[1])
        table.closed(flood[1])
        leaver = leaving(&table, AddressGroup(IPAddress("192.0.2.4")))
        #expect(leaver == lone)
    }

    @Test("A request under way is no victim before those that rest, and one that is answered never")
    func underWay() throws {
        var table = ConnectionTable(maximum: 3)
        let answering = try open(&table, first)
        let receiving = try open(&table, first)
        let resting = try open(&table, second)
        table.changed(answering, to: .answering)
        table.changed(receiving, to: .receiving)
        let way1 = table.makeWay()
        #expect(way1 == resting)
        table.closed(resting)
        let way2 = table.makeWay()
        #expect(way2 == receiving)
        table.closed(receiving)
        let way3 = table.makeWay()
        #expect(way3 == nil)
        #expect(table.count == 1)
    }

    @Test("Where all are answered there is no place for another one")
    func full() throws {
        var table = ConnectionTable(maximum: 1)
        let place = try open(&table, first)
        table.changed(place, to: .answering)
        let outcome = table.opened(second)
        #expect(outcome == .refused)
        table.changed(place, to: .resting)
        let leaver = leaving(&table, second)
        #expect(leaver == place)
    }

    @Test("Proxies' connections make way behind those of others, and before requests under way")
    func proxies() throws {
        var table = ConnectionTable(maximum: 4)
        let proxy = [try open(&table, first, isProxy: true), try open(&table, first, isProxy: true)]
        let other = try open(&table, second)
        let sending = try open(&table, second)
        table.changed(sending, to: .receiving)
        let way4 = table.makeWay()
        #expect(way4 == other)
        let way5 = table.makeWay()
        #expect(way5 == proxy[0])
        let way6 = table.makeWay()
        #expect(way6 == proxy[1])
        let way7 = table.makeWay()
        #expect(way7 == sending)
    }

    @Test("A connection counts for the client that its proxy names")
    func readdressed() throws {
        var table = ConnectionTable(maximum: 3)
        let own = try open(&table, second)
        let named = try open(&table, first, isProxy: true)
        _ = try open(&table, first, isProxy: true)
        table.readdressed(named, second)
        let way8 = table.makeWay()
        #expect(way8 == own)
        let way9 = table.makeWay()
        #expect(way9 == named)
    }

    @Test("An address makes room with its own longest-idle connection, and with no other")
    func own() throws {
        var table = ConnectionTable(maximum: 8)
        let others = [try open(&table, second), try open(&table, second), try open(&table, second)]
        let proxy = try open(&table, first, isProxy: true)
        let busy = [try open(&table, first), try open(&table, first)]
        let resting = [try open(&table, first), try open(&table, first)]
        table.changed(busy[0], to: .answering)
        table.changed(busy[1], to: .receiving)
        table.changed(resting[0], to: .answering)
        table.changed(resting[0], to: .resting)
        let leavers = (0..<3).map { _ in table.makeWay(of: first) }
        #expect(leavers == [resting[1], resting[0], nil])
        #expect(table.count == 6)
        for place in resting { table.closed(place) }
        #expect(table.count == 6)
        let unknown = table.makeWay(of: AddressGroup(IPAddress("192.0.2.9")))
        #expect(unknown == nil)
        table.closed(proxy)
        let left = table.makeWay()
        #expect(left == others[0])
    }

    @Test("Version 6 counts by /64, and a mapped address as what it is")
    func groups() {
        let group = { (text: String) in AddressGroup(IPAddress(text)) }
        #expect(group("2001:db8::1") == group("2001:db8::ffff:1"))
        #expect(group("2001:db8::1") != group("2001:db8:0:1::1"))
        #expect(group("::ffff:192.0.2.1") == first)
        #expect(first != second)
        #expect(AddressGroup(nil) != first)
    }

    @Test("An address holds as much as it may, and no more")
    func counts() {
        var counts = AddressCounts(maximum: 2)
        let taken = [counts.take(first), counts.take(first), counts.take(first), counts.take(second)]
        #expect(taken == [true, true, false, true])
        counts.giveBack(first)
        let again = [counts.take(first), counts.take(first)]
        #expect(again == [true, false])
        counts.giveBack(first)
        counts.giveBack(first)
        counts.giveBack(second)
        #expect(counts.addresses == 0)
    }

    @Test("What everything else needs is kept from the descriptors")
    func budget() {
        // Two apps, one of which has Android.
        #expect(DescriptorBudget.providerConnections(apns: 8, fcm: [nil, 4]) == 18 + 18 + 5)
        let usual = DescriptorBudget(limit: 65_536, providerConnections: 64, asked: nil)
        #expect(usual.connections == 65_536 - 256 - 64 && usual.spare == 320 && usual.warning == nil)
        #expect(
            DescriptorBudget(limit: 1_048_576, providerConnections: 64, asked: nil).connections
                == DescriptorBudget.mostByDefault)
        let few = DescriptorBudget(limit: 256, providerConnections: 64, asked: nil)
        #expect(few.connections == 128 && few.warning == .fewDescriptors)
        let greedy = DescriptorBudget(limit: 4096, providerConnections: 64, asked: 10_000)
        #expect(greedy.connections == 3776 && greedy.warning == .moreThanDescriptors(asked: 10_000))
        #expect(DescriptorBudget(limit: 4096, providerConnections: 64, asked: 100).warning == nil)
    }
}
