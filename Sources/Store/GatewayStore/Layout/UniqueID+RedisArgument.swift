public import LiveActivity
public import RedisClient

/// An id as its 36 characters.
extension UniqueID: RedisArgumentConvertible {
    public var redisByteCountHint: Int { UniqueID.textLength }

    public func append(to builder: inout RedisCommandBuilder) {
        withUnsafeTemporaryAllocation(byteCount: UniqueID.textLength, alignment: 1) { text in
            write(to: text)
            builder.append(bytes: UnsafeRawBufferPointer(text))
        }
    }
}

/// An id as 16 bytes.
struct PackedID: RedisArgumentConvertible {
    let id: UniqueID

    var redisByteCountHint: Int { 16 }

    func append(to builder: inout RedisCommandBuilder) {
        withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { builder.append(bytes: $0) }
    }
}
