import TestSupport
import Testing

@testable import HTTP2Core

@Suite("The table of streams")
struct StreamTableTests {
    @Test(
        "holds what a dictionary holds, with stragglers and in any order of removal", arguments: 0..<20 as Range<UInt64>
    )
    func walk(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = StreamTable()
        var model: [UInt32: UInt32] = [:]
        // Some tables begin near the end of all identifiers, so that places wrap around.
        var next: UInt32 = seed % 3 == 0 ? 0x7FFF_FFFF - 20_000 : 1
        let crowd = [5, 100, 700][Int(seed % 3)]
        // Streams that stay while the others come and go.
        var stragglers: Set<UInt32> = []
        for step in 0..<8_000 {
            if model.count < crowd, Int.random(in: 0..<5, using: &random) > 0 || model.isEmpty {
                let place = table.insert(StreamRecord(identifier: next, tag: next ^ 0xABCD))
                let record = table[place]
                #expect(record.identifier == next && record.status == 0 && !record.hasDetails)
                table[place].status = 7
                model[next] = next ^ 0xABCD
                if step % 50 == 0 { stragglers.insert(next) }
                next += 2
            } else if let victim = model.keys.filter({ !stragglers.contains($0) }).randomElement(using: &random),
                let place = table.find(victim)
            {
                let record = table[place]
                #expect(record.tag == model[victim] && record.status == 7)
                table.remove(at: place)
                model[victim] = nil
                expectNothing(table, victim)
            } else if let straggler = stragglers.popFirst(), let place = table.find(straggler) {
                table.remove(at: place)
                model[straggler] = nil
            }
            if step % 500 == 0 { compare(table, model) }
        }
        compare(table, model)
    }

    private func compare(_ table: borrowing StreamTable, _ model: [UInt32: UInt32]) {
        let count = table.count
        #expect(count == model.count)
        let all = table.identifiers { _ in true }
        #expect(all == model.keys.sorted())
        for (identifier, tag) in model {
            let found = table.find(identifier).map { table[$0].tag }
            #expect(found == tag)
        }
        let median = all.isEmpty ? 0 : all[all.count / 2]
        let upper = table.identifiers { $0 > median }
        #expect(upper == all.filter { $0 > median })
    }

    private func expectNothing(_ table: borrowing StreamTable, _ identifier: UInt32) {
        let place = table.find(identifier)
        #expect(place == nil, "stream \(identifier)")
    }

    @Test("finds nothing under identifiers that are no stream's, 0 among them")
    func strangers() {
        var table = StreamTable()
        for identifier in [0, 1, 2, 3, 513, .max] as [UInt32] { expectNothing(table, identifier) }
        let place = table.insert(StreamRecord(identifier: 1, tag: 9))
        for identifier in [0, 2, 3, 512, 513, 0x8000_0001, .max] as [UInt32] { expectNothing(table, identifier) }
        table.remove(at: place)
        for identifier in [0, 1, 513] as [UInt32] { expectNothing(table, identifier) }
    }

    @Test("keeps one that is older than a whole round of the others")
    func straggler() {
        var table = StreamTable()
        _ = table.insert(StreamRecord(identifier: 1, tag: 1))
        for identifier in stride(from: 3 as UInt32, through: 20_001, by: 2) {
            _ = table.insert(StreamRecord(identifier: identifier, tag: identifier))
            let tag = table.find(1).map { table[$0].tag }
            #expect(tag == 1)
            if let place = table.find(identifier) { table.remove(at: place) }
        }
        if let first = table.find(1) { table.remove(at: first) }
        expectNothing(table, 1)
        let count = table.count
        #expect(count == 0)
    }
}
