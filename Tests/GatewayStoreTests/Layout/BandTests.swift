import Delivery
import LiveActivity
import RosterCore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Bands of slots")
struct BandTests {
    private static let kinds = [RouteKind.apns, .apnsSandbox, .fcm, RouteKind(rawValue: 63)]

    /// Slots of a band: the first two, the last one, and the edges of pages and partitions.
    private static func slots(of kind: RouteKind) -> [UInt32] {
        [0, 1, 867, 868, 55_551, 55_552, StoredRoster.maximumSlots - 1].map {
            RosterGeometry.firstSlot(of: kind) + UInt32($0)
        }
    }

    @Test("A slot tells its kind of route, and so do its page and partition; no two bands share one")
    func geometry() {
        for kind in Self.kinds {
            for slot in Self.slots(of: kind) {
                let (page, index) = (RosterGeometry.page(ofSlot: slot), RosterGeometry.index(ofSlot: slot))
                #expect(RosterGeometry.slot(page: page, index: index) == slot)
                #expect(RosterGeometry.kind(ofSlot: slot) == kind && RosterGeometry.kind(ofPage: page) == kind)
                #expect(RosterGeometry.kind(ofPartition: RosterGeometry.partition(ofSlot: slot)) == kind)
                #expect(RosterGeometry.pages.contains(page))
            }
            let first = RosterGeometry.firstSlot(of: kind)
            #expect(first % UInt32(RosterGeometry.slotsPerPartition) == 0)
            #expect(first == 0 || RosterGeometry.kind(ofSlot: first - 1) != kind)
        }
        #expect(RosterGeometry.firstSlot(of: .apns) == 0)
        #expect(StoredRoster.maximumSlots < RosterGeometry.slotsPerBand)
        #expect(RosterGeometry.partition(ofSlot: RosterGeometry.firstSlot(of: .apnsSandbox)) == 1024)
        // Damaged numbers beyond all bands do not trap.
        #expect(RosterGeometry.kind(ofPartition: .max).rawValue == .max)
        #expect(RosterGeometry.kind(ofSlot: .max).rawValue == 75)
    }

    @Test("A device goes to the band of its environment, an Android device to its own")
    func devices() {
        var device = StoreStage.device()
        #expect(RouteKind(device) == .apns)
        device.environment = .sandbox
        #expect(RouteKind(device) == .apnsSandbox)
        device.platform = .android
        #expect(RouteKind(device) == .fcm)
        device.environment = .production
        #expect(RouteKind(device) == .fcm)
    }

    @Test("What names slots names those of every band: memberships, lists, ranges, cursors and outbox entries")
    func records() throws {
        let all = Self.kinds.flatMap(Self.slots)
        var membership = Membership(expiresAt: WallTime(seconds: 1_795_000_000))
        for (device, slot) in all.enumerated() { membership.add(device: UInt32(device), slot: slot) }
        let read = try #require(Membership(membership.bytes))
        for (device, slot) in all.enumerated() { #expect(read.slot(device: UInt32(device)) == slot) }
        #expect(SlotList.decode(SlotList.encode(all)) == all)
        let ranges = SlotRanges(SlotRanges(all.map { $0..<($0 + 1) }.reversed()).bytes)
        #expect(ranges.count == all.count && ranges.pages == SlotList.pages(all))
        #expect(RosterGeometry.kinds(ofPages: ranges.pages) == Self.kinds)
        for slot in all {
            #expect(DeviceCursor(DeviceCursor(slot: slot).text)?.slot == slot)
            var outcome = PageOutcome(page: RosterGeometry.page(ofSlot: slot))
            outcome.accepted = [UInt16(RosterGeometry.index(ofSlot: slot))]
            let entry = try #require(OutboxEntry(outcome, owner: "a.1"))
            #expect(OutboxEntry(field: entry.field, outcomes: entry.outcomes) == entry)
        }
        #expect(OutboxEntry(field: "e:\(RosterGeometry.pages.upperBound):a", outcomes: [1]) == nil)
    }

    @Test(
        "A job's part comes back as it was spelled, and tells its kind of route",
        arguments: [
            ("0", 0), ("17", 0), ("1023", 0), ("1024", 1), ("1041", 1), ("*", 0), ("*1", 1), ("*63", 63), ("s5", 0),
            ("s56885247", 0), ("s56885248", 1),
        ])
    func parts(_ text: String, _ kind: UInt8) throws {
        let part = try #require(JobTicket.Part(text))
        #expect(part.description == text && part.routeKind.rawValue == kind)
        #expect(part.isSingle == (text.first == "s"))
    }

    @Test("What is no part of a broadcast is none", arguments: ["", "-1", "*x", "*256", "**", "s", "s-1", "c5", "p"])
    func noParts(_ text: String) {
        #expect(JobTicket.Part(text) == nil)
    }

    @Test("The parts of a broadcast share out its pages, each to one")
    func shares() throws {
        let activity = Activity(
            id: .random(), tenantID: "t", type: "T", createdAt: WallTime(seconds: 1), endsAt: WallTime(seconds: 2))
        let slots = Self.kinds[..<3].flatMap(Self.slots)
        let list = BroadcastOrder(targeting: slots, kind: .update, activity: activity)
        let lists = Self.kinds[..<3].map { JobTicket.Part.list($0) }
        #expect(lists.flatMap { list.pages(of: $0) } == SlotList.pages(slots))
        #expect(
            lists.flatMap { list.partitions(of: $0) } == list.partitions && list.routeKinds == Array(Self.kinds[..<3]))
        for part in lists {
            #expect(list.pages(of: part).allSatisfy { RosterGeometry.kind(ofPage: $0) == part.routeKind })
        }
        #expect(list.pages(of: .list(Self.kinds[3])).isEmpty)
        let whole = BroadcastOrder(
            wholeSegment: SlotRanges(slots.map { $0..<($0 + 1) }), kind: .update, activity: activity)
        let partitions = whole.partitions.map { JobTicket.Part.partition($0) }
        #expect(partitions.flatMap { whole.pages(of: $0) } == SlotList.pages(slots))
        #expect(partitions.flatMap { whole.partitions(of: $0) } == whole.partitions)
    }

    @Test("Slots of a band are given out one after the other, and whole pages are told from the rest")
    func sizes() {
        var random = TestSeed.generator()
        var bands = BandSizes()
        var model: [RouteKind: [UInt32]] = [:]
        for _ in 0..<6000 {
            let kind = Self.kinds.randomElement(using: &random) ?? .apns
            model[kind, default: []].append(bands.take(kind))
        }
        for kind in Self.kinds {
            let slots = model[kind] ?? []
            #expect(slots == (0..<UInt32(slots.count)).map { RosterGeometry.firstSlot(of: kind) + $0 })
            #expect(bands[kind] == slots.count && slots.allSatisfy(bands.contains))
            #expect(!bands.contains(RosterGeometry.firstSlot(of: kind) + UInt32(slots.count)))
            #expect(bands.wholePages[kind] == slots.count / RosterGeometry.slotsPerPage * RosterGeometry.slotsPerPage)
        }
        #expect(bands.slots.count == 6000 && bands.slots.ranges.count == Self.kinds.count)
        #expect(bands.largest == model.values.map(\.count).max())
        #expect(BandSizes().slots.ranges.isEmpty && BandSizes().largest == 0)
        #expect(BandSizes.field(.apns) == "reserved" && BandSizes.field(.apnsSandbox) == "reserved:1")
    }
}
