/// An invalid option or a failed load test, with a human-readable description.
public struct LoadTestError: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
