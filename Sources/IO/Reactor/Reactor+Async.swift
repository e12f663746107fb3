extension Reactor {
    /// Runs `body` on the reactor's thread and returns what it hands to its continuation. `body` must call it exactly
    /// once; `stopped` is what the caller gets when the reactor no longer takes jobs.
    public func call<Value: Sendable>(
        stopped: Value, _ body: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value {
        await withCheckedContinuation { continuation in
            let taken = execute { body { continuation.resume(returning: $0) } }
            if !taken { continuation.resume(returning: stopped) }
        }
    }
}
