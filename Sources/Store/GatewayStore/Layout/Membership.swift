import Encodings
import TimeCore

/// The slots of a user's devices in one activity, as a value in the user's hash. It holds the expiry (2 bytes, days
/// since the epoch), then each device's number (`DeviceRecord`) and slot, both as `Varint`.
struct Membership: Equatable {
    /// The first midnight (UTC) at which no data of the activity is left.
    let expiresAt: WallTime
    private(set) var slots: [(device: UInt32, slot: UInt32)] = []

    private static let day: Int64 = 86_400
    /// The length of the expiry in bytes.
    private static let timeLength = 2

    /// - Parameter expiresAt: The time until which any data of the activity is kept. It is rounded up to midnight.
    init(expiresAt: WallTime) {
        let days = (expiresAt.milliseconds + Membership.day * 1000 - 1) / (Membership.day * 1000)
        self.expiresAt = WallTime(seconds: Int64(UInt16(clamping: days)) * Membership.day)
    }

    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let days = reader.integer(UInt16.self) else { return nil }
        expiresAt = WallTime(seconds: Int64(days) * Membership.day)
        while !reader.isAtEnd {
            guard let device = reader.varint(), let slot = reader.varint() else { return nil }
            slots.append((device, slot))
        }
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: expiresAt.seconds / Membership.day, bytes: Membership.timeLength)
        for entry in slots {
            Varint.append(entry.device, to: &bytes)
            Varint.append(entry.slot, to: &bytes)
        }
        return bytes
    }

    /// Returns the slot of a device without copying the bytes; nil if it has none, or if the bytes are damaged.
    static func slot(device number: UInt32, in bytes: UnsafeRawBufferPointer) -> UInt32? {
        guard bytes.count >= timeLength else { return nil }
        var rest = bytes.dropFirst(timeLength)
        var found: UInt32?
        while !rest.isEmpty {
            guard let device = Varint.decode({ rest.popFirst() }), let slot = Varint.decode({ rest.popFirst() }) else {
                return nil
            }
            if device == number, found == nil { found = slot }
        }
        return found
    }

    func slot(device: UInt32) -> UInt32? {
        slots.first { $0.device == device }?.slot
    }

    /// Gives the device this slot in place of a former one.
    mutating func add(device: UInt32, slot: UInt32) {
        slots.removeAll { $0.device == device }
        slots.append((device, slot))
    }

    static func == (left: Membership, right: Membership) -> Bool { left.bytes == right.bytes }
}
