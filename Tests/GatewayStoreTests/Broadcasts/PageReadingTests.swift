import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TestStore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Reading pages")
struct PageReadingTests {
    /// The expected devices and skipped devices of page 0, computed slot by slot.
    private func model(_ bytes: [UInt8], _ statuses: [UInt8], _ order: BroadcastOrder) -> (
        devices: [Int: Range<Int>], skipped: SkipCounts
    ) {
        var (devices, skipped): ([Int: Range<Int>], SkipCounts) = ([:], SkipCounts())
        let page = TokenPage(bytes)
        for index in order.indexes(inPage: 0).joined() {
            let status = index < statuses.count ? statuses[index] : 0
            if status == 0 || status == 2 { continue }
            // A start is not sent again to a device with an outcome.
            if order.kind == .start, (3...5).contains(status) { continue }
            if DeliveryStatus.endReason(status) != nil {
                skipped[.ended] += 1
            } else if case .content(let range) = page.cell(index) {
                if order.kind == .start {
                    devices[index] = range
                } else if let token = UpdateToken.token(in: range) {
                    devices[index] = token
                } else {
                    skipped[.notSynced] += 1
                }
            } else if case .none(let reason) = page.cell(index) {
                skipped[reason ?? (order.kind == .start ? .noPushToStartToken : .notSynced)] += 1
            }
        }
        return (devices, skipped)
    }

    @Test(
        "A page gives each slot the place that its cell and its delivery status say, also when either is damaged or short"
    )
    func places() {
        let seed = TestSeed.current
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        let activity = Activity(
            id: .random(), tenantID: "", type: "", createdAt: WallTime(seconds: 0), endsAt: WallTime(seconds: 0))
        for _ in 0..<3000 {
            let width = [0, 1, 2, 3, 8, 37].randomElement(using: &generator) ?? 0
            let cells = Int.random(in: 0...20, using: &generator)
            var bytes = width == 0 ? [] : [UInt8(width)]
            for _ in 0..<cells where width > 0 {
                let length = UInt8.random(in: 0...UInt8(width), using: &generator)
                bytes += [length] + (1..<width).map { _ in UInt8.random(in: 0...12, using: &generator) }
            }
            if Bool.random(using: &generator) { bytes = bytes.dropLast(Int.random(in: 0...5, using: &generator)) }
            let statuses = (0..<Int.random(in: 0...25, using: &generator)).map { _ in
                [0, 1, 1, 1, 2, 3, 3, 3, 4, 5, 16, 17, 20, 99, 255].randomElement(using: &generator) ?? 0 as UInt8
            }
            let kind: PushEvent = Bool.random(using: &generator) ? .start : .update
            let first = UInt32.random(in: 0...5, using: &generator)
            let slots = SlotRanges([first..<(first + 4), (first + 6)..<(first + 20)])
            let order =
                Bool.random(using: &generator)
                ? BroadcastOrder(wholeSegment: slots, kind: kind, activity: activity)
                : BroadcastOrder(targeting: [first, first + 3, first + 9, 5000], kind: kind, activity: activity)
            let page = PageOfDevices(0, of: order, bytes, statuses)
            let expected = model(bytes, statuses, order)
            let found = Dictionary(uniqueKeysWithValues: page.devices.map { ($0.index, $0.token) })
            #expect(found == expected.devices, "seed \(seed)")
            #expect(page.skipped == expected.skipped, "seed \(seed)")
        }
    }

    @Test("Targets are read alike one by one and with the whole page", arguments: [1, 16, 17, 64, 65, 400])
    func cellsAndPages(count: Int) async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<900)
            let registered = try await stage.register(0..<900)
            let activity = registered.activity
            _ = try await stage.store.activities.removeUsers(StoreStage.ids(200..<210), from: activity.id)
            for user in 210..<220 {
                try await stage.store.devices.putDevice(
                    StoreStage.device(optIn: false), StoreStage.key(user), tenantID: stage.tenant)
            }
            _ = try #require(try await stage.begin(.start, registered))
            for user in stride(from: 0, to: 900, by: 3) { _ = try await stage.sync(user, .id(activity.id, type: nil)) }
            for user in 300..<310 {
                _ = try await stage.store.reports.dismiss(
                    StoreStage.key(user), reference: .id(activity.id, type: nil), tenantID: stage.tenant)
            }
            var random = TestSeed.generator()
            for kind in [PushEvent.start, .update] {
                for _ in 0..<5 {
                    let slots = (0..<900).map { UInt32($0) }.shuffled(using: &random).prefix(count).sorted()
                    let few = BroadcastOrder(targeting: slots, kind: kind, activity: activity)
                    for page in few.pages {
                        let expected = PageOfDevices(
                            page, of: few, try await stage.stored(kind.tokens.content, activity.id, page),
                            try await stage.stored(.statuses, activity.id, page))
                        let read = try await stage.page(page, few)
                        #expect(read.tokens == expected.tokens, "\(slots)")
                        #expect(read.skipped == expected.skipped, "\(slots)")
                        #expect(read.devices.map(\.index) == expected.devices.map(\.index))
                    }
                }
            }
        }
    }

    @Test("A server that has forgotten its scripts gives all cells nevertheless")
    func forgottenScripts() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<900)
            let record = try await stage.register(0..<900)
            let order = BroadcastOrder(targeting: [3, 870], kind: .start, activity: record.activity)
            for page in order.pages {
                _ = try await stage.store.value(RedisCommand("SCRIPT", "FLUSH"))
                #expect(try await stage.page(page, order).devices.count == 1)
            }
        }
    }

    @Test(
        "Reading a page for a few devices moves only what they need",
        .disabled(if: StoreBackend.isCluster, "it counts the commands of one server; the run without a cluster has it"))
    func traffic() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2000)
            let record = try await stage.register(0..<2000)
            func sent() async throws -> Int {
                let text = try await stage.store.value(RedisCommand("INFO", "stats")).string ?? ""
                let name = "total_net_output_bytes:"
                let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(name) }
                return try #require(line.flatMap { Int($0.dropFirst(name.count)) })
            }
            let order = BroadcastOrder(targeting: [3, 700, 1900], kind: .start, activity: record.activity)
            let (first, second) = (try await sent(), try await sent())
            var tokens: [[UInt8]] = []
            for page in order.pages { tokens += try await stage.page(page, order).tokens.values }
            let expected: Set<[UInt8]> = Set([3, 700, 1900].map { StoreStage.token($0) })
            #expect(Set(tokens) == expected)
            let moved = try await sent() - second - (second - first)
            #expect(moved < 1000)
        }
    }

    private static func putStatuses() -> RedisScript {
        // The parts that a script includes stand in front of the line that names its keys.
        let parts = Scripts.finishPageScript.source.split(separator: "\n").prefix { !$0.contains("KEYS[") }
        let call = "put_statuses(open_pages({ KEYS[1] })[1], tonumber(ARGV[1]), ARGV[2])"
        return RedisScript(name: "put-statuses", source: parts.joined(separator: "\n") + "\n" + call)
    }

    @Test("Delivery statuses come out as the rules say for each slot, whatever was there and whatever comes")
    func statuses() async throws {
        let seed = TestSeed.current
        print("seed: \(seed)")
        try await StoreStage.run { stage in
            var generator = SeededGenerator(seed: seed)
            let putStatuses = Self.putStatuses()
            let all: [[UInt8]] = [[1], [1, 3, 4, 5], [0, 1, 2, 3, 4, 5, 17, 20]]
            for round in 0..<400 {
                let old = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                    all[round % 3].randomElement(using: &generator) ?? 0
                }
                let first = Int.random(in: 0...3, using: &generator)
                let kinds: [[UInt8]] = [[3], [3, 4, 5], [0, 3, 4, 5], [17], [0, 17]]
                let new = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                    kinds[round % 5].randomElement(using: &generator) ?? 0
                }
                var expected = old
                for (offset, status) in new.enumerated() where first + offset < old.count {
                    let present = old[first + offset]
                    let isEnd = status >= 16
                    let isOpen = present == 1 || isEnd && [3, 4, 5].contains(present)
                    if status != 0, isOpen { expected[first + offset] = status }
                }
                // A short page is a hash field, a long one a key.
                let place = PageKey(.statuses, UniqueID(high: 0, low: 0), round % 2)
                let isField = round % 4 < 2
                _ = try await stage.store.values([
                    isField
                        ? RedisCommand("HSET", place.counters, place.field, old) : RedisCommand("SET", place.key, old),
                    RedisCommand(script: putStatuses, keys: [place.key], arguments: [first, new]),
                ])
                let now = try await stage.store.value(
                    isField ? RedisCommand("HGET", place.counters, place.field) : RedisCommand("GET", place.key)
                ).bytes
                _ = try await stage.store.value(RedisCommand("DEL", place.key, place.counters))
                #expect(now == expected, "seed \(seed): \(old), \(first), \(new)")
            }
        }
    }
}
