import Foundation

/// The machine that a command runs on.
enum MachineName {
    /// As it calls itself; nobody is asked.
    static var current: String? {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
