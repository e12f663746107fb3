/// The nine bytes before every frame (RFC 9113, section 4.1).
struct FrameHeader: BitwiseCopyable {
    static let size = 9

    let length: Int
    let type: UInt8
    let flags: UInt8
    let stream: UInt32

    /// Reads nine bytes.
    @inline(__always)
    init(_ bytes: UnsafeRawPointer) {
        let word = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        length = Int(word >> 40)
        type = UInt8(truncatingIfNeeded: word >> 32)
        flags = UInt8(truncatingIfNeeded: word >> 24)
        // The highest of the 32 bits is reserved.
        let high = UInt32(truncatingIfNeeded: word) & 0x7F_FFFF
        stream = high << 8 | UInt32(bytes.load(fromByteOffset: 8, as: UInt8.self))
    }

    init(length: Int, type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0) {
        self.length = length
        self.type = type
        self.flags = flags
        self.stream = stream
    }

    /// Writes nine bytes.
    @inline(__always)
    func write(to target: UnsafeMutableRawPointer) {
        let word = UInt64(length) << 40 | UInt64(type) << 32 | UInt64(flags) << 24 | UInt64(stream >> 8)
        target.storeBytes(of: word.bigEndian, as: UInt64.self)
        target.storeBytes(of: UInt8(truncatingIfNeeded: stream), toByteOffset: 8, as: UInt8.self)
    }

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
}

/// Frame types (RFC 9113, section 6). Plain numbers, because a peer may send any.
enum FrameType {
    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let priority: UInt8 = 2
    static let resetStream: UInt8 = 3
    static let settings: UInt8 = 4
    static let pushPromise: UInt8 = 5
    static let ping: UInt8 = 6
    static let goAway: UInt8 = 7
    static let windowUpdate: UInt8 = 8
    static let continuation: UInt8 = 9
}

enum FrameFlag {
    static let endStream: UInt8 = 0x1
    static let acknowledgment: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8
    static let priority: UInt8 = 0x20
}

/// Identifiers of SETTINGS (RFC 9113, section 6.5.2).
enum SettingIdentifier {
    static let headerTableSize: UInt16 = 1
    static let enablePush: UInt16 = 2
    static let maximumConcurrentStreams: UInt16 = 3
    static let initialWindowSize: UInt16 = 4
    static let maximumFrameSize: UInt16 = 5
    static let maximumHeaderListSize: UInt16 = 6
}
