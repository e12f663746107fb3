import Encodings
import TestSupport
import Testing

@testable import ConnectionCore

/// Random stories, checked step by step against a model that scans all connections.
@Suite("Random walks of the table of connections") struct ConnectionTableWalkTests {
    @Test("Whoever the table has make way is who the model says", arguments: 0..<40)
    func walk(_ number: Int) {
        let seed = TestSeed.current &+ UInt64(number)
        let walker = ConnectionTableWalker.story(seed: seed, steps: 1_000) { Issue.record("\($0)") }
        #expect(!walker.violations.isEmpty || walker.madeWay > 50, "seed \(seed): the story never got anywhere")
    }
}

private struct ConnectionTableWalker: RandomStory {
    private struct Connection {
        var group: AddressGroup
        var isProxy: Bool
        var phase = ConnectionTable.Phase.resting
        /// The step at which it entered its queue.
        var since: Int
        var isLeaving = false

        var kind: Int? {
            switch phase {
            case .resting: isProxy ? 1 : 0
            case .receiving: isProxy ? 3 : 2
            case .answering: nil
            }
        }
    }

    private struct Cell: Hashable {
        let group: AddressGroup
        let kind: Int
    }

    private var table: ConnectionTable
    private var generator: SeededGenerator
    private let maximum: Int
    private var clock = 0
    private var open: [ConnectionTable.Place: Connection] = [:]
    /// The last step that changed the number of connections of an address and kind.
    private var ranked: [Cell: Int] = [:]
    private(set) var last = ""
    private(set) var violations: [String] = []
    private(set) var madeWay = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        maximum = Int.random(in: 1...24, using: &generator)
        table = ConnectionTable(maximum: maximum)
    }

    mutating func step() {
        clock += 1
        let places = open.keys.sorted { $0.index < $1.index }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<45: begin()
        case 45..<75:
            guard let place = places.randomElement(using: &generator) else { return }
            let phase = [ConnectionTable.Phase.resting, .receiving, .answering].randomElement(using: &generator)
            change(place, phase ?? .resting)
        case 75..<80:
            guard let place = places.randomElement(using: &generator) else { return }
            readdress(place)
        case 80..<84:
            last = "makeWay"
            expect(table.makeWay(), expected: chosen())
        case 84..<88:
            last = "makeWay of an address"
            let group = group()
            expect(table.makeWay(of: group), expected: chosen(of: group))
        default:
            guard let place = places.randomElement(using: &generator) else { return }
            last = "closed \(place)"
            table.closed(place)
            remove(place)
            open[place] = nil
        }
        let held = open.values.count { !$0.isLeaving }
        if table.count != held { violations.append("the table has \(table.count), the model \(held)") }
        if held > maximum { violations.append("\(held) of \(maximum)") }
    }

    private mutating func group() -> AddressGroup {
        AddressGroup(IPAddress(bytes: [192, 0, 2, UInt8.random(in: 0..<5, using: &generator)]))
    }

    private mutating func begin() {
        let isFull = open.values.count { !$0.isLeaving } >= maximum
        let expected = isFull ? chosen() : nil
        let (group, isProxy) = (group(), Int.random(in: 0..<5, using: &generator) == 0)
        last = "opened, full: \(isFull)"
        switch table.opened(group, isProxy: isProxy) {
        case .refused:
            if !isFull || expected != nil { violations.append("refused, though \(String(describing: expected))") }
        case .accepted(let place, let leaving):
            if isFull { expect(leaving, expected: expected) } else if leaving != nil { violations.append("hasty") }
            if isFull, leaving == nil { violations.append("too many") }
            if open[place] != nil { violations.append("the place is taken") }
            open[place] = Connection(group: group, isProxy: isProxy, since: clock)
            noteRank(place)
        }
    }

    private mutating func change(_ place: ConnectionTable.Place, _ phase: ConnectionTable.Phase) {
        last = "changed \(place) to \(phase)"
        table.changed(place, to: phase)
        move(place) { $0.phase = phase }
    }

    private mutating func readdress(_ place: ConnectionTable.Place) {
        let (group, isProxy) = (group(), Bool.random(using: &generator))
        last = "readdressed \(place)"
        table.readdressed(place, group, isProxy: isProxy)
        move(place) {
            $0.group = group
            $0.isProxy = isProxy
            $0.phase = .resting
        }
    }

    private mutating func move(_ place: ConnectionTable.Place, _ change: (inout Connection) -> Void) {
        guard var connection = open[place], !connection.isLeaving else { return }
        remove(place)
        clock += 1
        change(&connection)
        connection.since = clock
        open[place] = connection
        noteRank(place)
    }

    private mutating func remove(_ place: ConnectionTable.Place) {
        guard open[place]?.isLeaving == false else { return }
        noteRank(place)
    }

    private mutating func noteRank(_ place: ConnectionTable.Place) {
        guard let connection = open[place], let kind = connection.kind else { return }
        ranked[Cell(group: connection.group, kind: kind)] = clock
    }

    private mutating func expect(_ place: ConnectionTable.Place?, expected: ConnectionTable.Place?) {
        if place != expected {
            violations.append("\(String(describing: place)) makes way, not \(String(describing: expected))")
        }
        guard let place else { return }
        madeWay += 1
        remove(place)
        clock += 1
        open[place]?.isLeaving = true
    }

    /// The connection of an address that has rested for longest.
    private func chosen(of group: AddressGroup) -> ConnectionTable.Place? {
        open.filter { !$0.value.isLeaving && $0.value.kind == 0 && $0.value.group == group }
            .min { $0.value.since < $1.value.since }?.key
    }

    /// The next connection to evict.
    private func chosen() -> ConnectionTable.Place? {
        let able = open.filter { !$0.value.isLeaving && $0.value.kind != nil }
        guard let kind = able.compactMap(\.value.kind).min() else { return nil }
        let byGroup = Dictionary(grouping: able.filter { $0.value.kind == kind }) { $0.value.group }
        let most = byGroup.values.map(\.count).max()
        let group = byGroup.filter { $0.value.count == most }.keys.min {
            ranked[Cell(group: $0, kind: kind), default: 0] < ranked[Cell(group: $1, kind: kind), default: 0]
        }
        return group.flatMap { byGroup[$0] }?.min { $0.value.since < $1.value.since }?.key
    }
}
