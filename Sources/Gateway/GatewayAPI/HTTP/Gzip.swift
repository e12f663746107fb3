import CZlib

/// Compresses bytes by zlib, and decompresses its own output.
enum Gzip {
    /// The best compromise between size and time for JSON and documents.
    private static let level: Int32 = 5

    /// Returns the bytes as gzip (RFC 1952); nil if that is not shorter, or memory is short.
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

    /// Returns the input of one call of `compress`, using the length at its end. Nil for damaged data or without
    /// memory.
    static func decompress(_ gzip: UnsafeRawBufferPointer) -> [UInt8]? {
        guard gzip.count > 18, let last = uInt(exactly: gzip.count) else { return nil }
        let length = UInt32(littleEndian: gzip.loadUnaligned(fromByteOffset: gzip.count - 4, as: UInt32.self))
        // The maximum ratio of deflate is 1,032.
        guard Int(length) / 1032 <= gzip.count else { return nil }
        var stream = z_stream()
        guard fanfare_gunzip_init(&stream) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        return try? [UInt8](unsafeUninitializedCapacity: Int(length)) { output, count in
            stream.next_in = UnsafeMutablePointer(mutating: gzip.bindMemory(to: UInt8.self).baseAddress)
            stream.avail_in = last
            stream.next_out = output.baseAddress
            stream.avail_out = uInt(length)
            guard inflate(&stream, Z_FINISH) == Z_STREAM_END, stream.avail_out == 0 else { throw Damaged() }
            count = output.count
        }
    }

    private struct NoGain: Error {}
    private struct Damaged: Error {}
}
