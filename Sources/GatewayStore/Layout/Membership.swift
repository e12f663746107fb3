import TimeCore

/// Which slots a user's devices have in one activity, kept in the user's hash: when the activity is over at the latest
/// (4 bytes of epoch seconds), then for each device a hash of its udid (8 bytes) and its slot (4 bytes).
struct Membership: Equatable {
    let expiresAt: WallTime
    private(set) var slots: [(udidHash: UInt64, slot: UInt32)]

    init(expiresAt: WallTime, devices: [(udid: String, slot: UInt32)] = []) {
        self.expiresAt = expiresAt
        slots = devices.map { (Membership.hash($0.udid), $0.slot) }
    }

    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let expiry = reader.integer(UInt32.self) else { return nil }
        expiresAt = WallTime(seconds: Int64(expiry))
        slots = []
        while !reader.isAtEnd {
            guard let hash = reader.integer(UInt64.self), let slot = reader.integer(UInt32.self) else { return nil }
            slots.append((hash, slot))
        }
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: expiresAt.seconds, bytes: 4)
        for entry in slots {
            bytes.append(littleEndian: entry.udidHash, bytes: 8)
            bytes.append(littleEndian: entry.slot, bytes: 4)
        }
        return bytes
    }

    func slot(udid: String) -> UInt32? {
        let hash = Membership.hash(udid)
        return slots.first { $0.udidHash == hash }?.slot
    }

    /// Gives the device this slot, in place of one that it had.
    mutating func add(udid: String, slot: UInt32) {
        let hash = Membership.hash(udid)
        slots.removeAll { $0.udidHash == hash }
        slots.append((Membership.hash(udid), slot))
    }

    static func == (left: Membership, right: Membership) -> Bool { left.bytes == right.bytes }

    /// FNV-1a with 64 bits: it tells apart the few devices of one user, and who could make two of them collide would
    /// only confuse his own.
    private static func hash(_ udid: String) -> UInt64 {
        udid.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
