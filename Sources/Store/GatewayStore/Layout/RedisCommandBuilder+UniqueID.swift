import LiveActivity
import RedisClient

extension RedisCommandBuilder {
    /// Adds an id as its 36 characters.
    mutating func append(_ id: UniqueID) {
        withUnsafeTemporaryAllocation(byteCount: UniqueID.textLength, alignment: 1) { text in
            id.write(to: text)
            append(bytes: UnsafeRawBufferPointer(text))
        }
    }

    /// Adds an id as 16 bytes.
    mutating func append(packed id: UniqueID) {
        withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { append(bytes: $0) }
    }
}
