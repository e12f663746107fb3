/// The hash slot of a key: CRC16 of its tag modulo 16384 (Redis Cluster specification, "Key distribution model").
enum ClusterSlot {
    static let count = 16_384

    /// Hashes the part between the first `{` and the first `}` after it, or the whole key if that part is empty or
    /// missing.
    static func of(_ key: UnsafeRawBufferPointer) -> UInt16 {
        if let open = key.firstIndex(of: UInt8(ascii: "{")) {
            let rest = key[(open + 1)...]
            if let close = rest.firstIndex(of: UInt8(ascii: "}")), close > rest.startIndex {
                return crc16(UnsafeRawBufferPointer(rebasing: rest[..<close])) % UInt16(count)
            }
        }
        return crc16(key) % UInt16(count)
    }

    static func of(_ key: String) -> UInt16 {
        var key = key
        return key.withUTF8 { of(UnsafeRawBufferPointer($0)) }
    }

    /// CRC-16/XMODEM: polynomial 0x1021, initial value 0.
    static func crc16(_ bytes: UnsafeRawBufferPointer) -> UInt16 {
        var crc: UInt16 = 0
        table.withUnsafeBufferPointer { table in
            for byte in bytes { crc = crc << 8 ^ table[Int(UInt8(truncatingIfNeeded: crc >> 8) ^ byte)] }
        }
        return crc
    }

    private static let table: [UInt16] = (0..<256).map { index in
        var crc = UInt16(index) << 8
        for _ in 0..<8 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
        return crc
    }
}
