/// One answer as it goes out, made once and used for many requests. Its bytes stay where they are, because nghttp2 is
/// given pointers to them. Immutable.
package final class Answer: @unchecked Sendable {
    package let status: Int
    /// The provider's word for what is wrong, by which answers are counted.
    package let reason: String?
    /// The three digits.
    let statusText: UnsafeBufferPointer<UInt8>
    /// Header fields beside the status.
    let fields: [(name: StaticString, value: UnsafeBufferPointer<UInt8>)]
    let body: UnsafeBufferPointer<UInt8>

    /// - Parameters:
    ///   - fields: beside the status; names in lower case.
    ///   - body: if it is empty, the answer is a HEADERS frame alone.
    package init(status: Int, reason: String?, fields: [(StaticString, String)], body: [UInt8]) {
        self.status = status
        self.reason = reason
        statusText = Self.copy(Array(String(status).utf8))
        self.fields = fields.map { ($0.0, Self.copy(Array($0.1.utf8))) }
        self.body = Self.copy(body)
    }

    deinit {
        statusText.deallocate()
        for field in fields { field.value.deallocate() }
        body.deallocate()
    }

    private static func copy(_ bytes: [UInt8]) -> UnsafeBufferPointer<UInt8> {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        return UnsafeBufferPointer(copy)
    }
}
