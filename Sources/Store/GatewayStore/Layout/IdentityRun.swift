import Encodings

/// Who a run of consecutive slots belongs to: for each the insider_id and the number of the device among its user's
/// (see `DeviceRecord`). Of an insider_id (`PackedName`) only that is written in which it differs from the one before:
/// how many bytes they share from the start, how many follow, and these.
struct IdentityRun {
    struct Entry: Equatable {
        let insiderID: String
        let device: UInt32
    }

    /// Stands for whoever was erased: no insider_id has a zero byte.
    static let nobody = "\0"

    private(set) var bytes: [UInt8] = []
    private var last: [UInt8] = []
    /// The name that is being appended: kept, so that a run makes two arrays and not one for each name.
    private var name: [UInt8] = []

    mutating func append(insiderID: String, device: UInt32) {
        // Lengths go up to 250 (`DeviceKey.maximumLength`).
        name.removeAll(keepingCapacity: true)
        PackedName.append(insiderID, to: &name)
        name.removeLast(max(0, name.count - 255))
        var shared = 0
        while shared < min(name.count, last.count), name[shared] == last[shared] { shared += 1 }
        bytes.append(UInt8(shared))
        bytes.append(UInt8(name.count - shared))
        bytes += name[shared...]
        Varint.append(device, to: &bytes)
        swap(&name, &last)
    }

    /// Stops at the first damaged entry.
    static func decode(_ run: [UInt8]) -> [Entry] {
        var entries: [Entry] = []
        var reader = ByteReader(run)
        var name: [UInt8] = []
        while let shared = reader.byte(), Int(shared) <= name.count, let length = reader.byte(),
            let rest = reader.take(Int(length)), let device = reader.varint()
        {
            name.removeSubrange(Int(shared)...)
            name += rest
            entries.append(Entry(insiderID: PackedName.decode(name[...]), device: device))
        }
        return entries
    }

    /// A run of the same length without the names at some of its places; nil when one of them is damaged.
    static func erasing(_ places: [Int], in run: [UInt8]) -> [UInt8]? {
        let entries = decode(run)
        guard places.allSatisfy(entries.indices.contains) else { return nil }
        var erased = IdentityRun()
        for (place, entry) in entries.enumerated() {
            let isErased = places.contains(place)
            erased.append(
                insiderID: isErased ? nobody : entry.insiderID, device: isErased ? 0 : entry.device)
        }
        return erased.bytes
    }
}

/// Who the slots of a page are: runs by their first index.
struct IdentityPage {
    private let runs: [(first: Int, entries: [IdentityRun.Entry])]

    init(_ fields: [RedisField]) {
        runs = fields.compactMap { name, value in
            Int(String(decoding: name, as: UTF8.self)).map { ($0, IdentityRun.decode(value)) }
        }
    }

    func identity(_ index: Int) -> IdentityRun.Entry? {
        for (first, entries) in runs where index >= first && index - first < entries.count {
            let entry = entries[index - first]
            return entry.insiderID == IdentityRun.nobody ? nil : entry
        }
        return nil
    }
}
