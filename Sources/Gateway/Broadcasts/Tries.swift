public import TimeCore

/// The tries of a request while others change the same activity, segment or topic.
public struct Tries: Sendable {
    /// The time for which a request is tried.
    public static let patience = TimeInterval.seconds(10)
    private static let pause = Duration.milliseconds(25)

    private let end = MonotonicTime.now() + patience

    public init() {}

    /// Waits for the next try. Returns false, at once, when the time is over.
    public func next() async throws -> Bool {
        guard MonotonicTime.now() < end else { return false }
        try await Task.sleep(for: Tries.pause)
        return true
    }
}
