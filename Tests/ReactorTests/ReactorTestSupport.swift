import Glibc
import Reactor
import Testing
import TimeCore

/// Runs `body` with a reactor of its own and stops it.
func withReactor<Result>(_ body: (Reactor) async throws -> Result) async throws -> Result {
    let reactor = try Reactor(name: "test")
    do {
        let result = try await body(reactor)
        reactor.stop()
        return result
    } catch {
        reactor.stop()
        throw error
    }
}

/// Runs `body` on the reactor and waits for its result.
func run<Value: Sendable>(on reactor: Reactor, _ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        if !reactor.execute({ continuation.resume(returning: body()) }) {
            Issue.record("the reactor takes no jobs")
        }
    }
}

/// Runs `body` on the reactor and waits for what it hands over; nil when it does not within 30 s.
func outcome<Value: Sendable>(
    on reactor: Reactor, _ body: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value? {
    await withCheckedContinuation { continuation in
        let once = Once(continuation)
        reactor.execute {
            reactor.schedule(after: .seconds(30)) { once.give(nil) }
            body { once.give($0) }
        }
    }
}

/// Resumes a continuation with the first value given.
final class Once<Value: Sendable>: Sendable {
    private let continuation: Locked<CheckedContinuation<Value?, Never>?>

    init(_ continuation: CheckedContinuation<Value?, Never>) {
        self.continuation = Locked(continuation)
    }

    func give(_ value: Value?) {
        let taken = continuation.withLock { held in
            defer { held = nil }
            return held
        }
        taken?.resume(returning: value)
    }
}

/// Calls a closure when a descriptor is ready.
final class ClosureHandler: DescriptorHandler, @unchecked Sendable {
    var ready: (Readiness) -> Void

    init(_ ready: @escaping (Readiness) -> Void = { _ in }) {
        self.ready = ready
    }

    func descriptorReady(_ readiness: Readiness) { ready(readiness) }
}

/// A list that is filled on the reactor and read on it or after its stop.
final class Record<Element>: @unchecked Sendable {
    var values: [Element] = []
}

/// Two ends of a pipe.
func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    return (ends[0], ends[1])
}

func put(_ text: String, into descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
}
