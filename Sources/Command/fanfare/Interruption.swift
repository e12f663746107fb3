import Reactor
import UnixSignals

/// SIGINT or SIGTERM while a command changes something. The command ends in order where it asks for one, and one that
/// never asks does what it had begun: a change is in the audit log, and counts are told.
final class Interruption: Sendable {
    @TaskLocal private static var current: Interruption?
    private let signal = Locked<UnixSignal?>(nil)

    private init() {}

    /// From here on signals are noted.
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

    /// What `body` comes to, which is cancelled, and waited for, when there is a signal.
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

    /// Throws when there has been one.
    static func check() throws {
        guard let signal = current?.signal.withLock({ $0 }) else { return }
        throw CommandFailure("interrupted by \(signal)")
    }
}
