import Reactor
import UnixSignals

/// Catches SIGINT and SIGTERM while a command changes the store. The command ends at its next `check`, or completes if
/// it has none. In both cases it writes the audit record and flushes its counts.
final class Interruption: Sendable {
    @TaskLocal private static var current: Interruption?
    private let signal = Locked<UnixSignal?>(nil)

    private init() {}

    /// Catches signals while `body` runs.
    static func noted<Value>(during body: () async throws -> Value) async throws -> Value {
        let interruption = Interruption()
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await signal in signals { interruption.signal.withLock { $0 = signal } }
            }
            defer { group.cancelAll() }
            return try await $current.withValue(interruption) { try await body() }
        }
    }

    /// Runs `body`, and cancels it after a signal. Returns or throws only when it has ended.
    static func cancelling<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value
    {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                while !Task.isCancelled {
                    try check()
                    try? await Task.sleep(for: .milliseconds(100))
                }
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }

    /// Throws after a signal.
    static func check() throws {
        guard let signal = current?.signal.withLock({ $0 }) else { return }
        throw CommandFailure("interrupted by \(signal)")
    }
}
