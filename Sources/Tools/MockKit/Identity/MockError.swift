/// Why the mock could not be started, or a file of it not be read or written.
public struct MockError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
