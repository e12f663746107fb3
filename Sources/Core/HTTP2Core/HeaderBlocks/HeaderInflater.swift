import CNghttp2

/// Decodes header blocks: libnghttp2's HPACK decoder, with a dynamic table of size zero.
///
/// No block of the peer's can come before it has our SETTINGS, which say so. With an empty table no block depends on
/// an earlier one, so blocks may be passed over.
struct HeaderInflater: ~Copyable {
    private let inflater: OpaquePointer?

    init() {
        var pointer: OpaquePointer?
        nghttp2_hd_inflate_new(&pointer)
        inflater = pointer
        nghttp2_hd_inflate_change_table_size(pointer, 0)
        // From here on the decoder insists on hearing the new size in the next block. Peers that never use the table
        // may leave that out, and ours may be a block that was passed over.
        _ = [0x20 as UInt8].withUnsafeBytes { inflate($0) { _, _ in } }
    }

    deinit {
        nghttp2_hd_inflate_del(inflater)
    }

    /// Calls `each` for every field, in order. False when the block cannot be decoded: the connection is of no use
    /// any more.
    func inflate(
        _ block: UnsafeRawBufferPointer, each: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Void
    ) -> Bool {
        let bytes = block.assumingMemoryBound(to: UInt8.self)
        guard inflater != nil, decode(bytes, each) else { return false }
        return nghttp2_hd_inflate_end_headers(inflater) == 0
    }

    private func decode(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ each: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Void
    ) -> Bool {
        var offset = 0
        while true {
            var field = nghttp2_nv()
            var flags: Int32 = 0
            let count = nghttp2_hd_inflate_hd2(
                inflater, &field, &flags, bytes.baseAddress.map { $0 + offset }, bytes.count - offset, 1)
            guard count >= 0 else { return false }
            offset += count
            if UInt32(flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue != 0 {
                each(
                    UnsafeBufferPointer(start: field.name, count: field.namelen),
                    UnsafeBufferPointer(start: field.value, count: field.valuelen))
            }
            if UInt32(flags) & NGHTTP2_HD_INFLATE_FINAL.rawValue != 0 { return true }
            if count == 0, UInt32(flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue == 0 { return false }
        }
    }
}
