import CNghttp2

/// Helpers for both kinds of libnghttp2 sessions.
enum Nghttp2 {
    static func owner<Owner: AnyObject>(_ context: UnsafeMutableRawPointer?, _: Owner.Type) -> Owner {
        Unmanaged<Owner>.fromOpaque(context!).takeUnretainedValue()
    }

    /// Calls `body` with the fields in libnghttp2's form.
    static func withFields<Result>(_ fields: [Field], _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        var bytes: [UInt8] = fields.flatMap { Array($0.name.utf8) + Array($0.value.utf8) } + [0]
        return bytes.withUnsafeMutableBufferPointer { buffer in
            var place = buffer.baseAddress!
            let values = fields.map { field in
                let name = place
                let value = name + field.name.utf8.count
                place = value + field.value.utf8.count
                let flag = field.isNeverIndexed ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE
                return nghttp2_nv(
                    name: name, value: value, namelen: field.name.utf8.count, valuelen: field.value.utf8.count,
                    flags: UInt8(flag.rawValue))
            }
            return values.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
        }
    }

    static func field(
        _ name: UnsafePointer<UInt8>?, _ nameLength: Int, _ value: UnsafePointer<UInt8>?, _ length: Int, _ flags: UInt8
    ) -> Field {
        Field(
            String(decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self),
            String(decoding: UnsafeBufferPointer(start: value, count: length), as: UTF8.self),
            isNeverIndexed: UInt32(flags) & NGHTTP2_NV_FLAG_NO_INDEX.rawValue != 0)
    }

    static func settings(_ values: [(UInt16, UInt32)]) -> [nghttp2_settings_entry] {
        values.map { nghttp2_settings_entry(settings_id: Int32($0.0), value: $0.1) }
    }

    /// Returns all pending output of a session.
    static func output(_ session: OpaquePointer?) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            var start: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &start)
            guard count > 0, let start else { return bytes }
            bytes += UnsafeBufferPointer(start: start, count: count)
        }
    }
}

/// A body and the number of its bytes that are sent.
struct OutgoingBody {
    var bytes: [UInt8]
    var offset = 0
    var trailers: [Field]?
    var isHeldBack = false

    mutating func read(_ target: UnsafeMutablePointer<UInt8>?, _ limit: Int) -> Int {
        let count = min(limit, bytes.count - offset)
        for index in 0..<count { target![index] = bytes[offset + index] }
        offset += count
        return count
    }
}
