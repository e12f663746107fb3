import CZlib

/// Compresses bytes by zlib.
enum Gzip {
    /// What JSON and documents gain most of at least cost.
    private static let level: Int32 = 5

    /// The bytes as gzip (RFC 1952); nil when that takes as many or more, or memory is short.
    static func compress(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard bytes.count > 1, let last = uInt(exactly: bytes.count) else { return nil }
        var stream = z_stream()
        guard fanfare_gzip_init(&stream, level) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        return try? [UInt8](unsafeUninitializedCapacity: bytes.count - 1) { output, count in
            stream.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
            stream.avail_in = last
            stream.next_out = output.baseAddress
            stream.avail_out = uInt(output.count)
            guard deflate(&stream, Z_FINISH) == Z_STREAM_END else { throw NoGain() }
            count = output.count - Int(stream.avail_out)
        }
    }

    private struct NoGain: Error {}
}
