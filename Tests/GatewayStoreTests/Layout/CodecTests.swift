import LiveActivity
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
        let seed = UInt64.random(in: 0 ... .max)
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
        let content = UpdateToken.encode([1, 2, 3], reportedAfter: milliseconds)
        let time = content.prefix(4).reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        #expect(time == stored && UpdateToken.token(in: 10..<(10 + content.count)) == 14..<17)
        #expect(UpdateToken.token(in: 0..<4) == nil)
    }

    @Test("Devices come back as they were")
    func deviceRecord() {
        let seed = UInt64.random(in: 0 ... .max)
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
            #expect(DeviceRecord.decode(DeviceRecord.encode(device)) == device, "seed \(seed)")
        }
    }

    @Test("Runs of identities come back in order, with the spelling of every udid")
    func identityRun() {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        var keys: [DeviceKey] = []
        var run: [UInt8] = []
        for number in 0..<500 {
            let id = UniqueID.random(using: &generator).description
            let mixed = id.prefix(20).uppercased() + id.dropFirst(20)
            let udids = [
                id, id.uppercased(), mixed, Self.text(&generator), "", String(repeating: "x", count: 250),
                "00000000-0000-0000-0000-000000000000",
            ]
            let insiderID = number % 50 == 0 ? String(repeating: "é", count: 125) : Self.text(&generator)
            keys.append(DeviceKey(insiderID: insiderID, udid: udids.randomElement(using: &generator) ?? ""))
            IdentityRun.append(keys[number], to: &run)
        }
        #expect(IdentityRun.decode(run) == keys, "seed \(seed)")
        #expect(IdentityRun.decode(Array(run.dropLast())).count == 499, "seed \(seed)")
        var packed: [UInt8] = []
        IdentityRun.append(DeviceKey(insiderID: "a", udid: UniqueID.random(using: &generator).description), to: &packed)
        #expect(packed.count == 2 + 17)
    }

    @Test("Memberships come back, and tell a user's devices apart")
    func membership() {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let devices = (0..<Int.random(in: 0...6, using: &generator)).map {
                (udid: "\($0)-\(Self.text(&generator))", slot: UInt32.random(in: 0 ... .max, using: &generator))
            }
            let expiry = WallTime(seconds: .random(in: 0...Int64(UInt32.max), using: &generator))
            var membership = Membership(expiresAt: expiry, devices: devices)
            membership.add(udid: "added", slot: 9)
            let read = Membership(membership.bytes)
            #expect(read == membership && read?.expiresAt == expiry, "seed \(seed)")
            for device in devices { #expect(read?.slot(udid: device.udid) == device.slot, "seed \(seed)") }
            #expect(read?.slot(udid: "added") == 9 && read?.slot(udid: "nobody") == nil)
        }
    }

    @Test("Ranges of slots come back sorted, and are cut into pages without loss")
    func slotRanges() {
        let seed = UInt64.random(in: 0 ... .max)
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

    @Test("A user's hash gives devices, tokens, memberships and cards; a token for the type goes before one for any")
    func userRecord() throws {
        let (first, second) = (UniqueID(high: 1, low: 2), UniqueID(high: 3, low: 4))
        let now = WallTime(milliseconds: 1_795_000_000_123)
        let user = try #require(
            UserRecord([
                (UserRecord.deviceField("b"), DeviceRecord.encode(StoreStage.device("17.0"))),
                (UserRecord.deviceField("a"), DeviceRecord.encode(StoreStage.device())),
                (UserRecord.tokenField("a", ""), UserRecord.encodeToken([1], reportedAt: now)),
                (UserRecord.tokenField("a", "T"), UserRecord.encodeToken([2, 3], reportedAt: now)),
                (UserRecord.membershipField(first), Membership(expiresAt: now, devices: [("a", 7)]).bytes),
                (UserRecord.systemActivityField("S"), second.bytes + Array("a".utf8)),
                (Array("v".utf8), Array("12".utf8)), (Array("?".utf8), [0]), ([], [1]),
            ]))
        #expect(user.devices.map(\.udid) == ["a", "b"] && user.device("c") == nil)
        #expect(user.pushToStartToken(udid: "a", type: "T")?.token == [2, 3])
        #expect(user.pushToStartToken(udid: "a", type: "U")?.token == [1])
        #expect(user.pushToStartToken(udid: "a", type: "U")?.reportedAt == now)
        #expect(user.pushToStartToken(udid: "b", type: "T") == nil)
        #expect(user.membership(in: first)?.slot(udid: "a") == 7 && user.membership(in: second) == nil)
        #expect(user.outdatedFields(now: now).count == 2 && user.version == Array("12".utf8))
        #expect(UserRecord([]) == nil)
    }
}
