import Reactor

/// One request and its answer, from the first header to the end of the stream. Objects are used again for later
/// streams of the connection, so that a request allocates nothing.
package final class MockRequest {
    /// The number of its connection, from 1.
    package let connection: Int
    /// The stream's identifier.
    package internal(set) var id: Int32 = 0
    /// The connection's streams are counted from 1.
    var ordinal = 0
    var isInUse = false
    /// Above the last stream id of the GOAWAY that is to come: not to be processed.
    var isHeld = false
    var isComplete = false

    // The request.
    /// All header fields but the value of `authorization`.
    package internal(set) var fields = HeaderBlock()
    package internal(set) var authorization: KnownAuthorizations.Entry?
    /// At most one byte more than the service takes.
    package internal(set) var body: [UInt8] = []

    // The answer.
    var outcome: MockDecision.Outcome?
    var answer: Answer?
    var answerIsSubmitted = false
    var bodyOffset = 0
    var recordIndex: Int?
    var hasValidCredential = false
    /// In place of the answer's body, for this request alone; empty for none.
    package var ownBody: [UInt8] = []
    /// The name of the field that the value below goes out in; nil for the service's own (`MockService.ownFieldName`).
    package var ownName: StaticString?
    /// The value of the service's own field, which stays in its place as long as the object lives, for nghttp2 to read.
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

    /// Checks, in debug builds, that this is the server's thread.
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

    /// Hands out the next bytes of the answer's body. True when these were the last.
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
