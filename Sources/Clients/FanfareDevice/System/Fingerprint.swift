import Foundation

/// A short text that differs, for all that matters, between bytes that differ. It is the same in every process.
enum Fingerprint {
    static func of(_ bytes: Data) -> String {
        // FNV-1a.
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }
}
