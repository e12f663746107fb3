import Encodings
import LiveActivity
import RosterCore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Stored records")
struct CodecTests {
    private static func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        let letters = ["a", "Z", "0", "-", "é", "😀", " ", "\n", "\""]
        return (0..<Int.random(in: 0...40, using: &generator)).map { _ in
            letters.randomElement(using: &generator) ?? ""
        }.joined()
    }

    @Test("A page of tokens gives every cell back, whatever their lengths")
    func tokenPage() {
        let seed = TestSeed.current
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let contents = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                Self.bytes([0, 1, 32, 80, 200, 204].randomElement(using: &generator) ?? 0, &generator)
            }
            let reasons = contents.map { _ in SkipReason.allCases.randomElement(using: &generator) }
            let page = TokenPage(
                TokenPage.encode(
                    zip(contents, reasons).map {
                        $0.isEmpty ? TokenPage.cell(reason: $1) : TokenPage.cell(content: $0)
                    }))
            for (index, content) in contents.enumerated() {
                switch page.cell(index) {
                case .content(let range): #expect(Array(page.bytes[range]) == content, "seed \(seed)")
                case .none(let reason): #expect(content.isEmpty && reason == reasons[index], "seed \(seed)")
                }
            }
            #expect(page.cell(contents.count) == .none(nil))
        }
    }

    @Test(
        "Update tokens keep token and time, and the time saturates",
        arguments: [
            (0, 0), (12_345, 12_345), (-5, 0), (Int64(UInt32.max) + 9, Int64(UInt32.max)),
        ])
    func updateToken(milliseconds: Int64, stored: Int64) {
        let cell = UpdateToken.cell([1, 2, 3], reportedAfter: milliseconds)
        let content = cell.dropFirst()
        #expect(Int(cell[0]) == content.count)
        let time = content.prefix(4).reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        #expect(time == stored && UpdateToken.token(in: 10..<(10 + content.count)) == 14..<17)
        #expect(UpdateToken.token(in: 0..<4) == nil)
    }

    @Test("Devices come back as they were")
    func deviceRecord() {
        let seed = TestSeed.current
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let version = Self.text(&generator)
            let device = Device(
                platform: Bool.random(using: &generator) ? .ios : .android,
                osVersion: OSVersion(
                    major: .random(in: 0 ... .max, using: &generator), minor: .random(in: 0 ... .max, using: &generator)
                ),
                appVersion: version.isEmpty ? nil : version, pushOptIn: Bool.random(using: &generator),
                gdprConsent: Bool.random(using: &generator), frequentPushes: Bool.random(using: &generator),
                environment: Bool.random(using: &generator) ? .sandbox : .production)
            let number =
                UInt32.random(in: 0 ... .max, using: &generator) >> UInt32.random(in: 0..<32, using: &generator)
            let value = DeviceRecord.stored(device, number: number)
            #expect(DeviceRecord.decode(value) == device && DeviceRecord.number(value) == number, "seed \(seed)")
            // The value of a device that has reported only a token.
            #expect(DeviceRecord.decode(Varint.encode(number)) == nil)
            #expect(DeviceRecord.number(Varint.encode(number)) == number)
        }
    }

    @Test("Names come back in their own spelling, and no two have the same bytes")
    func packedName() {
        let seed = TestSeed.current
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let id = UniqueID.random(using: &generator).description
            let names = [
                id, id.uppercased(), id.prefix(20).uppercased() + id.dropFirst(20) + "A", id + "0",
                Self.text(&generator),
                id.prefix(9) + "ABcd" + id.dropFirst(13), "", String(repeating: "é", count: 125),
                "00000000-0000-0000-0000-000000000000",
            ].map { String($0) }
            var packed: Set<[UInt8]> = []
            for name in names {
                var bytes: [UInt8] = [7]
                PackedName.append(name, to: &bytes)
                #expect(PackedName.decode(bytes.dropFirst()) == name, "seed \(seed)")
                packed.insert(bytes)
            }
            #expect(packed.count == Set(names).count, "seed \(seed)")
        }
        var bytes: [UInt8] = []
        PackedName.append("0F000000-0000-0000-0000-000000000000", to: &bytes)
        #expect(bytes.count == 17)
    }

    @Test("Numbers come back, each from the only spelling that it has")
    func varint() {
        for number in [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, .max - 1, .max] as [UInt32] {
            var reader = ByteReader(Varint.encode(number) + [9])
            #expect(reader.varint() == number && reader.byte() == 9)
        }
        #expect(Varint.encode(127).count == 1 && Varint.encode(16_383).count == 2 && Varint.encode(.max).count == 5)
        let wrong: [[UInt8]] = [
            [], [128], [128, 0], [255, 128, 0], [255, 255, 255, 255, 16], [128, 128, 128, 128, 128, 1],
        ]
        for bytes in wrong {
            var reader = ByteReader(bytes)
            #expect(reader.varint() == nil, "\(bytes)")
        }
    }

    @Test("Runs of identities come back in order, however much one shares with the next")
    func identityRun() {
        let seed = TestSeed.current
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        var entries: [IdentityRun.Entry] = []
        var run = IdentityRun()
        for number in 0..<500 {
            let last = entries.last?.insiderID ?? ""
            let names = [
                Self.text(&generator), last, last + "x", String(last.dropLast()), String(repeating: "é", count: 125),
                "user-\(number)", UniqueID.random(using: &generator).description,
                UniqueID.random(using: &generator).description.uppercased(),
            ].filter { $0.utf8.count <= 250 }
            let entry = IdentityRun.Entry(
                insiderID: names.randomElement(using: &generator) ?? "",
                device: UInt32.random(in: 0 ... .max, using: &generator))
            entries.append(entry)
            run.append(insiderID: entry.insiderID, device: entry.device)
        }
        #expect(IdentityRun.decode(run.bytes) == entries, "seed \(seed)")
        #expect(IdentityRun.decode(Array(run.bytes.dropLast())).count == 499, "seed \(seed)")
        var small = IdentityRun()
        for number in 1_000_000..<1_000_100 { small.append(insiderID: "user-\(number)", device: 1) }
        #expect(small.bytes.count < 100 * 5 + 20)
    }

    @Test("Memberships come back, and tell a user's devices apart")
    func membership() {
        let seed = TestSeed.current
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let devices = (0..<Int.random(in: 0...6, using: &generator)).map { number in
                (number: UInt32(number * 100), slot: UInt32.random(in: 0 ... .max, using: &generator))
            }
            let expiry = WallTime(milliseconds: .random(in: 0...Int64(UInt32.max) * 1000, using: &generator))
            var membership = Membership(expiresAt: expiry)
            for device in devices { membership.add(device: device.number, slot: 77) }
            for device in devices { membership.add(device: device.number, slot: device.slot) }
            membership.add(device: 9999, slot: 9)
            let read = Membership(membership.bytes)
            #expect(read == membership && read?.expiresAt == membership.expiresAt, "seed \(seed)")
            #expect(membership.slots.count == devices.count + 1, "seed \(seed)")
            // Never forgotten too early, nor kept for a day too long.
            #expect(membership.expiresAt >= expiry && membership.expiresAt < expiry + .seconds(86_400))
            for device in devices {
                #expect(read?.slot(device: device.number) == device.slot, "seed \(seed)")
                let slot = membership.bytes.withUnsafeBytes { Membership.slot(device: device.number, in: $0) }
                #expect(slot == device.slot, "seed \(seed)")
            }
            #expect(read?.slot(device: 9999) == 9 && read?.slot(device: 1) == nil)
        }
    }

    @Test("Ranges of slots come back sorted, and are cut into pages without loss")
    func slotRanges() {
        let seed = TestSeed.current
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var ranges: [Range<UInt32>] = []
            var next: UInt32 = 0
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                let first = next + UInt32.random(in: 0...2000, using: &generator)
                next = first + UInt32.random(in: 1...3000, using: &generator)
                ranges.append(first..<next)
            }
            let slots = SlotRanges(SlotRanges(ranges.shuffled(using: &generator)).bytes)
            #expect(slots.ranges == ranges, "seed \(seed)")
            let cut = slots.pages.flatMap { page in
                slots.indexes(inPage: page).joined().map { RosterGeometry.slot(page: page, index: $0) }
            }
            #expect(cut == ranges.flatMap { Array($0) } && slots.count == cut.count, "seed \(seed)")
            #expect(slots.pages == Array(Set(slots.pages)).sorted(), "seed \(seed)")
        }
    }

    @Test(
        "A user's hash gives devices, tokens, memberships and Live Activities; a token for the type goes before one for any"
    )
    func userRecord() throws {
        let (first, second) = (UniqueID(high: 1, low: 2), UniqueID(high: 3, low: 4))
        let now = WallTime(milliseconds: 1_795_000_000_123)
        var membership = Membership(expiresAt: now)
        membership.add(device: 1, slot: 7)
        let user = try #require(
            UserRecord([
                (UserRecord.deviceField("b"), DeviceRecord.stored(StoreStage.device("17.0"), number: 2)),
                (UserRecord.deviceField("a"), DeviceRecord.stored(StoreStage.device())),
                (UserRecord.deviceField("onlyToken"), [4]),
                (UserRecord.tokenField(device: 1, ""), UserRecord.encodeToken([1], reportedAt: now)),
                (UserRecord.tokenField(device: 1, "T"), UserRecord.encodeToken([2, 3], reportedAt: now)),
                (UserRecord.membershipField(first), membership.bytes),
                (
                    UserRecord.systemActivityField("S"),
                    LiveActivityName(activity: second, udid: "a", namedAt: now).bytes
                ),
                (Array("v".utf8), Array("12".utf8)), (Array("?".utf8), [0]), ([], [1]),
            ]))
        #expect(user.devices.map(\.udid) == ["a", "b"] && user.device("c") == nil && user.device("onlyToken") == nil)
        #expect(user.pushToStartToken(udid: "a", type: "T")?.token == [2, 3])
        #expect(user.pushToStartToken(udid: "a", type: "U")?.token == [1])
        #expect(user.pushToStartToken(udid: "a", type: "U")?.reportedAt == now)
        #expect(user.pushToStartToken(udid: "b", type: "T") == nil)
        #expect(user.membership(in: first)?.slot(device: 1) == 7 && user.membership(in: second) == nil)
        #expect(user.places("a", now: now).map(\.slot) == [7] && user.places("b", now: now).isEmpty)
        #expect(user.places("c", now: now).isEmpty && user.places("a", now: now + .seconds(86_400)).isEmpty)
        #expect(user.outdatedFields(now: now).count == 1 && user.version == Array("12".utf8))
        #expect(user.outdatedFields(now: now + .seconds(86_400)).count == 2)
        #expect(UserRecord([]) == nil)
    }
}
