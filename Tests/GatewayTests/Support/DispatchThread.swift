import Dispatch
import Glibc

/// Blocking work in tests.
enum DispatchThread {
    static func run(_ work: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async(execute: work)
    }

    /// Returns the result of blocking work without blocking a cooperative thread.
    static func value<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            run { continuation.resume(with: Result(catching: work)) }
        }
    }

    static func pause(milliseconds: UInt32) {
        usleep(milliseconds * 1000)
    }
}
