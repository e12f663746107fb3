import CNghttp2
import Reactor
import Synchronization
import TLS
import TimeCore

package let deadline = TimeInterval.seconds(20)

/// The observations of a client about its connection.
package struct Observations: Sendable {
    package var isEstablished = false
    package var settings: [[Int32: UInt32]] = []
    package var goAways: [(lastStream: Int32, code: UInt32, text: String)] = []
    package var pongs = 0
    package var end: ConnectionEnd?
    /// The plaintext that came to a client without a session.
    package var plaintext: [UInt8] = []

    package var streamLimits: [UInt32] {
        settings.compactMap { $0[Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue)] }
    }
}

/// A client with nghttp2's client session over the TLS transport. It obeys the server's stream limit and queues further
/// requests.
package final class TestClient: TLSConnectionDelegate, @unchecked Sendable {
    package let reactor: Reactor
    package var transport: TLSConnection?
    package var session: OpaquePointer?
    /// True for a client without a session, which sends only by `sendRaw`.
    let isRaw: Bool
    /// The window for answers that the client's SETTINGS announce, in bytes.
    let windowSize: UInt32
    var pending: [Int32: Exchange] = [:]
    private let observed = Mutex(Observations())
    private let waiters = Mutex<[(met: @Sendable (Observations) -> Bool, resume: @Sendable (Bool) -> Void)]>([])

    final class Exchange {
        var body: ArraySlice<UInt8>
        let isComplete: Bool
        var response = TestResult.Response()
        private var completion: ((TestResult) -> Void)?

        init(_ request: TestRequest, _ completion: @escaping (TestResult) -> Void) {
            body = request.body[...]
            isComplete = request.isComplete
            self.completion = completion
        }

        func complete(_ result: TestResult) {
            completion?(result)
            completion = nil
        }
    }

    init(isRaw: Bool, windowSize: UInt32) throws {
        self.isRaw = isRaw
        self.windowSize = windowSize
        reactor = try Reactor(name: "test-client")
    }

    deinit {
        nghttp2_session_del(session)
    }

    package static func connect(
        toPort port: UInt16, caFile: String, establish: Bool = true, isRaw: Bool = false, windowSize: UInt32 = 65_535,
        applicationProtocol: String = "h2"
    ) async throws -> TestClient {
        let client = try TestClient(isRaw: isRaw, windowSize: windowSize)
        let context = try TLSContext.client(trust: .file(caFile), applicationProtocol: applicationProtocol)
        client.reactor.execute { client.open(port, context) }
        if establish { _ = await client.wait { $0.isEstablished || $0.end != nil } }
        return client
    }

    package func stop(abruptly: Bool = true) {
        reactor.execute { [self] in transport?.close(abruptly: abruptly) }
        reactor.stop()
    }

    package var observations: Observations { observed.withLock { $0 } }

    /// Waits until the condition is met. Returns false after the deadline.
    package func wait(_ met: @escaping @Sendable (Observations) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = Once { continuation.resume(returning: $0) }
            waiters.withLock { $0.append((met, { answer.give($0) })) }
            note { _ in }
            reactor.execute { [self] in
                reactor.schedule(after: deadline) { answer.give(false) }
            }
        }
    }

    func note(_ change: (inout Observations) -> Void) {
        let current = observed.withLock { observations in
            change(&observations)
            return observations
        }
        let met = waiters.withLock { list in
            let met = list.filter { $0.met(current) }
            list.removeAll { $0.met(current) }
            return met
        }
        for waiter in met { waiter.resume(true) }
    }

    /// Sends the request and returns its result.
    package func send(_ request: TestRequest, timeout: TimeInterval = deadline) async -> TestResult {
        await withCheckedContinuation { continuation in
            let answer = Once { continuation.resume(returning: $0) }
            reactor.execute { [self] in
                reactor.schedule(after: timeout) { answer.give(.timedOut) }
                submit(request) { answer.give($0) }
            }
        }
    }

    /// Sends all requests in one turn, so that they travel together. Returns the results in their order.
    package func send(_ requests: [TestRequest], timeout: TimeInterval = deadline) async -> [TestResult] {
        await withCheckedContinuation { continuation in
            let results = Mutex((list: [TestResult?](repeating: nil, count: requests.count), left: requests.count))
            let shared = SharedResults(results) { continuation.resume(returning: $0) }
            reactor.execute { [self] in
                for (index, request) in requests.enumerated() {
                    submit(request) { shared.set(index, $0) }
                }
                reactor.schedule(after: timeout) { shared.giveUp() }
            }
        }
    }

    package func ping() {
        reactor.execute { [self] in
            nghttp2_submit_ping(session, 0, nil)
            flush()
        }
    }

    package func sendRaw(_ bytes: [UInt8]) {
        reactor.execute { [self] in
            _ = bytes.withUnsafeBytes { transport?.send($0) }
        }
    }
}

/// Passes on the first of several values.
final class Once<Value: Sendable>: Sendable {
    private let body: Mutex<(@Sendable (Value) -> Void)?>

    init(_ body: @escaping @Sendable (Value) -> Void) {
        self.body = Mutex(body)
    }

    func give(_ value: Value) {
        let body = body.withLock { body in
            defer { body = nil }
            return body
        }
        body?(value)
    }
}

/// Collects results that come one after another. Missing ones are `.timedOut`.
final class SharedResults: Sendable {
    private let results: Mutex<(list: [TestResult?], left: Int)>
    private let completion: Once<[TestResult]>

    init(
        _ results: consuming Mutex<(list: [TestResult?], left: Int)>,
        _ completion: @escaping @Sendable ([TestResult]) -> Void
    ) {
        self.results = results
        self.completion = Once(completion)
    }

    func set(_ index: Int, _ result: TestResult) {
        let all = results.withLock { results -> [TestResult]? in
            results.list[index] = result
            results.left -= 1
            return results.left == 0 ? results.list.map { $0 ?? .timedOut } : nil
        }
        if let all { completion.give(all) }
    }

    func giveUp() {
        completion.give(results.withLock { $0.list.map { $0 ?? .timedOut } })
    }
}
