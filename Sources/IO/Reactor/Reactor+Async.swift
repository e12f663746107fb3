extension Reactor {
    /// Runs `body` on the reactor's thread and returns the value that `body` passes to its continuation. `body` must
    /// call it exactly once. Returns `stopped` if the reactor accepts no more jobs.
    public func call<Value: Sendable>(
        stopped: Value, _ body: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value {
        await withCheckedContinuation { continuation in
            let taken = execute { body { continuation.resume(returning: $0) } }
            if !taken { continuation.resume(returning: stopped) }
        }
    }
}
