import Testing

@testable import HTTP2Core

@Suite("The table of header fields")
struct HeaderTableTests {
    private func field(_ name: String, _ value: String) -> HeaderField {
        HeaderField(name: Array(name.utf8), value: Array(value.utf8))
    }

    /// Returns a field that takes `size` bytes of a table.
    private func field(_ number: Int, size: Int) -> HeaderField {
        let name = "n\(number)"
        return field(name, String(repeating: "v", count: size - 32 - name.utf8.count))
    }

    @Test("counts 32 bytes for each field besides its name and value, and lets the oldest go")
    func eviction() {
        var table = HeaderTable()
        let fields = (0..<5).map { field($0, size: 1_024) }
        for index in 0..<4 { table.inserted(fields[index]) }
        #expect(fields[..<4].map { table.index(of: $0) } == [65, 64, 63, 62])
        table.inserted(fields[4])
        #expect(fields.map { table.index(of: $0) } == [nil, 65, 64, 63, 62])
        // One byte less evicts one more field.
        table.limitReceived(4 * 1_024 - 1)
        #expect(fields.map { table.index(of: $0) } == [nil, nil, 64, 63, 62])
        #expect(table.index(ofName: Array("n4".utf8)) == 62)
    }

    @Test("empties itself for a field that is larger than it, and does not keep that")
    func tooLarge() {
        var table = HeaderTable()
        let small = field(1, size: 100)
        table.inserted(small)
        table.inserted(field(2, size: 4_097))
        #expect(table.index(of: small) == nil && table.index(of: field(2, size: 4_097)) == nil)
        table.inserted(field(3, size: 4_096))
        #expect(table.index(of: field(3, size: 4_096)) == 62)
    }

    @Test("prefers the static table, and knows its indices")
    func staticTable() {
        let table = HeaderTable()
        #expect(table.index(of: field(":method", "POST")) == 3)
        #expect(table.index(of: field(":scheme", "https")) == 7)
        #expect(table.index(of: field(":method", "PUT")) == nil)
        let names = [":authority": 1, ":path": 4, "authorization": 23, "content-length": 28, "content-type": 31]
        for (name, index) in names { #expect(table.index(ofName: Array(name.utf8)) == index) }
        #expect(table.index(ofName: Array("user-agent".utf8)) == 58)
    }

    @Test(
        "tells the peer of the lowest size since the last block, then of the present one",
        arguments: [
            ([], []), ([4_096], []), ([8_192, 65_536], []), ([100], [100]), ([0, 4_096], [0, 4_096]),
            ([4_096, 0], [0]), ([0, 50, 20], [0, 20]), ([300, 100, 200], [100, 200]), ([200, 100], [100]),
            ([100, 9_000], [100, 4_096]), ([0, 4_096, 4_096], [0, 4_096]), ([50, 4_096, 10, 60], [10, 60]),
        ] as [([Int], [Int])])
    func updates(_ limits: [Int], _ expected: [Int]) {
        var table = HeaderTable()
        for limit in limits { table.limitReceived(limit) }
        #expect(table.pendingUpdates == expected)
        #expect(table.capacity == min(limits.last ?? 4_096, 4_096))
        table.updatesSent()
        #expect(table.pendingUpdates == [])
    }

    @Test("gets another version by each change")
    func version() {
        var table = HeaderTable()
        var versions: Set<UInt64> = [table.version]
        table.inserted(field("a", "b"))
        versions.insert(table.version)
        table.limitReceived(100)
        versions.insert(table.version)
        table.updatesSent()
        versions.insert(table.version)
        #expect(versions.count == 4)
        table.limitReceived(100)
        #expect(versions.contains(table.version))
    }
}
