import Reactor

/// A request and its answer, from the first header to the end of the stream. Objects are reused for later streams of
/// the connection, so a request allocates nothing.
package final class MockRequest {
    /// The number of the connection, from 1.
    package let connection: Int
    /// The stream's identifier.
    package internal(set) var id: Int32 = 0
    /// The position among the connection's streams, from 1.
    var ordinal = 0
    var isInUse = false
    /// True if the stream is above the last one of the coming GOAWAY, so the request is not processed.
    var isHeld = false
    var isComplete = false

    // The request.
    /// All header fields without the value of `authorization`.
    package internal(set) var fields = HeaderBlock()
    package internal(set) var authorization: KnownAuthorizations.Entry?
    /// At most one byte longer than the service's maximum.
    package internal(set) var body: [UInt8] = []

    // The answer.
    var outcome: MockDecision.Outcome?
    var answer: Answer?
    var answerIsSubmitted = false
    var bodyOffset = 0
    var recordIndex: Int?
    var hasValidCredential = false
    /// The body for this request alone, in place of the answer's; empty for none.
    package var ownBody: [UInt8] = []
    /// The name of the field with `ownValue`; nil for `MockService.ownFieldName`.
    package var ownName: StaticString?
    /// The value of the request's own field. Its address is stable, because nghttp2 keeps a pointer to it.
    package let ownValue = UnsafeMutablePointer<UInt8>.allocate(capacity: MockRequest.maximumOwnValueLength)
    /// In bytes; 0 for no value.
    package var ownValueLength = 0
    /// In bytes.
    package static let maximumOwnValueLength = 64

    private let reactor: Reactor

    init(connection: Int, on reactor: Reactor) {
        self.connection = connection
        self.reactor = reactor
    }

    /// Asserts, in debug builds, that the caller runs on the server's thread.
    package func assertOnReactor() {
        assert(reactor.isOnReactor)
    }

    deinit {
        ownValue.deallocate()
    }

    func begin(id: Int32, ordinal: Int) {
        self.id = id
        self.ordinal = ordinal
        isInUse = true
        isHeld = false
        isComplete = false
        fields.removeAll()
        authorization = nil
        body.removeAll(keepingCapacity: true)
        outcome = nil
        answer = nil
        answerIsSubmitted = false
        bodyOffset = 0
        recordIndex = nil
        hasValidCredential = false
        ownBody.removeAll(keepingCapacity: true)
        ownName = nil
        ownValueLength = 0
    }

    func append(body chunk: UnsafeBufferPointer<UInt8>, upTo maximum: Int) {
        let room = maximum + 1 - body.count
        guard room > 0 else { return }
        body.append(contentsOf: chunk.prefix(room))
    }

    /// Reads the next bytes of the answer's body. `isLast` is true at the end of the body.
    func readBody(into buffer: UnsafeMutableBufferPointer<UInt8>) -> (count: Int, isLast: Bool) {
        if ownBody.isEmpty {
            return read(answer?.body ?? UnsafeBufferPointer(start: nil, count: 0), into: buffer)
        }
        return ownBody.withUnsafeBufferPointer { read($0, into: buffer) }
    }

    private func read(
        _ body: UnsafeBufferPointer<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> (count: Int, isLast: Bool) {
        let chunk = UnsafeBufferPointer(rebasing: body[bodyOffset...].prefix(buffer.count))
        _ = buffer.update(fromContentsOf: chunk)
        bodyOffset += chunk.count
        return (chunk.count, bodyOffset == body.count)
    }
}
