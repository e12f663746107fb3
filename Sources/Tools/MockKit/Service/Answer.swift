/// An encoded answer, shared by many requests. Immutable. Its bytes never move, because nghttp2 keeps pointers to them.
package final class Answer: @unchecked Sendable {
    package let status: Int
    /// The provider's reason of a rejection, by which answers are counted.
    package let reason: String?
    /// The three digits.
    let statusText: UnsafeBufferPointer<UInt8>
    /// The header fields besides the status.
    let fields: [(name: StaticString, value: UnsafeBufferPointer<UInt8>)]
    let body: UnsafeBufferPointer<UInt8>

    /// - Parameters:
    ///   - fields: The header fields besides the status, with names in lower case.
    ///   - body: An empty body makes an answer of a HEADERS frame alone.
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
