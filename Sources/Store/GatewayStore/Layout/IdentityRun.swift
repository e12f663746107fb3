import Encodings

/// The identities of a run of consecutive slots: for each slot the insider_id (`PackedName`) and the device's number
/// (`DeviceRecord`). An insider_id is stored as its difference from the one before: the number of shared leading bytes,
/// the number of other bytes, and these bytes.
struct IdentityRun {
    struct Entry: Equatable {
        let insiderID: String
        let device: UInt32
    }

    /// The placeholder of an erased user. No insider_id has a zero byte.
    static let nobody = "\0"

    private(set) var bytes: [UInt8] = []
    private var last: [UInt8] = []
    /// The name that `append` encodes. The buffer is reused, so a run allocates two arrays in place of one for each
    /// name.
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

    /// Returns the entries before the first damaged one.
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

    /// Returns a run of the same length without the names at some places; nil if one of the places is damaged or
    /// missing.
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

/// The identities of a page's slots: runs by their first index.
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
