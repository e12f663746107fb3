/// Who a run of consecutive slots belongs to: for each the insider_id and the number of the device among its user's
/// (see `DeviceRecord`). Of an insider_id (`PackedName`) only that is written in which it differs from the one before:
/// how many bytes they share from the start, how many follow, and these.
struct IdentityRun {
    struct Entry: Equatable {
        let insiderID: String
        let device: UInt32
    }

    private(set) var bytes: [UInt8] = []
    private var last: [UInt8] = []

    mutating func append(insiderID: String, device: UInt32) {
        // Lengths go up to 250 (`DeviceKey.maximumLength`).
        var name: [UInt8] = []
        PackedName.append(insiderID, to: &name)
        name.removeLast(max(0, name.count - 255))
        let shared = zip(name, last).prefix { $0 == $1 }.count
        bytes.append(UInt8(shared))
        bytes.append(UInt8(name.count - shared))
        bytes += name[shared...]
        Varint.append(device, to: &bytes)
        last = name
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
            return entries[index - first]
        }
        return nil
    }
}
